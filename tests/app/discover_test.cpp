// Everything can be found with the mouse and done with the keyboard: bar, context menus, hints, the list of keys, the
// palette and the card of a first start.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "../picture_lesson.hpp"
#include "app/session/course.hpp"
#include "app/session/export/export_choices.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/view_table.hpp"
#include "app/views/base/frame_memory.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/menus/context_menu.hpp"
#include "app/views/overlays/export_dialog.hpp"
#include "app/views/overlays/path_card.hpp"
#include "app/views/overlays/problems_card.hpp"
#include "app/views/setup/setup_memory.hpp"
#include "app/views/window/start_page.hpp"
#include "captured.hpp"
#include "core/formats/arrays/npz.hpp"
#include "core/formats/files.hpp"
#include "core/formats/lecture/lecture_file.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/keys.hpp"
#include "legibility.hpp"
#include "probe.hpp"
#include "sheet_app.hpp"
#include "tests/effort.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

bool shows(Scripted& person, const std::string& words) {
  const DisplayList drawing = person.surface.settled_drawing();
  return shows_text(drawing, {0, 0, drawing.width, drawing.height}, words);
}

void right_click(Scripted& person, Point at) {
  person.surface.move_mouse(at);
  person.surface.frames(2);
  person.surface.press_mouse(MouseButton::right);
  person.surface.frames(1);
  person.surface.release_mouse(MouseButton::right);
  person.surface.settle();
}

bool menu_is_open(Scripted& person) { return person.app.memory().opened<ContextMenu>().has_value(); }

/// The point in the middle of a cell of the product's result.
Point result_cell(Scripted& person, Index row, Index column, Index rows = 4, Index columns = 4) {
  const Rect cells = person.item("result/cells");
  return {cells.x + cells.w * (static_cast<float>(column) + 0.5f) / static_cast<float>(columns),
          cells.y + cells.h * (static_cast<float>(row) + 0.5f) / static_cast<float>(rows)};
}

constexpr std::size_t scores_step = 3;  ///< shows the product of queries and keys

void find(Scripted& person, std::string_view text) {
  person.press({.key = Key::k, .ctrl = true});
  person.type(text);
  person.press(Key::enter);
}

bool palette_is_open(Scripted& person) { return person.session().display().overlay == Overlay::palette; }

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

void open_start(Scripted& person) {
  person.press({.key = Key::n, .ctrl = true});
  REQUIRE(person.app.memory().opened<StartPage>());
}

}  // namespace

// --- The bar ---------------------------------------------------------------------------------------------------------

TEST_CASE("the bar undoes, redoes, finds, opens, saves and takes away") {
  Scripted person(lecture_session(), 1280, 720);
  person.press(Key::m);
  const Setup masked = person.session().setup();
  person.click_item("edit.undo");
  CHECK(person.session().setup() == lecture_session().setup());
  person.click_item("edit.redo");
  CHECK(person.session().setup() == masked);
  person.click_item("palette");
  CHECK(palette_is_open(person));
  person.press(Key::escape);
  person.click_item("file.open");
  REQUIRE(person.app.memory().opened<PathPrompt>());
  CHECK(person.app.memory().opened<PathPrompt>()->purpose == PathPurpose::open);
  person.press(Key::escape);
  person.click_item("file.save");
  REQUIRE(person.app.memory().opened<PathPrompt>());
  CHECK(person.app.memory().opened<PathPrompt>()->purpose == PathPurpose::save_setup);
  person.press(Key::escape);
  person.click_item("export");
  CHECK(person.app.memory().opened<ExportDialog>());
}

TEST_CASE("what a narrow bar has no room for stands in its menu") {
  Scripted person(enlarged(lecture_session()), 1280, 1000);
  REQUIRE_FALSE(person.has_item("file.open"));
  person.session().forget_history();
  person.press(Key::m);
  person.click_item("menu");
  person.click_item("context menu/edit.undo");
  CHECK_FALSE(menu_is_open(person));
  CHECK(person.session().setup() == lecture_session().setup());
  person.click_item("menu");
  person.click_item("context menu/edit.undo");  // there is nothing left to undo: the entry does nothing
  CHECK(menu_is_open(person));
  person.click_item("context menu/file.open");
  CHECK(person.app.memory().opened<PathPrompt>());
}

// --- Context menus ---------------------------------------------------------------------------------------------------

TEST_CASE("the menu of a number is about the number under the pointer, not about the selected one") {
  Scripted person(lecture_session("numpy-from-scratch", scores_step), 1280, 720);
  const Selection before = person.session().selection();
  right_click(person, result_cell(person, 3, 1));
  REQUIRE(menu_is_open(person));
  const Target target = *person.app.memory().opened<ContextMenu>()->target;
  CHECK(target.kind == TargetKind::cell);
  CHECK(target.at.row == 3);
  CHECK(target.at.column == 1);
  CHECK(person.session().selection() == before);
  person.click_item("context menu/copy.cell");
  CHECK_FALSE(menu_is_open(person));
  const Cell cell = cell_of(target.at, person.session().setup());
  CHECK(std::stod(person.surface.clipboard()) == person.session().trace().value(cell));
  CHECK(person.session().selection() == before);

  right_click(person, result_cell(person, 3, 1));
  person.press(Key::p);  // an entry's key chooses it
  CHECK(person.session().state().pinned);
  CHECK(person.session().cell() == cell);
  right_click(person, result_cell(person, 0, 0));
  person.click_item("context menu/cell.explain");
  CHECK(person.session().cell() ==
        cell_of(fitting({cell.tensor, 0, target.at.head, 0, 0}, person.session().setup()), person.session().setup()));
}

