// The export dialog and the program that it starts, worked by a scripted person.
#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <thread>

#include "app/platform/png.hpp"
#include "app/shell/keep.hpp"
#include "core/formats/csv.hpp"
#include "core/formats/files.hpp"
#include "core/formats/setup_file.hpp"
#include "core/formats/tensor_slice.hpp"
#include "scripted.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

struct AtDialog : Scripted {
  explicit AtDialog(const std::filesystem::path& folder, std::string_view lecture = "udl-12-2")
      : Scripted(lecture_session(lecture, 6), 1440, 900, folder, HEADLIGHT_PROGRAM) {
    press({.key = Key::e, .ctrl = true});
    REQUIRE(app.memory().shell.exporting);
  }
  ExportDialog& dialog() { return *app.memory().shell.exporting; }
  bool open() { return app.memory().shell.exporting.has_value(); }

  /// Draws frames while the program that was started works; a minute is forever.
  void draw_until(const std::function<bool()>& done) {
    for (int i = 0; i < 6000 && !done(); ++i) {
      surface.frames();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    REQUIRE(done());
  }
  void wait_for_preview() {
    surface.wait(0.5);
    draw_until([&] { return !dialog().preview.busy; });
  }
  void press_export() { press({.key = Key::enter, .ctrl = true}); }
};

void choose(ExportDialog& dialog, ExportWhat what, std::size_t form, const std::filesystem::path& path) {
  dialog.choices.what = what;
  dialog.choices.forms[static_cast<std::size_t>(what)] = form;
  dialog.path = path.string();
}

}  // namespace

TEST_CASE("the folder for pictures is made when the first picture goes there") {
  const TemporaryFolder folder("export first");
  AtDialog person(folder.path() / "Pictures");
  REQUIRE_FALSE(std::filesystem::exists(folder.path() / "Pictures"));
  const std::filesystem::path file = person.dialog().path;
  REQUIRE(file.parent_path() == folder.path() / "Pictures");
  person.press_export();
  person.draw_until([&] { return !person.open(); });
  CHECK(std::filesystem::exists(file));
}

TEST_CASE("a picture is previewed, exported, and opens again as what it shows") {
  const TemporaryFolder folder("export picture");
  AtDialog person(folder.path());
  choose(person.dialog(), ExportWhat::heatmap, 0, folder.path() / "f.png");
  person.wait_for_preview();
  CHECK(person.dialog().preview.remark == "");
  CHECK(person.dialog().preview.texture != nullptr);
  CHECK(person.dialog().preview.width > 100);
  CHECK(person.dialog().command.starts_with("headlight render --lecture udl-12-2 --step 7 "));
  person.press_export();
  person.draw_until([&] { return !person.open(); });
  CHECK(place_in_picture(folder.path() / "f.png").setup == person.session().setup());
  CHECK(person.session().state().notice == "Exported " + (folder.path() / "f.png").string());
  CHECK(person.app.memory().shell.export_choices.what == ExportWhat::heatmap);
  person.surface.settle();
}

TEST_CASE("numbers are previewed as text, copied whole, and exported") {
  const TemporaryFolder folder("export numbers");
  AtDialog person(folder.path());
  choose(person.dialog(), ExportWhat::numbers, 2, folder.path() / "f.csv");
  person.dialog().part = "weights[0,1]";
  const Trace& trace = person.session().trace();
  const std::string text = csv_text(numbers_of(trace, parse_tensor_slice("weights[0,1]", trace.setup)));
  person.wait_for_preview();
  REQUIRE_FALSE(person.dialog().preview.lines.empty());
  CHECK(text.starts_with(person.dialog().preview.lines.front()));
  person.dialog().wish = ExportDialog::Wish::copy;
  person.surface.frames(2);
  CHECK(person.surface.clipboard() == text);
  person.press_export();
  person.draw_until([&] { return !person.open(); });
  CHECK(read_text(folder.path() / "f.csv") == text);
}

TEST_CASE("a name that exists is asked about, and what goes wrong is said in the dialog") {
  const TemporaryFolder folder("export replace");
  std::ofstream(folder.path() / "f.toml") << "old";
  AtDialog person(folder.path());
  choose(person.dialog(), ExportWhat::setup, 0, folder.path() / "f.toml");
  person.press_export();
  CHECK(person.dialog().asked_to_replace == person.dialog().path);
  CHECK(read_text(folder.path() / "f.toml") == "old");
  person.press_export();
  person.draw_until([&] { return !person.open(); });
  CHECK(read_setup(folder.path() / "f.toml") == person.session().setup());

  person.press({.key = Key::e, .ctrl = true});
  choose(person.dialog(), ExportWhat::setup, 0, folder.path() / "none" / "f.toml");
  person.press_export();
  person.draw_until([&] { return !person.dialog().problem.empty(); });
  CHECK(person.dialog().problem.find("no folder") != std::string::npos);
  person.press(Key::escape);
  CHECK_FALSE(person.open());
}

TEST_CASE("a cancelled export leaves the old file and nothing else") {
  const TemporaryFolder folder("export cancel");
  std::ofstream(folder.path() / "f.gif") << "old";
  AtDialog person(folder.path());
  choose(person.dialog(), ExportWhat::animation, 0, folder.path() / "f.gif");
  person.dialog().choices.frames = "seed=0..900";
  person.press_export();
  person.press_export();
  person.draw_until([&] { return person.dialog().fraction.value_or(0) > 0; });
  person.dialog().wish = ExportDialog::Wish::cancel;
  person.surface.frames(2);
  CHECK_FALSE(person.dialog().fraction);
  CHECK(read_text(folder.path() / "f.gif") == "old");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  person.press(Key::escape);
  CHECK_FALSE(person.open());
}

TEST_CASE("keys that are pressed in the dialog do nothing below it") {
  const TemporaryFolder folder("export keys");
  AtDialog person(folder.path());
  const Setup setup = person.session().setup();
  const Selection selection = person.session().selection();
  for (const Key key : {Key::m, Key::d, Key::up, Key::down, Key::enter, Key::space}) person.surface.key(key);
  CHECK(person.session().setup() == setup);
  CHECK(person.session().selection() == selection);
  CHECK_FALSE(person.session().state().pinned);
}
