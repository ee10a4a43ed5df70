// The export dialog and the program that it starts, worked by a scripted person.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>

#include <fmt/format.h>

#include "app/platform/pictures/png.hpp"
#include "app/session/checking.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/shell/documents.hpp"
#include "app/views/base/last_export.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/overlays/export_dialog.hpp"
#include "app/views/overlays/path_card.hpp"
#include "app/views/tensors/zoom.hpp"
#include "at_dialog.hpp"
#include "core/formats/arrays/csv.hpp"
#include "core/formats/arrays/tensor_slice.hpp"
#include "core/formats/files.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "picture.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

int waits_for_disk = 0;  ///< calls of fsync by this program, not by programs that it starts

}  // namespace

/// Replaces the system's fsync, to count its calls.
extern "C" int fsync(int) {
  ++waits_for_disk;
  return 0;
}

namespace {

/// Runs the command that the dialog shows, as a person would; `headlight` in it is the program under test.
int typed(const std::string& command) {
  return std::system(("headlight() { '" HEADLIGHT_PROGRAM "' \"$@\"; }; " + command).c_str());
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

TEST_CASE("a length of a picture is what was typed, with a comma too, and never a part of it") {
  const TemporaryFolder folder("export length");
  AtDialog person(folder.path());
  person.dialog().choices.size = ExportSize::centimetres;
  person.dialog().choices.centimetres = {12, 8};
  person.surface.settle();
  const auto type_width = [&](const char* text) {
    person.click_item("width");
    person.type(text);
    person.press(Key::enter);
    person.surface.settle();
    REQUIRE(person.open());
    return person.dialog().choices.centimetres[0];
  };
  CHECK(type_width("15,5") == 15.5);
  CHECK(type_width("16x") == 15.5);
  CHECK(type_width("1,6,5") == 15.5);
  CHECK(type_width("1700") == 15.5);
  CHECK(type_width("17.25") == 17.25);
  CHECK(person.dialog().choices.centimetres[1] == 8);
}

TEST_CASE("a number that is refused says why, until something else is chosen") {
  const TemporaryFolder folder("export refused");
  AtDialog person(folder.path());
  person.dialog().choices.size = ExportSize::centimetres;
  person.surface.settle();
  const auto type_dpi = [&](const char* text) {
    person.click_item("dpi");
    person.type(text);
    person.press(Key::enter);
    person.surface.settle();
  };
  type_dpi("5");
  CHECK(person.dialog().choices.dpi == 300);
  CHECK(person.dialog().problem == "dpi: found 5; allowed: a number from 30 to 2400");
  type_dpi("600");
  CHECK(person.dialog().choices.dpi == 600);
  CHECK(person.dialog().problem.empty());
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
  CHECK(snapshot_in_picture(folder.path() / "f.png").setup == person.session().setup());
  CHECK(person.session().state().notice == "Exported " + (folder.path() / "f.png").string());
  CHECK(person.app.memory().get<LastExport>().choices.what == ExportWhat::heatmap);
  person.surface.settle();
}

TEST_CASE("a double click on Export exports, though Cancel takes the place of the button") {
  const TemporaryFolder folder("export double click");
  AtDialog person(folder.path());
  choose(person.dialog(), ExportWhat::heatmap, 0, folder.path() / "f.png");
  person.wait_for_preview();
  person.surface.double_click(person.item("export/export").center());
  person.draw_until([&] { return !person.open() || !person.dialog().fraction; });
  CHECK_FALSE(person.open());
  CHECK(std::filesystem::exists(folder.path() / "f.png"));
}

TEST_CASE("the command that is shown makes the file that the dialog makes, of everything that the screen shows") {
  const TemporaryFolder folder("export command");
  AtDialog person(folder.path(), "numpy-from-scratch");
  person.press(Key::escape);
  Setup setup = person.session().setup();
  Checking(person.session()).set_reference();
  setup.attention.temperature = 0.5;
  setup.mask.kinds = {MaskKind::causal};
  person.session().edit(setup);
  Display display = person.session().display();
  display.heatmap(TensorId::weights) = {.colour_map = ColourMap::magma, .range = RangeKind::min_max};
  display.heads.hidden = {0};
  display.tokens = {0.2, false};
  display.appearance.setup_folded = true;
  person.session().set_display(display);
  Selecting(person.session()).pin(Cell{TensorId::weights, {0, 1, 2, 1}});
  person.app.memory().get<Zooms>().of(View::compare).views[0] = AxisView{1, 2};
  for (const View view : {View::compare, View::tokens}) {
    person.session().show(view);
    for (const ExportWhat what : all_exports) {
      if (what == ExportWhat::animation || (view == View::tokens && what > ExportWhat::view)) continue;
      CAPTURE(title_of(what));
      if (!why_not(what, person.session()).empty()) continue;
      person.press({.key = Key::e, .ctrl = true});
      const bool drawn = is_picture(what);
      const auto ending = drawn ? ".png" : forms_of(what).front().ending;
      const auto file = [&](std::string name) { return folder.path() / name.append(ending); };
      choose(person.dialog(), what, 0, file("b"));
      person.surface.frames(2);
      REQUIRE(typed(person.dialog().command) == 0);
      std::filesystem::remove(file("a"));
      choose(person.dialog(), what, 0, file("a"));
      person.expect_exported();
      if (drawn) CHECK(read_png(file("a")).rgba == read_png(file("b")).rgba);
      else CHECK(read_bytes(file("a"), 1 << 24) == read_bytes(file("b"), 1 << 24));
    }
  }
}

TEST_CASE("a window of its own size is the one that is on the screen") {
  const TemporaryFolder folder("export window");
  AtDialog person(folder.path(), "udl-12-2");
  Display display = person.session().display();
  display.appearance.scale = 1.25;
  display.appearance.inspector_folded = true;
  display.heatmap(TensorId::weights).range = RangeKind::min_max;
  person.session().set_display(display);
  person.session().set_timed(false);
  choose(person.dialog(), ExportWhat::window, 0, folder.path() / "f.png");
  person.dialog().choices.theme = ThemeName::dark;
  person.expect_exported();
  person.session().notify("");
  Image exported = read_png(folder.path() / "f.png");
  Image screen = person.surface.settled_picture();
  // Only the window knows what can be undone.
  const Rect undo = person.item("edit.undo");
  const Rect history = person.item("edit.history");
  constexpr float pixels = 1.25f;  // of the screen, for each of the design
  for (int y = 0; y < static_cast<int>(undo.bottom() * pixels); ++y)
    for (int x = static_cast<int>(undo.x * pixels); x < static_cast<int>(history.right() * pixels); ++x)
      for (Image* image : {&exported, &screen}) image->set(x, y, {});
  CHECK(complaint(exported, screen) == "");
}

TEST_CASE("the preview of the window that presents can be seen, as that of the slide") {
  const TemporaryFolder folder("export presenting");
  AtDialog person(folder.path(), "bank");
  person.press(Key::escape);
  person.press(Key::f5);
  person.press({.key = Key::e, .ctrl = true});
  for (const ExportWhat what : {ExportWhat::window, ExportWhat::slide}) {
    CAPTURE(title_of(what));
    choose(person.dialog(), what, 0, folder.path() / "f.png");
    person.wait_for_preview();
    CHECK(person.dialog().preview.remark == "");
    const Rect preview = person.item("preview");
    const auto pixels = static_cast<float>(person.surface.settled_picture().width) / 640;  // of the slide
    CHECK(preview.w * pixels > 300);
    CHECK(preview.h * pixels > 170);
    CHECK(preview.w / preview.h == doctest::Approx(static_cast<float>(person.dialog().preview.width) /
                                                   static_cast<float>(person.dialog().preview.height))
                                       .epsilon(0.05));
    CHECK(person.has_item("export/export"));
    CHECK(person.has_item("path"));
  }
}

TEST_CASE("a setup without a name can be given one from the dialog, and then has a command") {
  const TemporaryFolder folder("export unnamed");
  AtDialog person(folder.path());
  Lesson(person.session()).close();
  person.surface.settle();
  CHECK(person.dialog().command == "");
  person.click_item("export/save");
  REQUIRE(person.app.memory().opened<PathPrompt>());
  person.retype((folder.path() / "mine.toml").string());
  person.press(Key::enter);
  REQUIRE(person.open());
  const std::string file = (folder.path() / "mine.toml").string();
  CHECK(person.dialog().command.find(std::string("--setup '").append(file)) != std::string::npos);
  Setup next = person.session().setup();
  next.attention.temperature = 3;
  person.session().edit(next);
  person.surface.settle();
  CHECK(person.dialog().command.find("--set attention.temperature=3.0") != std::string::npos);
}

TEST_CASE("a lecture of the lecturer's own comes along by its file") {
  const TemporaryFolder folder("export lecture");
  const auto lecture = folder.path() / "mine.md";
  AtDialog person(folder.path());
  person.press(Key::escape);
  person.documents.start_lecture(person.session(), lecture);
  std::ofstream(folder.path() / "broken.md") << "+++\nno lecture\n";
  person.press({.key = Key::e, .ctrl = true});
  choose(person.dialog(), ExportWhat::heatmap, 0, folder.path() / "a.png");
  person.surface.frames(2);
  REQUIRE(typed(person.dialog().command) == 0);
  CHECK(snapshot_in_picture(folder.path() / "a.png").lecture == "mine");
  choose(person.dialog(), ExportWhat::heatmap, 0, folder.path() / "b.png");
  person.expect_exported();
  CHECK(snapshot_in_picture(folder.path() / "b.png").lecture == "mine");
}

TEST_CASE("the card goes to the parent folder, home, downloads and recent folders, and a proposed name goes with it") {
  const TemporaryFolder folder("places");
  for (const char* name : {"home", "home/Downloads", "home/papers", "home/papers/old"})
    std::filesystem::create_directories(folder.path() / name);
  const std::filesystem::path home = folder.path() / "home";
  Folders folders;
  folders.home = home;
  folders.downloads = home / "Downloads";
  Scripted person(lecture_session(), 1440, 900, folders);
  person.app.memory().get<FilesMemory>().recent = {(home / "papers" / "old" / "a.toml").string()};
  person.press({.key = Key::s, .ctrl = true, .shift = true});
  const auto& card = person.app.memory().opened<PathPrompt>();
  REQUIRE(card);
  const std::string name = std::filesystem::path(card->text).filename().string();
  const auto folder_now = [&] { return std::filesystem::path(card->text).parent_path(); };
  CHECK(folder_now() == home / "papers" / "old");
  person.click_item("places/0/place");
  CHECK(folder_now() == home / "papers");
  CHECK(std::filesystem::path(card->text).filename() == name);
  person.click_item("places/1/place");
  CHECK(folder_now() == home);
  CHECK(card->entries.size() == 2);  // the folders, although none begins like the name
  person.click_item("0/choice");
  CHECK(folder_now() == home / "Downloads");
  person.click_item("places/3/place");
  CHECK(folder_now() == home / "papers" / "old");
  person.click_item("places/2/place");
  person.retype((home / "Downloads" / "b.toml").string());
  person.click_item("path/go");
  CHECK(std::filesystem::exists(home / "Downloads" / "b.toml"));
}

TEST_CASE(
    "a card begins in Documents or in the last folder, lists files by their endings, and outlives a double click") {
  const TemporaryFolder folder("begins");
  const std::filesystem::path documents = folder.path() / "Documents", work = folder.path() / "work";
  std::filesystem::create_directories(documents / "inside" / "deeper");
  std::filesystem::create_directories(work);
  std::ofstream(documents / "LICENSE") << "words";
  std::ofstream(work / "mine.npy") << "nothing";
  Folders folders;
  folders.documents = documents;
  Scripted person(lecture_session(), 1440, 900, folders);
  const auto& card = person.app.memory().opened<PathPrompt>();
  person.run("file.open");
  REQUIRE(card);
  CHECK(card->text == (documents / "").string());
  REQUIRE(card->entries.size() == 1);
  person.surface.double_click(person.item("0/choice").center());
  person.surface.settle();
  REQUIRE(card);
  CHECK(card->text == (documents / "inside" / "").string());
  person.press(Key::escape);
  person.run("check.open");
  CHECK(card->text == (documents / "").string());
  person.retype((work / "mine.npy").string());
  person.press(Key::enter);
  person.run("check.open");
  CHECK(card->text == (work / "").string());
}

TEST_CASE("a card offers recent files of the kinds that it takes") {
  Scripted person(lecture_session(), 1440, 900);
  person.app.memory().get<FilesMemory>().recent = {"/nowhere/mine.toml", "/nowhere/mine.npy", "/nowhere/notes.md"};
  const auto offered = [&](const char* action) {
    person.run(action);
    auto& card = person.app.memory().opened<PathPrompt>();
    REQUIRE(card);
    card->text = card->listed.emplace("/nowhere/");
    card->entries.clear();
    int count = 0;
    while (person.has_item(fmt::format("{}/choice", count))) ++count;
    person.press(Key::escape);
    return count;
  };
  CHECK(offered("file.open") == 3);  // arrays open too
  CHECK(offered("check.open") == 1);
}

TEST_CASE("where a file exists, Keep both writes another one beside it") {
  const TemporaryFolder folder("both");
  const std::filesystem::path file = folder.path() / "mine.toml";
  std::ofstream(file) << "mine";
  Scripted person(lecture_session(), 1440, 900);
  for (const char* other : {"mine-2.toml", "mine-3.toml"}) {
    person.press({.key = Key::s, .ctrl = true, .shift = true});
    person.retype(file.string());
    CHECK_FALSE(person.has_item("keep both"));
    person.click_item("path/go");
    person.click_item("keep both");
    CHECK_FALSE(person.app.memory().opened<PathPrompt>());
    CHECK(std::filesystem::exists(folder.path() / other));
  }
  CHECK(read_text(file) == "mine");

  AtDialog exporting(folder.path());
  const std::filesystem::path picture = folder.path() / "f.png";
  std::ofstream(picture) << "not mine";
  choose(exporting.dialog(), ExportWhat::heatmap, 0, picture);
  exporting.surface.settle();
  exporting.click_item("export/export");
  REQUIRE(exporting.open());
  exporting.click_item("keep both");
  exporting.draw_until([&] { return !exporting.open(); });
  CHECK(read_text(picture) == "not mine");
  CHECK(read_png(folder.path() / "f-2.png").width > 0);
}

TEST_CASE("Browse looks for the file of an export, and the dialog stays as it was chosen") {
  const TemporaryFolder folder("browse");
  std::filesystem::create_directories(folder.path() / "figures");
  AtDialog person(folder.path());
  choose(person.dialog(), ExportWhat::heatmap, 0, folder.path() / "f.png");
  person.surface.settle();
  person.click_item("browse");
  REQUIRE(person.app.memory().opened<PathPrompt>());
  person.click_item("0/choice");
  person.click_item("path/go");
  CHECK_FALSE(person.app.memory().opened<PathPrompt>());
  REQUIRE(person.open());
  CHECK(person.dialog().path == (folder.path() / "figures" / "f.png").string());
  CHECK(person.dialog().choices.what == ExportWhat::heatmap);
  person.click_item("browse");
  person.press(Key::escape);
  CHECK(person.open());
}

TEST_CASE("numbers and programs start in Documents, pictures in Pictures, and each where the last one went") {
  const TemporaryFolder folder("kinds");
  const std::filesystem::path pictures = folder.path() / "Pictures", documents = folder.path() / "Documents";
  Folders folders(pictures);
  folders.documents = documents;
  AtDialog person(folders);
  const auto reopened = [&](ExportWhat what, std::size_t form) {
    person.press(Key::escape);
    auto& choices = person.app.memory().get<LastExport>().choices;
    choices.what = what;
    choices.forms[static_cast<std::size_t>(what)] = form;
    person.press({.key = Key::e, .ctrl = true});
    return std::filesystem::path(person.dialog().path);
  };
  CHECK(reopened(ExportWhat::heatmap, 0).parent_path() == pictures);
  for (const std::size_t form : {0u, 1u, 2u}) CHECK(reopened(ExportWhat::numbers, form).parent_path() == documents);
  CHECK(reopened(ExportWhat::script, 0).parent_path() == documents);
  REQUIRE_FALSE(std::filesystem::exists(documents));
  person.expect_exported();  // and the folder is made
  CHECK(std::filesystem::exists(documents));
  person.app.memory().get<LastExport>().folders.data = folder.path();
  person.press({.key = Key::e, .ctrl = true});
  CHECK(std::filesystem::path(person.dialog().path).parent_path() == folder.path());
  CHECK(reopened(ExportWhat::heatmap, 0).parent_path() == pictures);
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

TEST_CASE("the preview of numbers doesn't show what the open question asks for") {
  const TemporaryFolder folder("export asked");
  AtDialog person(folder.path(), "bank");
  REQUIRE(person.session().lesson().asks());
  choose(person.dialog(), ExportWhat::numbers, 2, folder.path() / "f.csv");
  person.dialog().part = "weights[0,0]";
  person.wait_for_preview();
  CHECK(person.dialog().preview.lines.empty());
  CHECK(person.dialog().preview.remark.starts_with("The step asks about these numbers"));
  person.dialog().part = "Q[0]";
  person.wait_for_preview();
  CHECK_FALSE(person.dialog().preview.lines.empty());
}

TEST_CASE("Copy never hands out the text of the choice before") {
  const TemporaryFolder folder("export copy");
  AtDialog person(folder.path());
  Lesson(person.session()).show_answer();  // the step asks about these numbers
  choose(person.dialog(), ExportWhat::numbers, 2, folder.path() / "f.csv");
  person.dialog().part = "weights[0,1]";
  person.wait_for_preview();
  const Trace& trace = person.session().trace();
  const auto text = [&](const char* part) {
    return csv_text(numbers_of(trace, parse_tensor_slice(part, trace.setup)));
  };
  person.dialog().part = "weights[0,0]";
  person.dialog().wish = ExportDialog::Wish::copy;  // before the preview of the new choice can be finished
  person.surface.frames(2);
  CHECK(person.dialog().preview.busy);
  CHECK(person.surface.clipboard() != text("weights[0,1]"));
  person.wait_for_preview();
  person.surface.frames(2);
  CHECK(person.surface.clipboard() == text("weights[0,0]"));
  // If a choice is taken back before its preview starts, the old preview is valid again.
  person.dialog().part = "weights[0,1]";
  person.surface.frames(2);
  CHECK(person.dialog().preview.busy);
  person.dialog().part = "weights[0,0]";
  person.surface.frames(2);
  CHECK_FALSE(person.dialog().preview.busy);
}

TEST_CASE("the learning curve is taken away as a picture and as CSV, and without a task the dialog says why not") {
  const TemporaryFolder folder("export curve");
  AtDialog untaught(folder.path());
  choose(untaught.dialog(), ExportWhat::curve, 0, folder.path() / "none.png");
  untaught.wait_for_preview();
  CHECK(untaught.dialog().preview.remark == why_not(ExportWhat::curve, untaught.session()));
  CHECK(untaught.dialog().preview.remark.find("no task") != std::string::npos);
  untaught.press_export();
  CHECK_FALSE(untaught.dialog().fraction);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "none.png"));

  AtDialog person(folder.path(), "learning");
  Setup setup = person.session().setup();
  REQUIRE(why_not(ExportWhat::curve, person.session()) == "");
  setup.training.steps = 12;
  person.session().edit(setup);
  const auto forms = forms_of(ExportWhat::curve);
  REQUIRE(forms.size() == forms_of(FormKind::picture).size() + 1);
  CHECK(forms.back().name == "curve");
  choose(person.dialog(), ExportWhat::curve, 0, folder.path() / "f.png");
  person.wait_for_preview();
  CHECK(person.dialog().preview.remark == "");
  CHECK(person.dialog().preview.width > 100);
  person.expect_exported();
  CHECK(snapshot_in_picture(folder.path() / "f.png").setup->training.steps == 12);
  person.press({.key = Key::e, .ctrl = true});
  choose(person.dialog(), ExportWhat::curve, forms.size() - 1, folder.path() / "f.csv");
  person.wait_for_preview();
  REQUIRE_FALSE(person.dialog().preview.lines.empty());
  CHECK(person.dialog().preview.lines.front() == "step,loss,shown_loss,shown_accuracy");
  person.expect_exported();
  const std::string curve = read_text(folder.path() / "f.csv");
  CHECK(std::ranges::count(curve, '\n') == 13);  // a line for each step, below the names
}

TEST_CASE("a number at the end of a name is no ending") {
  const TemporaryFolder folder("export ending");
  AtDialog person(folder.path());
  choose(person.dialog(), ExportWhat::heatmap, 0, folder.path() / "run-0.5");
  person.expect_exported();
  CHECK(std::filesystem::exists(folder.path() / "run-0.5.png"));
}

TEST_CASE("a preview never waits for the disk") {
  const TemporaryFolder folder("export fsync");
  AtDialog person(folder.path());
  for (const ExportWhat what : {ExportWhat::heatmap, ExportWhat::setup}) {
    waits_for_disk = 0;
    person.dialog().choices.what = what;
    person.wait_for_preview();
    CHECK(person.dialog().preview.remark == "");
    CHECK(waits_for_disk == 0);
  }
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
  person.surface.frames(2);
  CHECK_FALSE(person.dialog().problem.empty());
  person.dialog().path = (folder.path() / "g.toml").string();  // its cause is gone
  person.surface.frames(2);
  CHECK(person.dialog().problem.empty());
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

TEST_CASE("an export that ignores the request to end blocks nothing") {
  const TemporaryFolder folder("export stubborn");
  const std::filesystem::path program = folder.path() / "stubborn";
  std::ofstream(program) << "#!/bin/sh\ntrap '' TERM\necho progress 0.5 >&2\nwhile :; do sleep 0.1; done\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  AtDialog person(folder.path(), "udl-12-2", program.string());
  choose(person.dialog(), ExportWhat::setup, 0, folder.path() / "f.toml");
  person.press_export();
  person.draw_until([&] { return person.dialog().fraction == 0.5; });
  person.dialog().wish = ExportDialog::Wish::cancel;
  person.surface.frames(2);
  CHECK_FALSE(person.dialog().fraction);
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