TEST_CASE("the menu opens by key at the cell that is shown, is walked through with the arrows, and Escape closes it") {
  for (const Chord& chord : {Chord{Key::menu}, Chord{.key = Key::f10, .shift = true}}) {
    Scripted person(lecture_session("numpy-from-scratch", scores_step), 1280, 720);
    const Cell shown = person.session().cell();
    const std::uint64_t version = person.session().trace().version;
    person.press(chord);
    REQUIRE(menu_is_open(person));
    CHECK(person.app.memory().opened<ContextMenu>()->heading == to_string(shown));
    CHECK(person.app.memory().get<FrameMemory>().lit_cell);
    person.press(Key::escape);
    CHECK_FALSE(menu_is_open(person));
    CHECK_FALSE(person.session().state().pinned);
    person.press(chord);
    CHECK(person.app.memory().opened<ContextMenu>()->entries.front()->id == "cell.explain");
    person.press(Key::enter);
    CHECK(person.session().state().pinned);
    CHECK(person.session().cell() == shown);
    CHECK(person.session().trace().version == version);
    person.press(chord);
    person.press(Key::up);
    CHECK(person.app.memory().opened<ContextMenu>()->row ==
          person.app.memory().opened<ContextMenu>()->entries.size() - 1);
  }
}

TEST_CASE("a click beside a menu closes it and does nothing else") {
  Scripted person(lecture_session("numpy-from-scratch", scores_step), 1280, 720);
  right_click(person, result_cell(person, 0, 0));
  REQUIRE(menu_is_open(person));
  person.click(person.item("theme.toggle").center());
  CHECK_FALSE(menu_is_open(person));
  CHECK(person.session().display().appearance.theme == ThemeName::dark);
}

TEST_CASE("the menu of a head hides that head, and copies its matrix as a table") {
  Scripted person(lecture_session("numpy-from-scratch", scores_step), 1280, 720);
  const Index other = 1 - person.session().selection().head;
  const Rect thumb = person.item(std::to_string(other) + "/head");
  right_click(person, thumb.center());
  REQUIRE(menu_is_open(person));
  CHECK(person.app.memory().opened<ContextMenu>()->heading == "head " + std::to_string(other));
  person.click_item("context menu/copy.markdown");
  CHECK(person.surface.clipboard().starts_with("|"));
  right_click(person, thumb.center());
  person.click_item("context menu/head.hide");
  CHECK(person.session().display().heads.hidden == std::vector{other});
  // A head that was reached with Tab has its menu by key.
  Scripted by_keys(lecture_session("numpy-from-scratch", scores_step), 1280, 720);
  by_keys.session().show(View::heads);
  by_keys.surface.settle();
  by_keys.click_item("1/title");
  by_keys.press(Key::tab);
  by_keys.press({.key = Key::tab, .shift = true});
  by_keys.press(Key::menu);
  REQUIRE(menu_is_open(by_keys));
  CHECK(by_keys.app.memory().opened<ContextMenu>()->heading == "head 1");
  by_keys.press(Key::escape);
  CHECK_FALSE(menu_is_open(by_keys));
  by_keys.press(Key::menu);  // the head still has the keyboard
  CHECK(by_keys.app.memory().opened<ContextMenu>()->heading == "head 1");
}

TEST_CASE("tokens in the panel and numbers in the inspector have menus too") {
  Scripted person(lecture_session("numpy-from-scratch", scores_step));
  right_click(person, person.item("tokens/1/chip").center());
  REQUIRE(menu_is_open(person));
  CHECK(person.app.memory().opened<ContextMenu>()->heading ==
        words_of(token_target(person.session(), 1, false), person.session().setup()));
  person.press(Key::escape);
  right_click(person, person.item("1/factor 0").center());
  REQUIRE(menu_is_open(person));
  const Cell shown = person.session().cell();
  Cell factor{TensorId::Q_heads, {shown.index[0], shown.index[1], shown.index[2], 0}};
  CHECK(person.app.memory().opened<ContextMenu>()->heading == to_string(factor));
}

TEST_CASE("Tab and Enter do not reach behind an open sheet, and the keyboard is where it was once it closes") {
  Scripted person(lecture_session());
  const Rect bar{0, 0, 1440, 44};
  person.click_item("step.next");
  person.press(Key::tab);
  person.press({.key = Key::tab, .shift = true});  // now "next step" shows that it has the keyboard
  const std::size_t step = person.session().lesson().at.index;
  person.app.show_problems("Nothing", {{"somewhere", "", "this", "that"}});
  person.surface.settle();
  const Image before = person.surface.settled_picture();
  for (int i = 0; i < 13; ++i) {
    person.press(Key::tab);
    CHECK(pixels_off(before, person.surface.settled_picture(), bar) == 0);
  }
  person.press(Key::enter);  // the cross and a line to copy are all that there is
  CHECK(person.app.memory().get<ProblemsCard>().problems.empty());
  CHECK(person.session().lesson().at.index == step);
  person.press(Key::enter);
  CHECK(person.session().lesson().at.index == step + 1);
}

TEST_CASE("the menu of a thumbnail explains its tensor and copies it as LaTeX") {
  Scripted person(lecture_session("numpy-from-scratch", scores_step), 1280, 720);
  const Rect thumb = person.item("concat/0/thumb");
  right_click(person, thumb.center());
  REQUIRE(menu_is_open(person));
  person.click_item("context menu/copy.latex");
  CHECK(person.surface.clipboard().find("\\begin{tabular}") != std::string::npos);
  right_click(person, thumb.center());
  person.click_item("context menu/cell.explain");
  CHECK(person.session().selection().tensor == TensorId::concat);
  right_click(person, thumb.center());
  person.click_item("context menu/export");
  REQUIRE(person.app.memory().opened<ExportDialog>());
  CHECK(person.app.memory().opened<ExportDialog>()->choices.what == ExportWhat::numbers);
  CHECK(person.app.memory().opened<ExportDialog>()->part == "concat[0]");
}

