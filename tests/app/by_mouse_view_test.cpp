// What the mouse alone can do: the list of all edits, the menu of a weight, the logo, the hint of the first start, the
// notice about a file that was written.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/session/edits/own_numbers.hpp"
#include "app/session/selecting.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/menus/context_menu.hpp"
#include "app/views/menus/history_list.hpp"
#include "app/views/overlays/overlays.hpp"
#include "app/views/tensors/cell_edit.hpp"
#include "app/views/window/start_page.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/edits.hpp"
#include "probe.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

struct AtTheMouse : Scripted {
  explicit AtTheMouse(std::string_view lecture = "numpy-from-scratch", std::size_t step = 0,
                      const std::filesystem::path& pictures = {})
      : Scripted(lecture_session(lecture, step), 1440, 900, pictures) {
    session().forget_history();
  }

  void right_click(Point at) {
    surface.move_mouse(at);
    surface.frames(2);
    surface.press_mouse(MouseButton::right);
    surface.frames(1);
    surface.release_mouse(MouseButton::right);
    surface.settle();
  }
  std::optional<HistoryList>& history() { return app.memory().opened<HistoryList>(); }
  std::vector<std::string_view> menu() {
    std::vector<std::string_view> ids;
    const auto& opened = app.memory().opened<ContextMenu>();
    if (!opened) return ids;
    for (const Action* action : opened->entries) ids.push_back(action->id);
    return ids;
  }
  bool offers(std::string_view id) { return std::ranges::count(menu(), id) > 0; }
  std::string words_on_screen() {
    std::string words;
    for (const Drawn& drawn : surface.settled_drawing().drawn)
      if (const auto* text = std::get_if<TextShape>(&drawn.shape)) words += text->text + "\n";
    return words;
  }
};

/// Three edits: no mask to causal, biases, temperature.
void edit_three_times(AtTheMouse& person) {
  person.run("mask.causal");
  person.run("edit.biases");
  Setup next = person.session().setup();
  next.attention.temperature = 2;
  person.session().edit(next);
  person.surface.settle();
}

/// A weight in the left operand of a product.
struct AtAWeight : AtTheMouse {
  const Cell cell{TensorId::W_q, {1, 2}};

  AtAWeight() {
    session().show(View::pipeline);
    Selecting(session()).select_tensor(TensorId::Q);
    surface.settle();
  }
  double value() { return session().trace().value(cell); }
  /// Where the weight is on the screen, found by pointing.
  Point place() {
    const Layout layout = layout_of(*this, 1440, 900);
    return point_on(*this, layout.centre, cell, 9);
  }
  void copy(const std::string& text) {
    session().request(CopyText{text});
    surface.settle();
  }
};

}  // namespace

// --- The list of all edits -------------------------------------------------------------------------------------------

TEST_CASE("the list of all edits says what each one was, and a click goes there, back and forward") {
  AtTheMouse person;
  CHECK_FALSE(action_named("edit.history")->enabled(person.session()));
  edit_three_times(person);
  const Setup last = person.session().setup();
  person.click_item("top bar/edit.history");
  REQUIRE(person.history());
  REQUIRE(person.history()->words.size() == 4);
  CHECK(person.history()->words[3].find("2") != std::string::npos);
  CHECK(person.history()->words[3] == person.session().undo_words());
  const std::string words = person.words_on_screen();
  CHECK(words.find("The start") != std::string::npos);
  for (const std::string& edit : person.history()->words) CHECK(words.find(edit) != std::string::npos);

  person.click_item("1/edit");
  CHECK_FALSE(person.history());
  CHECK(person.session().setup().mask.has(MaskKind::causal));
  CHECK(person.session().setup().attention.temperature == 1);
  CHECK(person.session().can_undo());
  CHECK(person.session().can_redo());
  person.click_item("top bar/edit.history");
  CHECK(person.history()->words.size() == 4);
  CHECK(person.history()->row == 1);
  person.click_item("3/edit");
  CHECK(person.session().setup() == last);
  person.click_item("top bar/edit.history");
  person.click_item("0/edit");
  CHECK_FALSE(person.session().can_undo());
  CHECK(person.session().changes().empty());
}

TEST_CASE("a right click on undo, a key, and the arrow keys work the list too, and a click beside it only closes it") {
  AtTheMouse person;
  edit_three_times(person);
  const Setup last = person.session().setup();
  person.right_click(person.item("top bar/edit.undo").center());
  REQUIRE(person.history());
  person.click({900, 600});
  CHECK_FALSE(person.history());
  CHECK(person.session().setup() == last);
  CHECK_FALSE(person.session().state().pinned);
  person.press({.key = Key::z, .ctrl = true, .alt = true});
  REQUIRE(person.history());
  person.press(Key::up);
  person.press(Key::up);
  person.press(Key::enter);
  CHECK_FALSE(person.history());
  CHECK(person.session().history_position() == 1);
  person.run("edit.history");
  REQUIRE(person.history());
  person.press(Key::escape);
  CHECK_FALSE(person.history());
  CHECK(person.session().history_position() == 1);
}

