// A lecturer from a first start to the end of the hour: a sentence of their own, the causal mask, playing with the
// temperature, exporting a picture. Once with the mouse, except for the letters of the sentence, and once with the
// keyboard.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "app/shell/documents.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/overlays/export_dialog.hpp"
#include "app/views/play/play.hpp"
#include "app/views/window/present_view.hpp"
#include "app/views/window/start_page.hpp"
#include "probe.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

constexpr std::string_view words_to_type = "the cat sat on the mat";

struct Lecturer : Scripted {
  explicit Lecturer(const std::filesystem::path& pictures)
      : Scripted(lecture_session(), 1440, 900, pictures, HEADLIGHT_PROGRAM) {
    app.memory().opened<StartPage>() = StartPage{};  // as at a first start
    surface.settle();
  }
  const std::optional<Play>& play() { return app.memory().get<PlayMemory>().play; }
  bool exporting() { return app.memory().opened<ExportDialog>().has_value(); }
  bool presenting() { return session().display().presentation.presenting; }
  double temperature() { return session().setup().attention.temperature; }

  void draw_until(const std::function<bool()>& done) {
    for (int i = 0; i < 6000 && !done(); ++i) {
      surface.frames();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    REQUIRE(done());
  }
  void check_sentence() {
    CHECK_FALSE(app.memory().opened<StartPage>());
    CHECK(session().lesson().lecture() == nullptr);
    CHECK(session().setup().model.text == words_to_type);
  }
  void check_causal() { CHECK(session().setup().mask.has(MaskKind::causal)); }
  /// The temperature goes to both ends while it sweeps.
  void watch_sweep() {
    REQUIRE(play());
    REQUIRE(play()->sweeping);
    double least = temperature();
    double largest = least;
    for (int frame = 0; frame < 60 * 9; frame += 6) {
      surface.frames(6);
      least = std::min(least, temperature());
      largest = std::max(largest, temperature());
    }
    CHECK(least < 0.2);
    CHECK(largest > 8);
  }
};

/// What was exported opens again as what was on the screen.
void check_export(const std::filesystem::path& folder, const Setup& setup) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  REQUIRE(files.size() == 1);
  CHECK(snapshot_in_picture(files.front()).setup == setup);
}

}  // namespace

TEST_CASE("a lecturer with the mouse alone: start, sentence, mask, present, sweep, export, close") {
  const TemporaryFolder folder("lecturer mouse");
  Lecturer person(folder.path());
  const Rect go = person.item("page/go");
  person.click({go.x - 60, go.center().y});  // into the field beside it
  person.type(words_to_type);
  person.click_item("page/go");
  person.check_sentence();
  person.click_item("workbench");

  const Rect setup = layout_of(person, 1440, 900).setup;
  REQUIRE(person.scroll_to("Causal", setup));
  person.click_item("Causal");
  person.check_causal();
  REQUIRE(person.scroll_to("attention.temperature/track", setup));
  person.surface.move_mouse(person.item("attention.temperature/track").center());
  person.surface.settle();
  person.click_item("attention.temperature/play");

  person.click_item("present");
  REQUIRE(person.presenting());
  person.click_item("play/sweep");
  person.watch_sweep();
  person.click_item("play/sweep");
  person.surface.move_mouse({slide_size.x - 4, 4});
  person.surface.settle();
  person.click_item("leave");
  REQUIRE_FALSE(person.presenting());

  person.click_item("top bar/export");
  REQUIRE(person.exporting());
  person.click_item("export/export");
  person.draw_until([&] { return !person.exporting(); });
  check_export(folder.path(), person.session().setup());
  person.surface.close();
  CHECK(person.surface.closed());
}

TEST_CASE("a lecturer with the keyboard alone: start, sentence, mask, present, sweep, export, close") {
  const TemporaryFolder folder("lecturer keyboard");
  Lecturer person(folder.path());
  person.type(words_to_type);
  person.press(Key::enter);
  person.check_sentence();
  person.press(Key::w);

  person.press(Key::m);
  person.check_causal();
  person.press({.key = Key::k, .ctrl = true});
  person.type("play with temperature");
  person.press(Key::enter);
  REQUIRE(person.play());

  person.press(Key::f5);
  REQUIRE(person.presenting());
  const auto at_sweep = [&] {
    return std::ranges::any_of(person.surface.items(),
                               [](const PlacedItem& item) { return item.focused && item.path.ends_with("sweep"); });
  };
  for (int i = 0; i < 12 && !at_sweep(); ++i) {
    person.surface.key(Key::tab);
    person.surface.settle();
  }
  REQUIRE(at_sweep());
  person.surface.key(Key::space);
  person.watch_sweep();
  person.surface.key(Key::space);
  person.surface.settle();
  CHECK_FALSE(person.play()->sweeping);
  person.press(Key::f5);
  REQUIRE_FALSE(person.presenting());

  person.press({.key = Key::e, .ctrl = true});
  REQUIRE(person.exporting());
  person.press({.key = Key::enter, .ctrl = true});
  person.draw_until([&] { return !person.exporting(); });
  check_export(folder.path(), person.session().setup());
  person.press({.key = Key::q, .ctrl = true});
  CHECK(person.surface.closed());
}
