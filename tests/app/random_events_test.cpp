// Random input must not crash the app: keys, clicks, drags, wheel turns, window sizes, and dropped files.
#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <random>

#include "core/formats/setup/setup_file.hpp"
#include "scripted.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

/// The number of events. HEADLIGHT_RANDOM_EVENTS can ask for more than an ordinary run has time for.
int events_asked_for() {
  const char* asked = std::getenv("HEADLIGHT_RANDOM_EVENTS");
  return asked ? std::atoi(asked) : 1500;
}

class Monkey {
 public:
  Monkey(Scripted& person, std::vector<std::filesystem::path> files, unsigned seed)
      : person_(person), files_(std::move(files)), random_(seed) {}

  void act() {
    Offscreen& surface = person_.surface;
    switch (pick(0, 9)) {
      case 0:
      case 1:
      case 2: surface.key(chord()); break;
      case 3:
      case 4: surface.click(point()); break;
      case 5:
        surface.drag(point(), point(), pick(1, 3), static_cast<MouseButton>(pick(0, 5) == 0 ? pick(1, 2) : 0));
        break;
      case 6:
        surface.move_mouse(point());
        surface.hold_ctrl(pick(0, 2) == 0);
        surface.wheel(static_cast<float>(pick(-3, 3)));
        surface.hold_ctrl(false);
        break;
      case 7:
        surface.type(std::array{"3", "x", "causal", "-1", "1e9", "√ wörd"}[static_cast<std::size_t>(pick(0, 5))]);
        break;
      case 8:
        if (pick(0, 4) == 0) resize();
        else if (pick(0, 3) == 0)
          surface.key({.key = Key::m, .shift = true});  // takes the brush, so that later drags paint
        else surface.double_click(point());
        break;
      default:
        if (pick(0, 9) == 0)
          surface.drop({files_[static_cast<std::size_t>(pick(0, static_cast<int>(files_.size()) - 1))]});
        else surface.move_mouse(point());
        surface.frames(1);
        break;
    }
  }

 private:
  int pick(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
  Point point() { return {static_cast<float>(pick(-5, width_ + 5)), static_cast<float>(pick(-5, height_ + 5))}; }
  Chord chord() {
    const auto key = static_cast<Key>(pick(1, static_cast<int>(Key::slash)));
    return {key, pick(0, 3) == 0, pick(0, 3) == 0, pick(0, 5) == 0};
  }
  void resize() {
    width_ = pick(640, 1600);
    height_ = pick(360, 1000);
    person_.surface.resize(width_, height_);
  }

  Scripted& person_;
  std::vector<std::filesystem::path> files_;
  std::mt19937 random_;
  int width_ = 1280;
  int height_ = 720;
};

/// With `in_background` the worker computes while frames are drawn; otherwise each frame waits for the numbers.
void survive_random_events(bool in_background) {
  const TemporaryFolder folder("events");
  Setup mine = lecture_session().setup();
  mine.sizes.heads = 4;
  std::ofstream(folder.path() / "good.toml") << write_setup(mine);
  std::ofstream(folder.path() / "bad.toml") << "[sizes]\nheads = 3\n";
  std::ofstream(folder.path() / "bytes.md") << std::string("\0\xff\xfe", 3);

  Session session(mine, std::int64_t{32} << 20);
  if (in_background) session.compute_in_background(0);
  Documents().load_lectures(session);
  const std::shared_ptr<const Trace> start = session.state().trace;
  Scripted person(std::move(session), 1280, 720);
  Monkey monkey(person,
                {folder.path() / "good.toml", folder.path() / "bad.toml", folder.path() / "bytes.md",
                 folder.path() / "none.toml"},
                7);
  for (int i = 0; i < events_asked_for(); ++i) {
    CAPTURE(i);
    monkey.act();
    REQUIRE(problems(person.session().setup()).empty());
    REQUIRE(contains(person.session().setup(), person.session().cell()));
  }
  constexpr double as_long_as_it_takes = 600;
  person.session().wait(as_long_as_it_takes);
  while (person.session().can_undo()) {
    person.session().undo();
    person.session().wait(as_long_as_it_takes);
  }
  REQUIRE(person.session().setup() == start->setup);
  for (const TensorInfo& tensor : all_tensors()) {
    CAPTURE(tensor.name);
    REQUIRE(person.session().trace().has(tensor.id) == start->has(tensor.id));
    if (start->has(tensor.id)) CHECK(identical(person.session().trace()[tensor.id], (*start)[tensor.id]));
  }
}

}  // namespace

TEST_CASE("random events never make an invalid setup, and undo leads back to the start bit for bit") {
  survive_random_events(false);
}

TEST_CASE("random events while the worker computes: no invalid setup, and undo leads back to the start bit for bit") {
  survive_random_events(true);
}