TEST_CASE("the menu of a token hides its key from every query, and shows it again") {
  Scripted person(lecture_session("numpy-from-scratch", scores_step), 1280, 720);
  const Rect cells = person.item("result/cells");
  const Point label{result_cell(person, 0, 1).x, cells.y - 12};
  right_click(person, label);
  REQUIRE(menu_is_open(person));
  CHECK(person.app.memory().opened<ContextMenu>()->heading == "cat, a key");
  person.click_item("context menu/mask.key");
  for (Index query = 0; query < 4; ++query) CHECK(is_blocked(person.session().setup(), query, 1));
  CHECK(person.session().setup().mask.blocked.size() == 4);
  right_click(person, label);
  person.click_item("context menu/mask.key");
  CHECK(person.session().setup().mask.blocked.empty());
  right_click(person, {cells.x - 20, result_cell(person, 2, 0).y});
  REQUIRE(menu_is_open(person));
  CHECK(person.app.memory().opened<ContextMenu>()->heading == "sat, a query");
  person.click_item("context menu/copy.word");
  CHECK(person.surface.clipboard() == "sat");

  person.session().show(View::tokens);
  person.surface.settle();
  const Rect keys = person.item("keys");
  right_click(person, {keys.center().x, keys.y + keys.h * 0.375f});
  REQUIRE(menu_is_open(person));
  CHECK(person.app.memory().opened<ContextMenu>()->heading == "cat, a key");
}

TEST_CASE("the tokens beside a tensor and its heads have menus too") {
  Scripted person(lecture_session("numpy-from-scratch", scores_step), 1280, 720);
  Selecting(person.session()).select_tensor(TensorId::Q_heads);
  person.surface.settle();
  const Rect joined = person.item("joined/cells");
  right_click(person, {joined.x - 20, joined.y + joined.h * 0.375f});
  REQUIRE(menu_is_open(person));
  CHECK(person.app.memory().opened<ContextMenu>()->heading == "cat, a query");
}

// --- Hints and the list of keys -------------------------------------------------------------------------------------

TEST_CASE("every hint of a view names keys that its actions really have") {
  for (const ViewInfo& view : view_table) {
    for (const KeyHint& hint : view.hints) {
      CAPTURE(hint.keys);
      const auto keys = split(hint.keys);
      const auto ids = split(hint.actions);
      REQUIRE(keys.size() == ids.size());
      for (std::size_t i = 0; i < keys.size(); ++i) {
        const Action* action = action_named(ids[i]);
        REQUIRE(action != nullptr);
        const bool has = std::any_of(action->chords.begin(), action->chords.end(),
                                     [&](const Chord& chord) { return to_string(chord) == keys[i]; });
        const bool is_of_a_button = ids[i] == "model.enter";  // which takes Enter before any action
        CHECK((has || is_of_a_button || keys[i] == "0–9"));
      }
    }
  }
}

TEST_CASE("a click on a hint does what it says") {
  Scripted person(lecture_session(), 1280, 720);
  person.click_item("hints/move.right");
  CHECK(person.session().lesson().at.index == 1);
  person.click_item("hints/move.left");
  CHECK(person.session().lesson().at.index == 0);
  Selecting(person.session()).select(Selection{.tensor = TensorId::weights});
  person.surface.settle();
  person.click_item("hints/cell.pin");
  CHECK(person.session().state().pinned);
  const Cell cell = person.session().cell();
  person.click_item("hints/move.down");
  CHECK(person.session().cell() != cell);
  person.click_item("hints/cell.release");
  CHECK_FALSE(person.session().state().pinned);
  person.click_item("hints/palette");
  CHECK(palette_is_open(person));
}

TEST_CASE("the lines of the list of keys do what they say, and those that cannot now do nothing") {
  Scripted person(lecture_session(), 1440, 1080);  // high enough for all lines
  const auto choose = [&](std::string_view path) {
    person.press(Key::f1);
    REQUIRE(person.session().display().overlay == Overlay::shortcuts);
    CAPTURE(path);
    REQUIRE(person.has_item(path));
    person.click_item(path);
    CHECK(person.session().display().overlay == Overlay::none);
  };
  choose("Edit/mask.causal");
  CHECK(person.session().setup().mask.has(MaskKind::causal));
  choose("Heads/1");
  CHECK(person.session().selection().head == 1);
  choose("View/panel.setup");
  CHECK(person.session().display().appearance.setup_folded);
  person.press(Key::f1);
  person.click_item("Edit/edit.redo");
  CHECK(person.session().display().overlay == Overlay::shortcuts);
  CHECK_FALSE(person.session().can_redo());
}

TEST_CASE("the list of keys is one stop of Tab, and the arrow keys read it out line by line") {
  Scripted person(lecture_session(), 1280, 720);
  person.press(Key::f1);
  std::vector<std::string> heard;
  person.press(Key::tab);  // the cross
  person.press(Key::tab);
  for (int i = 0; i < 140; ++i) {
    const std::string said = person.surface.said();
    if (heard.empty() || said != heard.back()) heard.push_back(said);
    person.press(Key::down);
  }
  CHECK(heard.size() > 60);
  const auto hears = [&](std::string_view line) { return std::ranges::find(heard, line) != heard.end(); };
  CHECK(hears("Redo: Ctrl+Shift+Z or Ctrl+Y, key"));
  CHECK(hears("Next step: Page Down, button"));
  CHECK(hears("Next or previous control: Tab or Shift+Tab, key"));
  CHECK(hears("Fit it again: Double-click, key"));
  for (int i = 0; i < 140; ++i) person.press(Key::up);
  REQUIRE(person.surface.said().starts_with("Start"));
  person.press(Key::escape);  // lets go of the line
  person.press(Key::escape);
  CHECK(person.session().display().overlay == Overlay::none);
}

// --- The palette -----------------------------------------------------------------------------------------------------

