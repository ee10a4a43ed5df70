// Times the frames while somebody drags the temperature: headlight_measure_frames SETUP VIEW [FRAMES] prints, for a
// surface of 1440 x 900, how long the app took for a frame, without the drawing of pixels, and how many new traces were
// shown. The engine works beside the frames, as in the window.
#include <algorithm>
#include <chrono>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "app/platform/offscreen.hpp"
#include "app/session/session.hpp"
#include "app/shell/headlight_app.hpp"
#include "core/formats/setup_file.hpp"

namespace {

using namespace headlight;
using Clock = std::chrono::steady_clock;

constexpr auto frame_time = std::chrono::microseconds(16'667);

void show(Session& session, std::string_view view) {
  if (view == "compare") session.set_reference();
  session.show(view == "heads"     ? View::heads
               : view == "tokens"  ? View::tokens
               : view == "compare" ? View::compare
                                   : View::pipeline);
  session.select_tensor(TensorId::weights);
}

/// One frame after the other, sixty in a second where the app is quick enough.
std::vector<double> drag(HeadlightApp& app, Offscreen& surface, int frames, int& shown) {
  std::vector<double> taken;
  std::uint64_t version = app.session().trace().version;
  auto next = Clock::now();
  for (int i = 0; i < frames; ++i) {
    next = std::max(next + frame_time, Clock::now());
    const auto start = Clock::now();
    Setup setup = app.session().wanted();
    setup.attention.temperature = 0.5 + 0.01 * i;
    app.session().edit(setup, "temperature");
    surface.frames(1);
    taken.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    shown += app.session().trace().version != version;
    version = app.session().trace().version;
    std::this_thread::sleep_until(next);
  }
  return taken;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) {
    std::cerr << "headlight_measure_frames SETUP VIEW [FRAMES]\n";
    return 2;
  }
  try {
    Session session(read_setup(words[1]), std::int64_t{16} << 30);
    show(session, words[2]);
    session.compute_in_background();
    HeadlightApp app(std::move(session));
    Offscreen surface(app, 1440, 900);
    for (int i = 0; i < 120; ++i) {  // until what is worked out beside the frames is there
      surface.frames(1);
      std::this_thread::sleep_for(frame_time);
    }
    int shown = 0;
    std::vector<double> taken = drag(app, surface, count > 3 ? std::stoi(words[3]) : 240, shown);
    std::sort(taken.begin(), taken.end());
    std::cout << "median " << taken[taken.size() / 2] << " ms, one in twenty above " << taken[taken.size() * 19 / 20]
              << " ms, worst " << taken.back() << " ms, " << shown << " new traces in " << taken.size() << " frames\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
