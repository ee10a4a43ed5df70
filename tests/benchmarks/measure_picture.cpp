// Times a picture of all heads of a setup's weights: headlight_measure_picture SETUP WIDTH HEIGHT PNG prints the
// seconds from a computed trace to the file.
#include <chrono>
#include <exception>
#include <iostream>
#include <string>

#include "app/figures/draw_figure.hpp"
#include "app/session/session.hpp"
#include "core/formats/setup_file.hpp"

int main(int count, char** words) {
  using namespace headlight;
  if (count != 5) {
    std::cerr << "headlight_measure_picture SETUP WIDTH HEIGHT PNG\n";
    return 2;
  }
  try {
    Session session(read_setup(words[1]), std::int64_t{16} << 30);
    Display display = session.display();
    display.view = View::heads;
    session.set_display(display);
    session.select_tensor(TensorId::weights);
    const auto start = std::chrono::steady_clock::now();
    const Figure figure{.kind = FigureKind::window,
                        .size = PageSize{std::stod(words[2]), std::stod(words[3]), LengthUnit::pixels}};
    write_figure(words[4], session, figure);
    std::cout << std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() << '\n';
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