TEST_CASE("the palette finds a number by its tensor and indices, and says what is allowed where there is none") {
  Scripted person(lecture_session(), 1280, 720);
  find(person, "weights[0, 1, 2, 0]");
  CHECK_FALSE(palette_is_open(person));
  CHECK(person.session().state().pinned);
  CHECK(person.session().cell() == Cell{TensorId::weights, {0, 1, 2, 0}});
  person.press(Key::left);  // the arrows move the pinned cell, as far as there is one
  person.press(Key::right);
  CHECK(person.session().cell() == Cell{TensorId::weights, {0, 1, 2, 1}});
  const Cell cell = person.session().cell();
  for (const char* text : {"weights[0,1,2]", "weights[0,1,2,0,0]", "weights[0,1,2,4]", "weights[0,1,-1,0]",
                           "weights[a]", "weights[", "nothing[0]"}) {
    CAPTURE(text);
    find(person, text);
    CHECK(palette_is_open(person));
    CHECK(person.session().cell() == cell);
    bool said = false;
    for (const Drawn& drawn : person.surface.settled_drawing().drawn) {
      const auto* words = std::get_if<TextShape>(&drawn.shape);
      said = said || (words != nullptr && words->text.starts_with("Allowed: "));
    }
    CHECK(said);
    person.press(Key::escape);
  }
}

TEST_CASE("the palette finds an action by other words that people look for") {
  Scripted person(lecture_session(), 1280, 720);
  find(person, "settings");
  CHECK(person.session().display().overlay == Overlay::appearance);
}

TEST_CASE("the palette and a menu say the keys that stand in their lines") {
  Scripted person(lecture_session("numpy-from-scratch", scores_step), 1280, 720);
  person.press({.key = Key::k, .ctrl = true});
  person.type("save the setup");
  CHECK(person.surface.said().starts_with("File Save the setup, Ctrl+S, 1 of "));
  person.press(Key::escape);
  person.press(Key::menu);
  CHECK(person.surface.said() == "Explain, E");
}

TEST_CASE("the palette knows what people type") {
  const auto after = [](std::string_view typed, const char* lecture = "bank") {
    auto person = std::make_unique<Scripted>(lecture_session(lecture), 1280, 720);
    find(*person, typed);
    CAPTURE(typed);
    CHECK_FALSE(palette_is_open(*person));
    return person;
  };
  CHECK(after("softmax")->session().selection().tensor == TensorId::weights);
  CHECK(after("attention weights")->session().selection().tensor == TensorId::weights);
  CHECK(after("dot product")->session().selection().tensor == TensorId::dot_products);
  CHECK(after("bigger")->session().display().appearance.scale > 1);
  CHECK(after("make the text bigger")->session().display().appearance.scale > 1);
  CHECK(after("causal mask")->session().setup().mask.has(MaskKind::causal));
  CHECK(after("dark")->session().display().appearance.theme == ThemeName::light);  // it turns what is dark to light
  CHECK(after("full screen")->session().display().presentation.full_screen);
  CHECK(after("settings")->session().display().overlay == Overlay::appearance);
}

TEST_CASE("the palette starts over, and resets numbers and then what is shown of them") {
  Scripted person(lecture_session("numpy-from-scratch"), 1280, 720);
  Lesson lesson(person.session());
  lesson.go_to(3);
  const Setup own = person.session().setup();
  const Selection shown = person.session().selection();
  Setup changed = own;
  changed.attention.temperature = 2;
  person.session().edit(changed);
  find(person, "reset");
  CHECK(person.session().setup() == own);
  Selecting(person.session()).select_tensor(TensorId::X);
  person.session().show(View::heads);
  find(person, "reset");
  CHECK(person.session().selection() == shown);
  CHECK(person.session().display().view == View::pipeline);
  find(person, "start over");
  CHECK(person.session().lesson().at.index == 0);
}

TEST_CASE("the palette searches the words of all steps, and goes to the step") {
  Scripted person(lecture_session("numpy-from-scratch"), 1280, 720);
  const auto& lectures = person.session().lectures();
  const auto bank = std::ranges::find(lectures, "bank", [](const auto& lecture) { return lecture->id; });
  REQUIRE(bank != lectures.end());
  const std::string title = (*bank)->steps[4].title;
  person.press({.key = Key::k, .ctrl = true});
  person.type(title);
  CHECK(shows(person, fmt::format("{} 5. {}", (*bank)->title, title)));
  person.press(Key::escape);
  find(person, title);
  CHECK(person.session().lesson().lecture()->id == "bank");
  CHECK(person.session().lesson().at.index == 4);
  const std::string words = plain_text((*bank)->steps[2].narration.blocks);
  find(person, words.substr(0, words.find('.')));
  CHECK(person.session().lesson().at.index == 2);
}

TEST_CASE("the program never ends with one key in the palette, and is the last of its lines") {
  for (const char* typed : {"q", "qu", "quit", "Quit", "exit", "leave"}) {
    CAPTURE(typed);
    Scripted person(lecture_session("bank"), 1280, 720);
    find(person, typed);
    CHECK_FALSE(person.surface.closed());
  }
  Scripted person(lecture_session("bank"), 1280, 720);
  person.press({.key = Key::k, .ctrl = true});
  person.type("quit");
  person.press(Key::enter);
  CHECK(palette_is_open(person));
  CHECK(shows(person, "Press Enter once more"));
  person.press(Key::enter);
  CHECK(person.surface.closed());
}

TEST_CASE("a key that follows the one that closed a card goes to what the card covered") {
  Scripted person(lecture_session("bank"), 1280, 720);
  REQUIRE(person.session().lesson().asks());
  person.press({.key = Key::k, .ctrl = true});
  REQUIRE(palette_is_open(person));
  person.surface.key(Key::escape);
  person.surface.key(Key::enter);
  person.surface.settle();
  CHECK_FALSE(palette_is_open(person));
  CHECK_FALSE(person.session().lesson().asks());
}

TEST_CASE("the palette gives the keyboard to the control that it finds, by a person's name or the file's key") {
  Scripted person(lecture_session(), 1280, 720);
  find(person, "Temperature");
  person.press(Key::up);
  CHECK(person.session().setup().attention.temperature == doctest::Approx(1.05));
  find(person, "sizes.batch");
  person.press(Key::up);
  CHECK(person.session().setup().sizes.batch == 2);
  find(person, "attention.dropout");
  person.press(Key::up);
  CHECK(person.session().setup().attention.dropout == doctest::Approx(0.05));
  find(person, "Seed");
  person.press(Key::up);
  CHECK(first_seed(person.session().setup()) == 1);
  // A key whose control is not there now leads to the first control of its section.
  find(person, "mask.window");
  person.press(Key::enter);
  CHECK(person.app.memory().get<SetupPanelMemory>().asked_row.empty());
  CHECK(person.has_item("Causal"));
}

