// Times the frames while the user works: drags the temperature, moves the mouse over the picture or drags a number of
// X, goes from layer to layer, or types into the text that a trained layer reads; in the Learn view the layer learns at
// full speed instead.
//   headlight_measure_frames SETUP VIEW [FRAMES [temperature|mouse|number|text|layers]]
// prints, for a surface of 1440 x 900, how long the app took to make a frame and how long its pixels took
// (milliseconds: median, the time that one in twenty is above, worst), and how many new traces were shown. The engine
// works beside the frames, as in the window.
#include <algorithm>
#include <chrono>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/platform/background_thread.hpp"
#include "app/platform/surfaces/offscreen.hpp"
#include "app/session/checking.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/session/trainer.hpp"
#include "app/shell/headlight_app.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "core/setup/edits.hpp"

namespace {

using namespace headlight;
using Clock = std::chrono::steady_clock;

constexpr auto frame_time = std::chrono::microseconds(16'667);

void show(Session& session, std::string_view word) {
  const View view = view_named(word).value();
  if (info(view).of_two_states) Checking(session).set_reference();
  session.show(view);
  Selecting(session).select_tensor(TensorId::weights);
}

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// What the frames took: milliseconds to make and to draw each one, and how often new numbers were shown.
struct Taken {
  std::vector<double> made;
  std::vector<double> drawn;
  int new_traces = 0;
};

void drag_temperature(Session& session, Offscreen&, int frame) {
  Setup setup = session.wanted();
  setup.attention.temperature = 0.5 + 0.01 * frame;
  session.edit(setup, "temperature");
}

void drag_number(Session& session, Offscreen&, int frame) {
  Setup setup = session.wanted();
  setup.values.set(TensorId::X, parse_array_part("[0,0]").value(), GivenNumbers::single(0.01 * frame));
  session.edit(setup, "number");
}

/// Another last letter.
void type_text(Session& session, Offscreen&, int frame) {
  std::string text = session.wanted().model.texts().front();
  text.back() = static_cast<char>('a' + frame % 26);
  session.edit(with_text(session.wanted(), 0, text), "text");
}

/// Along a slanted line through the middle of the window.
void move_mouse(Session&, Offscreen& surface, int frame) {
  const auto along = static_cast<float>(frame % 120);
  surface.move_mouse({360 + 6 * along, 300 + 4 * along});
}

/// Another layer with every sixth frame, round and round.
void step_layers(Session& session, Offscreen&, int frame) {
  session.look_at_layer(frame / 6 % session.wanted().sizes.layers);
}

/// What the user does before a frame.
using FrameDeed = void (*)(Session&, Offscreen&, int frame);

FrameDeed deed_called(std::string_view word) {
  if (word == "temperature") return drag_temperature;
  if (word == "number") return drag_number;
  if (word == "mouse") return move_mouse;
  if (word == "text") return type_text;
  if (word == "layers") return step_layers;
  throw std::invalid_argument("temperature, mouse, number, text or layers");
}

/// Works the app for some frames: sixty in a second if they are quick enough.
Taken work(HeadlightApp& app, Offscreen& surface, int frames, FrameDeed deed) {
  Taken taken;
  std::uint64_t version = app.session().trace().version;
  auto next = Clock::now();
  for (int i = 0; i < frames; ++i) {
    next = std::max(next + frame_time, Clock::now());
    const auto start = Clock::now();
    if (!app.session().state().training.playing) deed(app.session(), surface, i);
    surface.frames(1);
    taken.made.push_back(milliseconds_since(start));
    const auto made = Clock::now();
    surface.picture();
    taken.drawn.push_back(milliseconds_since(made));
    taken.new_traces += app.session().trace().version != version;
    version = app.session().trace().version;
    std::this_thread::sleep_until(next);
  }
  return taken;
}

nlohmann::json summary(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return {{"median", times[times.size() / 2]}, {"slow", times[times.size() * 19 / 20]}, {"worst", times.back()}};
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) {
    std::cerr << "headlight_measure_frames SETUP VIEW [FRAMES [temperature|mouse|number|text|layers]]\n";
    return 2;
  }
  try {
    Session session(read_setup(words[1]), std::int64_t{16} << 30,
                    std::make_shared<Threads>(available_threads(), behind_the_window()));
    show(session, words[2]);
    session.compute_in_background();
    HeadlightApp app(std::move(session));
    Offscreen surface(app, 1440, 900);
    for (int i = 0; i < 120; ++i) {  // until the background computations are finished
      surface.frames(1);
      surface.picture();
      std::this_thread::sleep_for(frame_time);
    }
    Trainer(app.session()).set_speed(TrainingSpeed::full);
    Trainer(app.session()).set_playing(info(app.session().display().view).of_task);
    const auto start = Clock::now();
    const FrameDeed deed = deed_called(count > 4 ? words[4] : "temperature");
    const Taken taken = work(app, surface, count > 3 ? std::stoi(words[3]) : 240, deed);
    const double seconds = milliseconds_since(start) / 1000;
    std::cout << nlohmann::json{{"made", summary(taken.made)},           {"drawn", summary(taken.drawn)},
                                {"frames", taken.made.size()},           {"new_traces", taken.new_traces},
                                {"steps", trained_steps(app.session())}, {"seconds", seconds}}
              << '\n';
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