TEST_CASE("a list of many edits scrolls to the present one and stays inside the window") {
  AtTheMouse person;
  for (int i = 0; i < 60; ++i) {
    Setup next = person.session().setup();
    next.attention.temperature = 2 + i;
    person.session().edit(next);
  }
  person.surface.settle();
  person.click_item("top bar/edit.history");
  CHECK(person.history()->words.size() == 61);
  REQUIRE(person.has_item("60/edit"));
  CHECK(person.item("60/edit").bottom() < 900);
  CHECK_FALSE(person.has_item("2/edit"));
  person.press(Key::home);
  CHECK(person.has_item("0/edit"));
}

// --- The menu of a weight --------------------------------------------------------------------------------------------

TEST_CASE("the menu of a weight types over it, and Escape takes that back") {
  AtAWeight person;
  const double was = person.value();
  person.right_click(person.place());
  REQUIRE(person.offers("cell.type"));
  CHECK_FALSE(person.offers("values.reset_cell"));
  person.click_item("cell.type");
  const auto& edit = person.app.memory().get<CellEditMemory>().edit;
  REQUIRE(edit);
  CHECK(edit->cell == person.cell);
  const Point field = edit->at.center();
  person.type("0.625");
  CHECK(person.value() == doctest::Approx(0.625));
  person.press(Key::escape);
  CHECK(person.value() == was);
  CHECK_FALSE(person.session().can_undo());
  CHECK(cell_at(person, field) == person.cell);

  person.right_click(person.place());
  person.click_item("cell.type");
  person.press(Key::enter);  // the number that was there changes nothing, however it is rounded
  CHECK(person.value() == was);
  CHECK(person.session().setup().values.empty());
  person.press(Key::f2);
  person.type("-3");
  person.press(Key::enter);
  CHECK(person.value() == -3);
}

TEST_CASE("the menu of a weight undoes the change of this number alone, or of the whole tensor") {
  AtAWeight person;
  const double was = person.value();
  const Cell other{TensorId::W_q, {0, 0}};
  const double other_was = person.session().trace().value(other);
  for (const Cell& cell : {person.cell, other})
    person.session().edit(
        with_number(going_on_from(person.session().setup(), person.session().model_trace()), cell, 7));
  person.surface.settle();
  person.right_click(person.place());
  REQUIRE(person.offers("values.reset_cell"));
  person.click_item("values.reset_cell");
  CHECK(person.value() == was);
  CHECK(person.session().trace().value(other) == 7);
  person.right_click(person.place());
  CHECK_FALSE(person.offers("values.reset_cell"));
  REQUIRE(person.offers("values.reset_tensor"));
  person.click_item("values.reset_tensor");
  CHECK(person.session().trace().value(other) == other_was);
}

TEST_CASE("the menu of a weight pastes a number into it, and an array into its tensor") {
  AtAWeight person;
  const Shape rows = shape(TensorId::W_q, person.session().setup());
  person.copy("0.5\n");  // as a spreadsheet copies a cell
  const double neighbour = person.session().trace().value({TensorId::W_q, {1, 3}});
  person.right_click(person.place());
  REQUIRE(person.offers("paste"));
  person.click_item("paste");
  CHECK(person.value() == 0.5);
  CHECK(person.session().trace().value({TensorId::W_q, {1, 3}}) == neighbour);
  CHECK(person.session().state().notice == "Pasted 0.5 into " + to_string(person.cell));
  std::string array;
  for (Index row = 0; row < rows[0]; ++row)
    for (Index column = 0; column < rows[1]; ++column)
      array += fmt::format("{}{}", row + column, column + 1 < rows[1] ? '\t' : '\n');
  person.copy(array);
  person.right_click(person.place());
  person.click_item("paste");
  CHECK(person.value() == 3);
}

TEST_CASE("a computed number is neither typed over, nor pasted into, nor undone") {
  AtTheMouse person;
  Selecting(person.session()).select_tensor(TensorId::scores);
  person.surface.settle();
  const Target target{TargetKind::cell, {.tensor = TensorId::scores}};
  for (const Action* action : menu_of(person.session(), target)) CHECK(action->facts.menus.part != MenuPart::change);
}

// --- The logo --------------------------------------------------------------------------------------------------------