TEST_CASE("a control that has the focus takes what is typed: no digit switches heads, no letter is a command") {
  Scripted person(lecture_session(), 1600, 1000);
  Setup setup = person.session().setup();
  setup.sizes.d_model = 16;
  setup.sizes.heads = 4;
  person.session().edit(setup);
  Selecting(person.session()).select_head(2);
  const Setup before = person.session().setup();
  for (const SetupKey& entry : setup_keys()) {
    const bool has_control = entry.name != "title" && entry.name != "attention.ablated_heads";
    if (!has_control || !entry.is_applicable(before)) continue;
    CAPTURE(entry.name);
    auto& panel = person.app.memory().get<SetupPanelMemory>();
    panel.asked_for = entry.group;
    panel.asked_row = entry.name;  // as the palette does
    person.surface.frames(3);
    for (const Key key : {Key::digit_0, Key::digit_1, Key::digit_3, Key::m, Key::b, Key::d, Key::v}) {
      person.press(key);
      CAPTURE(to_string(key));
      CHECK(person.session().selection().head == 2);
      CHECK(person.session().setup() == before);
      Selecting(person.session()).select_head(2);
      person.session().edit(before);
    }
    person.press(Key::escape);
    person.press(Key::escape);
  }
}

TEST_CASE("typing chooses among words and numbers, and turns a toggle on and off") {
  Scripted person(lecture_session(), 1280, 720);
  find(person, "Seed");
  person.type("417");
  person.press(Key::enter);
  CHECK(first_seed(person.session().setup()) == 417);
  find(person, "Precision");
  person.type("float32");
  CHECK(person.session().setup().attention.precision == Precision::float32);
  person.surface.wait(2);
  person.type("float6");
  CHECK(person.session().setup().attention.precision == Precision::float64);
}

// --- The focus -------------------------------------------------------------------------------------------------------

TEST_CASE("Tab begins at a question") {
  for (const char* lecture : {"bank", "meaning", "masks"}) {
    CAPTURE(lecture);
    Scripted person(lecture_session(lecture), 1280, 720);
    while (!person.session().lesson().asks()) Lesson(person.session()).step_by(1);
    person.surface.settle();
    person.press(Key::tab);
    const std::vector<PlacedItem> items = person.surface.items();
    const auto focused = std::ranges::find_if(items, &PlacedItem::focused);
    REQUIRE(focused != items.end());
    CHECK_MESSAGE(focused->path.find("/question/") != std::string::npos, focused->path);
  }
}

TEST_CASE("F6 goes from part to part of a window, past those with nothing in them, and Shift+F6 back") {
  ItemId focused = 0;
  std::vector<ItemId> firsts;
  SheetApp app([&](FrameContext& frame) {
    Ui& ui = frame.ui;
    firsts.clear();
    for (int part = 0; part < 4; ++part) {
      ui.begin_part();
      if (part == 2) continue;
      for (int i = 0; i < 2; ++i) {
        const std::string name = fmt::format("{} {}", part, i);
        if (i == 0) firsts.push_back(ui.id_of(name));
        ui.item(name, {20.0f + 100 * static_cast<float>(part), 20.0f + 40 * static_cast<float>(i), 80, 30});
      }
    }
    focused = ui.memory().focused;
  });
  Offscreen surface(app, 500, 200);
  surface.settle();
  const auto press = [&](const Chord& chord) {
    surface.key(chord);
    surface.settle();
    return std::ranges::find(firsts, focused) - firsts.begin();
  };
  CHECK(press({.key = Key::f6}) == 0);
  press({.key = Key::tab});
  CHECK(press({.key = Key::f6}) == 1);
  CHECK(press({.key = Key::f6}) == 2);
  CHECK(press({.key = Key::f6}) == 0);
  CHECK(press({.key = Key::f6, .shift = true}) == 2);
}

TEST_CASE("a tooltip stands beside what it is about") {
  for (const Rect& item : {Rect{40, 60, 400, 90}, Rect{10, 200, 480, 90}, Rect{300, 10, 190, 150}}) {
    SheetApp app([&](FrameContext& frame) {
      frame.ui.tooltip(frame.ui.item("message", item), "What it is about, in a line or two of words");
    });
    Offscreen surface(app, 500, 300);
    surface.move_mouse(item.center());
    surface.wait(2);
    const DisplayList drawing = surface.settled_drawing();
    bool seen = false;
    for (const Drawn& drawn : drawing.drawn)
      if (const auto* const text = std::get_if<TextShape>(&drawn.shape)) {
        seen = true;
        CHECK_FALSE(item.contains(text->baseline));
      }
    CHECK(seen);
  }
}

TEST_CASE("a long path stays in its card") {
  Scripted person(lecture_session(), 1280, 720);
  std::string path;
  for (int i = 0; i < 30; ++i) path += "/a-folder-with-a-long-name";
  person.surface.drop({path + "/odd.toml"});
  person.surface.settle();
  const Rect message = person.item("problem 0");
  int lines = 0;
  for (const Drawn& drawn : person.surface.settled_drawing().drawn) {
    const auto* const text = std::get_if<TextShape>(&drawn.shape);
    if (text == nullptr || text->text.find("folder") == std::string::npos) continue;
    ++lines;
    CHECK(text->baseline.x + text->width <= message.right() + 1);
  }
  CHECK(lines > 5);
}

// --- The first page --------------------------------------------------------------------------------------------------

