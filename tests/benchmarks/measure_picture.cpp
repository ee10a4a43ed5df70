// Times a picture of all heads of a setup's weights: headlight_measure_picture SETUP FIGURE WIDTH HEIGHT PNG TIMES
// draws it once untimed, then TIMES times, and prints the seconds from the computed trace to the file for each.
#include <chrono>
#include <exception>
#include <iostream>
#include <string>

#include "app/figures/draw_figure.hpp"
#include "app/session/export/export_choices.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "core/formats/setup/setup_file.hpp"

int main(int count, char** words) {
  using namespace headlight;
  if (count != 7) {
    std::cerr << "headlight_measure_picture SETUP FIGURE WIDTH HEIGHT PNG TIMES\n";
    return 2;
  }
  try {
    Session session(read_setup(words[1]), std::int64_t{16} << 30);
    session.show(View::heads);
    Selecting(session).select_tensor(TensorId::weights);
    Figure figure;
    figure.what = picture_named(words[2]).value();
    figure.size = PageSize{std::stod(words[3]), std::stod(words[4]), LengthUnit::pixels};
    for (int time = 0; time <= std::stoi(words[6]); ++time) {
      const auto start = std::chrono::steady_clock::now();
      write_figure(words[5], session, figure);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      if (time > 0) std::cout << taken.count() << '\n';
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