TEST_CASE("the logo opens the first page, and a sentence opens there from any view") {
  for (const View view : {View::pipeline, View::heads, View::tokens, View::compare, View::learn}) {
    CAPTURE(info(view).word);
    AtTheMouse person(view == View::learn ? "learning" : "numpy-from-scratch", view == View::learn ? 11 : 0);
    person.session().show(view);
    person.surface.settle();
    REQUIRE(person.session().display().view == view);
    person.click_item("top bar/logo");
    REQUIRE(person.app.memory().opened<StartPage>());
    person.type("dogs bark loudly");
    person.click_item("page/go");
    CHECK_FALSE(person.app.memory().opened<StartPage>());
    CHECK(person.session().setup().model.text == "dogs bark loudly");
    CHECK(person.session().selection().tensor == TensorId::weights);
    CHECK(person.session().display().view == View::tokens);
    CHECK(person.words_on_screen().find("dogs") != std::string::npos);
  }
}

// --- The hint of the first start -------------------------------------------------------------------------------------

TEST_CASE("the hint of the first start covers nothing") {
  AtTheMouse person;
  for (const int width : {1440, 1024, 720}) {
    CAPTURE(width);
    person.surface.resize(width, 720);
    person.app.memory().get<OverlaysMemory>().hint = false;
    person.surface.settle();
    const Image without = person.surface.settled_picture();
    person.app.memory().get<OverlaysMemory>().hint = true;
    person.surface.settle();
    const Image with = person.surface.settled_picture();
    const Layout layout = layout_of(person, static_cast<float>(width), 720);
    CHECK(pixels_off(without, with, {0, 0, static_cast<float>(width), layout.status.y}) == 0);
    CHECK(pixels_off(without, with, layout.status) > 200);
    CHECK(person.words_on_screen().find("Point at a number") != std::string::npos);
  }
}

TEST_CASE("the hint leaves once somebody has pointed at a number, moved a step, or closed it") {
  const auto with_hint = [](AtTheMouse& person) -> bool& {
    person.app.memory().get<OverlaysMemory>().hint = true;
    person.surface.settle();
    return person.app.memory().get<OverlaysMemory>().hint;
  };
  {
    AtTheMouse person;
    const bool& hint = with_hint(person);
    person.surface.move_mouse({5, 300});
    person.surface.settle();
    CHECK(hint);
    const Layout layout = layout_of(person, 1440, 900);
    cells_in(person, layout.centre, 24);
    person.surface.settle();
    CHECK_FALSE(hint);
  }
  {
    AtTheMouse person;
    const Layout layout = layout_of(person, 1440, 900);
    const Point on_a_number = cells_in(person, layout.centre, 24).begin()->second;
    person.app.memory().opened<StartPage>() = StartPage{};
    const bool& hint = with_hint(person);
    person.surface.move_mouse(on_a_number);
    person.surface.settle();
    person.press(Key::escape);
    REQUIRE(person.session().state().hovered);
    CHECK(hint);  // the mouse was there before the number was
    person.surface.move_mouse(on_a_number + Point{12, 0});
    person.surface.settle();
    CHECK_FALSE(hint);
  }
  {
    AtTheMouse person;
    const bool& hint = with_hint(person);
    person.click_item("step.next");
    CHECK_FALSE(hint);
  }
  {
    AtTheMouse person;
    const bool& hint = with_hint(person);
    Lesson(person.session()).open("masks");  // another lecture is only its beginning
    person.surface.settle();
    CHECK(hint);
    person.press(Key::right);
    CHECK_FALSE(hint);
  }
  {
    AtTheMouse person;
    const bool& hint = with_hint(person);
    person.click_item("close hint");
    CHECK_FALSE(hint);
  }
}

// --- The notice about a written file ---------------------------------------------------------------------------------

TEST_CASE("the notice about a file that was written opens it, or its folder, and stays under the mouse") {
  const TemporaryFolder folder("opens");
  AtTheMouse person("numpy-from-scratch", 0, folder.path());
  std::vector<std::filesystem::path> opened;
  person.asked_to_open = [&](const std::filesystem::path& file) { opened.push_back(file); };
  person.press(Key::f12);
  const std::filesystem::path picture = person.session().state().written;
  REQUIRE(std::filesystem::exists(picture));
  CHECK(picture.parent_path() == folder.path());
  person.surface.move_mouse(person.item("notice/open").center());
  person.surface.wait(30);
  REQUIRE(person.has_item("notice/open"));
  person.click_item("notice/open");
  person.click_item("notice/folder");
  CHECK(opened == std::vector{picture, folder.path()});
  person.surface.move_mouse({5, 300});
  person.surface.wait(30);
  CHECK_FALSE(person.has_item("notice/open"));
  person.run("copy.cell");
  CHECK_FALSE(person.has_item("notice/open"));
  CHECK(person.session().state().written.empty());
}

TEST_CASE("the same notice is shown again when it is said again") {
  AtTheMouse person;
  person.session().notify("Saved");
  person.surface.settle();
  CHECK(person.words_on_screen().find("Saved") != std::string::npos);
  person.surface.wait(10);
  CHECK(person.words_on_screen().find("Saved") == std::string::npos);
  person.session().notify("Saved");
  person.surface.settle();
  CHECK(person.words_on_screen().find("Saved") != std::string::npos);
}