namespace {

bool starts(Scripted& person) { return person.app.memory().opened<StartPage>().has_value(); }

/// The first page as somebody sees it who has never been here.
void open_first(Scripted& person) {
  person.app.memory().opened<StartPage>() = StartPage{.first = true};
  person.surface.settle();
}

/// How many things a mouse can click: all but the words of the picture, which only answer when they are pointed at.
std::size_t clickable(Scripted& person) {
  const auto items = person.surface.items();
  return static_cast<std::size_t>(
      std::ranges::count_if(items, [](const PlacedItem& item) { return !item.path.ends_with("/word"); }));
}

/// The path opens, and its lectures can be clicked.
void open_path(Scripted& person) {
  const Rect path = person.item("page/course");
  person.click({path.right() - 8, path.y + 8});  // where there is no lecture
}

}  // namespace

TEST_CASE("the first page has at most twelve controls, in one screen, in both themes, with nothing cut") {
  for (const auto& [wide, high] : {std::pair{1366, 768}, std::pair{1280, 720}, std::pair{1920, 1080}})
    for (const ThemeName theme : {ThemeName::dark, ThemeName::light}) {
      CAPTURE(wide);
      Session session = lecture_session("bank");
      session.edit_display([&](Display& d) { d.appearance.theme = theme; });
      Scripted person(std::move(session), wide, high);
      open_first(person);
      CHECK(person.surface.tab_stops() <= 12);
      CHECK(clickable(person) <= 12);
      CHECK_FALSE(person.has_item("start/##scrollbar"));
      CHECK(shows(person, "Start: Which bank?"));
      for (const auto& lecture : person.session().lectures()) CHECK(shows(person, lecture->title));
      const DisplayList drawing = person.surface.settled_drawing();
      for (const std::string& complaint : text_complaints(drawing, {0, 0, drawing.width, drawing.height}, 12.5f))
        if (complaint.find("The animal did not") == std::string::npos) FAIL_CHECK(complaint);  // the example
      open_start(person);  // from anywhere else there is a way back, too
      CHECK(person.surface.tab_stops() <= 12);
      CHECK(clickable(person) <= 12);
    }
}

TEST_CASE("what a lecture of the path is about stands in its own place, or in its tip alone") {
  constexpr float number_and_dashes = 20, below_an_item = 4;
  for (const int wide : {700, 1280}) {
    CAPTURE(wide);
    Scripted person(lecture_session("bank"), wide, 768);
    open_first(person);
    open_path(person);
    const std::vector<PlacedItem> items = person.surface.items();
    const auto in_its_place = [&](Point baseline) {
      return std::ranges::any_of(items, [&](const PlacedItem& item) {
        Rect place = item.rect;
        place.cut_top(number_and_dashes);
        place.h += below_an_item;
        return item.path.ends_with("/lecture") && place.contains(baseline);
      });
    };
    int lines = 0;
    for (const Drawn& drawn : person.surface.settled_drawing().drawn) {
      const auto* const text = std::get_if<TextShape>(&drawn.shape);
      if (text == nullptr || text->text.size() < 10) continue;
      const bool is_about = std::ranges::any_of(person.session().lectures(), [&](const auto& lecture) {
        return lecture->list_position.group == LectureGroup::course &&
               line_about(*lecture).find(text->text) != std::string::npos;
      });
      if (!is_about) continue;
      ++lines;
      CHECK_MESSAGE(in_its_place(text->baseline), text->text);
    }
    CHECK(lines > 3);
  }
}

TEST_CASE("no type on the first page is below 14 pixels on a laptop's screen") {
  for (const auto& [wide, high] : {std::pair{1366, 768}, std::pair{1280, 720}}) {
    Scripted person(lecture_session("bank"), wide, high);
    open_first(person);
    const DisplayList drawing = person.surface.settled_drawing();
    const float scale = static_cast<float>(wide) / drawing.width;
    for (const Drawn& drawn : drawing.drawn)
      if (const auto* text = std::get_if<TextShape>(&drawn.shape)) {
        CAPTURE(text->text);
        CHECK(text_size(text->style, text->script) * scale >= 14);
      }
  }
}

TEST_CASE("the first page opens a lecture with the mouse, and with the keyboard") {
  Scripted person(lecture_session(), 1280, 720);
  open_start(person);
  open_path(person);
  person.click_item("course/2/lecture");
  CHECK_FALSE(starts(person));
  CHECK(person.session().lesson().lecture()->id == person.session().lectures()[2]->id);
  // The path is one stop for Tab, and the arrows walk along it.
  bool reached = false;
  for (int presses = 1; presses <= 12 && !reached; ++presses) {
    Lesson(person.session()).open("bank");
    open_start(person);
    for (int i = 0; i < presses; ++i) person.press(Key::tab);
    person.press(Key::right);
    person.press(Key::right);
    person.press(Key::enter);
    reached = person.session().lesson().lecture() != nullptr &&
              person.session().lesson().lecture()->id == person.session().lectures()[2]->id;
    if (starts(person)) person.press(Key::escape);
  }
  CHECK(reached);
}

TEST_CASE("the path says in plain words what a click on it does, and how the keyboard chooses") {
  Scripted person(lecture_session(), 1280, 720);
  open_start(person);
  CHECK(shows(person, "Click a lecture to open it"));
  const auto walks = [&] { return shows(person, "Enter, then the arrows choose a lecture"); };
  CHECK_FALSE(walks());
  for (int presses = 0; presses < 12 && !walks(); ++presses) person.press(Key::tab);
  REQUIRE(walks());
  person.press(Key::enter);
  CHECK_FALSE(walks());
  CHECK(shows(person, "Click a lecture to open it"));
}

TEST_CASE("Enter on the first page begins the course, and shows no answer on the way") {
  Scripted person(lecture_session("bank"), 1280, 720);
  open_start(person);
  REQUIRE(person.session().lesson().asks());
  person.press(Key::enter);
  CHECK_FALSE(starts(person));
  CHECK(person.session().lesson().lecture()->id == person.session().lectures()[0]->id);
  CHECK(person.session().lesson().at.index == 0);
  CHECK(person.session().lesson().asks());
}

TEST_CASE("a lecture that stood behind the first page begins at its first step") {
  Scripted person(lecture_session(), 1280, 720);
  open_start(person);
  open_path(person);
  person.click_item("course/0/lecture");
  CHECK(person.session().lesson().lecture()->id == person.session().lectures()[0]->id);
  CHECK(person.session().lesson().at.index == 0);
}

TEST_CASE("whoever comes back goes on where they were, and sees that step's picture") {
  Scripted person(lecture_session("meaning"), 1366, 768);
  for (int i = 0; i < 3; ++i) Lesson(person.session()).step_by(1);
  open_start(person);
  CHECK(shows(person, "Continue at step 5"));
  CHECK(shows(person, "Step 5 of 14"));
  CHECK(shows(person, person.session().lectures()[1]->steps[4].title));
  person.click_item("go on");
  CHECK_FALSE(starts(person));
  CHECK(person.session().lesson().lecture()->id == "meaning");
  CHECK(person.session().lesson().at.index == 4);
}

TEST_CASE("the picture of the first page says what a word gives, and swaps the neighbours") {
  Scripted person(lecture_session("bank"), 1366, 768);
  open_first(person);
  CHECK(shows(person, "mostly water"));
  person.surface.move_mouse(person.item("1/word").center());
  person.surface.settle();
  CHECK(shows(person, "bank takes"));
  CHECK(shows(person, "0.46"));
  CHECK(shows(person, "1.46"));
  person.click_item("swap");
  CHECK(shows(person, "mostly money"));
  CHECK(shows(person, "swap for river"));
  CHECK(starts(person));
  person.click_item("swap");
  CHECK(shows(person, "mostly water"));
}

TEST_CASE("typing on the first page is a sentence, and Enter shows its attention") {
  Scripted person(lecture_session(), 1280, 720);
  open_start(person);
  const Setup before = person.session().setup();
  person.surface.key(Key::m);  // no key of the app works on the page
  person.type("many hands make light work");
  CHECK(person.session().setup() == before);
  person.press(Key::enter);
  CHECK_FALSE(starts(person));
  CHECK(person.session().lesson().lecture() == nullptr);
  CHECK(person.session().setup().model.text == "many hands make light work");
  CHECK(person.session().selection().tensor == TensorId::weights);
  CHECK(person.session().display().view == View::tokens);
  CHECK(person.session().state().pinned);  // one word is chosen, and its lines alone stand out
  CHECK(shows(person, "of its attention to"));
  person.press({.key = Key::z, .ctrl = true});
  CHECK(person.session().setup() == before);
}

TEST_CASE("the button of the first page is whole, whichever lecture comes next") {
  const Session all = lecture_session("bank");
  for (const auto& [wide, high] : {std::pair{1366, 768}, std::pair{1280, 720}, std::pair{1920, 1080}})
    for (std::size_t done = 1; done < 10; ++done) {
      CAPTURE(wide);
      CAPTURE(done);
      Session session = lecture_session("bank");
      LectureMarks marks;
      for (std::size_t i = 0; i < done; ++i)
        marks[all.lectures()[i]->id] = std::vector(all.lectures()[i]->steps.size(), StepMark::first_try);
      Lesson(session).add_marks(marks);
      Scripted person(std::move(session), wide, high);
      open_start(person);
      CHECK(shows(person, "Start"));
      const Rect button = person.item("go on");
      for (const Drawn& drawn : person.surface.settled_drawing().drawn)
        if (const auto* const text = std::get_if<TextShape>(&drawn.shape); text && button.contains(text->baseline))
          CHECK(text->text.find("…") == std::string::npos);
    }
}

TEST_CASE("a click on a lecture of the closed path opens it") {
  Scripted person(lecture_session("bank"), 1366, 768);
  open_first(person);
  open_path(person);
  const Point third = person.item("course/2/lecture").center();
  person.app.memory().opened<StartPage>() = StartPage{.first = true};
  person.surface.settle();
  CHECK_FALSE(person.has_item("course/2/lecture"));
  person.click(third);
  CHECK_FALSE(starts(person));
  CHECK(person.session().lesson().lecture()->id == person.session().lectures()[2]->id);
}

TEST_CASE("a sentence is typed into the page's field with the mouse") {
  Scripted person(lecture_session(), 1280, 720);
  open_start(person);
  const Rect go = person.item("page/go");
  person.click({go.x - 60, go.center().y});
  person.type("to be");
  CHECK(person.app.memory().opened<StartPage>()->sentence == "to be");
  person.click_item("page/go");
  CHECK_FALSE(starts(person));
  CHECK(person.session().setup().tokens == std::vector<std::string>{"to", "be"});
}

TEST_CASE("numbers that are pasted on the first page are checked, and words are a sentence") {
  Scripted person(lecture_session("bank"), 1280, 720);
  open_start(person);
  person.session().request(CopyText{"the small cat"});
  person.surface.settle();
  person.press({.key = Key::v, .ctrl = true});
  REQUIRE(starts(person));
  CHECK(person.app.memory().opened<StartPage>()->sentence == "the small cat");
  person.press(Key::escape);
  person.press(Key::escape);
  open_start(person);
  person.session().request(CopyText{"weights = array([[0.25, 0.25, 0.25, 0.25]])"});
  person.surface.settle();
  person.press({.key = Key::v, .ctrl = true});
  CHECK_FALSE(starts(person));
  CHECK(person.session().display().view == View::compare);
  REQUIRE(person.session().state().checking.work().given);
  CHECK(person.session().state().checking.work().given->arrays.size() == 1);
  CHECK(person.session().lesson().lecture() == nullptr);
}

TEST_CASE("arrays dropped on the first page are a layer of their own, checked where they say what came out") {
  const TemporaryFolder folder("layer");
  const Session layer = lecture_session("numpy-from-scratch");
  const auto write = [&](const char* name, const std::vector<TensorId>& tensors) {
    std::vector<NamedTensor> arrays;
    for (const TensorId tensor : tensors)
      arrays.push_back({std::string(headlight::name(tensor)), layer.trace()[tensor]});
    const auto file = folder.path() / name;
    write_npz(file, arrays);
    return file;
  };
  const std::vector<TensorId> inputs{TensorId::X, TensorId::W_q, TensorId::W_k, TensorId::W_v, TensorId::W_o};
  std::vector<TensorId> all = inputs;
  all.insert(all.end(), {TensorId::weights, TensorId::output});
  {
    Scripted person(lecture_session("bank"), 1280, 720);
    open_start(person);
    person.surface.drop({write("mine.npz", all)});
    person.surface.settle();
    CHECK_FALSE(starts(person));
    CHECK(person.session().lesson().lecture() == nullptr);
    CHECK(person.session().display().view == View::compare);
    CHECK(person.session().setup().sizes.heads == 2);
    CHECK(shows(person, "mine.npz"));
    CHECK(person.session().trace().value({TensorId::output, {0, 1, 2}}) ==
          doctest::Approx(layer.trace().value({TensorId::output, {0, 1, 2}})));
  }
  {
    Scripted person(lecture_session("bank"), 1280, 720);
    open_start(person);
    person.surface.drop({write("weights.npz", {TensorId::X})});  // not enough for a layer: taken as before
    person.surface.settle();
    CHECK_FALSE((starts(person) && person.app.memory().get<ProblemsCard>().problems.empty()));
  }
}

void click_sentence(Scripted& person) {
  const Rect dice = person.item("sentence/another");
  person.click({dice.x - 60, dice.center().y});
}

TEST_CASE("the workbench around a sentence has its pieces, and its bar takes another one") {
  Scripted person(lecture_session(), 1280, 720);
  open_start(person);
  person.click_item("page/go");
  person.press(Key::w);
  CHECK_FALSE(person.app.memory().opened<StartPage>());
  CHECK(person.session().setup().has_model());
  CHECK(person.session().display().view == View::tokens);
  const std::string text = person.session().setup().model.text;
  person.click_item("sentence/another");
  CHECK(person.session().setup().model.text != text);
  click_sentence(person);
  person.retype("The key");
  CHECK(person.session().setup().tokens == std::vector<std::string>{"The", "key"});
  person.type("s \xE2\x98\x83");
  CHECK(person.session().setup().tokens.back() == "·\xE2\x98\x83");
  CHECK(shows(person, "not in the vocabulary"));
  person.press(Key::escape);
  person.press({.key = Key::z, .ctrl = true});
  CHECK(person.session().setup().sizes.query_length != 4);
}

TEST_CASE("a text of too many pieces stays in its field with the reason, and nothing else changes") {
  Scripted person(lecture_session(), 1280, 720);
  open_start(person);
  person.click_item("page/go");
  const Setup before = person.session().setup();
  std::string many;
  for (int i = 0; i < 130; ++i) many += "a ";
  click_sentence(person);
  person.retype(many);
  CHECK(shows(person, "at most 128 pieces"));
  CHECK(person.session().setup().sizes.query_length <= 128);
  person.retype("short");
  CHECK(person.session().setup().tokens == std::vector<std::string>{"short"});
  CHECK(before.has_model());
}

TEST_CASE("five clicks from the first page to why a word looks at another, in the workbench too") {
  Scripted person(lecture_session(), 1280, 720);
  open_start(person);
  person.click_item("page/go");  // The animal did not cross the street because it was too tired.
  person.press(Key::w);
  Selecting(person.session()).select_head(0);
  person.surface.settle();
  const auto& tokens = person.session().setup().tokens;
  const auto the = std::ranges::find(tokens.begin() + 1, tokens.end(), "the") - tokens.begin();
  person.click_item("head/plus");
  person.click_item(std::to_string(the) + "/piece");
  const Cell cell = person.session().cell();
  CHECK(cell.tensor == TensorId::weights);
  CHECK(cell.index[1] == 1);
  CHECK(tokens[static_cast<std::size_t>(cell.index[3])] == "street");
  CHECK(person.session().trace().value(cell) > 0.7);
  CHECK(shows(person, "Where it comes from"));
}

TEST_CASE("Escape leaves the first page, and so does what is opened there") {
  const TemporaryFolder folder("start");
  const auto file = folder.path() / "mine.toml";
  write_file(file, write_setup(lecture_session("valid-lengths").setup()));
  Scripted person(lecture_session(), 1280, 720);
  open_start(person);
  person.press(Key::escape);
  CHECK_FALSE(starts(person));
  CHECK(person.session().lesson().lecture()->id == "numpy-from-scratch");
  CHECK(person.session().lesson().at.index == 0);
  open_start(person);
  person.click_item("start/close");
  CHECK_FALSE(starts(person));
  open_start(person);
  person.surface.drop({file});
  person.surface.settle();
  CHECK_FALSE(starts(person));
  CHECK(person.session().setup() == lecture_session("valid-lengths").setup());
  open_start(person);
  person.click_item("page/open");
  REQUIRE(person.app.memory().opened<PathPrompt>());
  person.press(Key::escape);
  CHECK(starts(person));  // nothing was opened: the page is still there
  person.press(Key::f5);
  CHECK_FALSE(starts(person));
}

// --- At rest ---------------------------------------------------------------------------------------------------------

TEST_CASE("where the mouse rests, nothing flickers and nothing is drawn") {
  const Captured model(3);
  for (View view : all_views) {
    const bool learns = info(view).of_task;
    Scripted person(info(view).of_text ? Session(offered_setup(TaskName::text))
                    : learns           ? lecture_session("learning", 11)
                                       : lecture_session("numpy-from-scratch", scores_step),
                    1280, 720);
    if (info(view).of_model) person.surface.drop({model.path()});
    if (info(view).of_step) Lesson(person.session()).open(parse_lecture(picture_lesson, "a.md", "a"));
    person.session().show(view);
    person.surface.settle();
    const float apart = is_long_run() ? 1 : 2;
    for (float y = 22; y < 720; y += 97 * apart) {
      for (float x = 30; x < 1280; x += 119 * apart) {
        CAPTURE(x);
        CAPTURE(y);
        person.surface.move_mouse({x, y});
        person.surface.frames(3);
        person.surface.wait(0.6);  // tips have appeared
        CHECK(std::isinf(person.surface.next_frame_in()));
      }
    }
  }
}
