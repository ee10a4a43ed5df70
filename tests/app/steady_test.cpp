// Nothing jumps: what stays where it is while the user clicks, types, steps and rests the mouse.
#include <doctest/doctest.h>

#include <cmath>
#include <future>
#include <map>
#include <thread>

#include "app/session/lesson.hpp"
#include "app/views/base/layout.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/overlays/path_card.hpp"
#include "app/views/setup/setup_memory.hpp"
#include "core/setup/edits.hpp"
#include "scripted.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

/// Where the controls of the setup panel are.
std::map<std::string, Rect> controls(Scripted& person) {
  std::map<std::string, Rect> found;
  for (const PlacedItem& item : person.surface.items())
    if (item.path.starts_with("setup/") && !item.path.ends_with("/reset") && !item.path.ends_with("/was"))
      found[item.path] = item.rect;
  return found;
}

/// Controls that stand elsewhere than before.
std::string moved(const std::map<std::string, Rect>& before, const std::map<std::string, Rect>& after) {
  std::string words;
  for (const auto& [path, r] : before)
    if (const auto now = after.find(path); now != after.end() && std::abs(now->second.y - r.y) > 0.5f)
      words += path + "\n";
  return words;
}

/// Threads whose jobs begin only when the gate opens.
std::shared_ptr<Threads> gated(const std::shared_future<void>& gate) {
  return std::make_shared<Threads>(2, [gate](Threads::Work work) {
    return std::thread([gate, work] {
      gate.wait();
      work();
    });
  });
}

}  // namespace

TEST_CASE("no control of the setup moves because of what is changed") {
  for (const char* path : {"sizes.batch/plus", "sizes.query_length/plus", "sizes.d_model/minus", "seed/die"}) {
    CAPTURE(std::string(path));
    Scripted person(lecture_session(), 1440, 1600);
    const auto before = controls(person);
    person.click_item(path);
    REQUIRE_FALSE(person.session().changes().empty());
    CHECK(moved(before, controls(person)) == "");
    CHECK(person.has_item("reset"));
  }
}

TEST_CASE("what comes with cross-attention comes below what was clicked") {
  Scripted person(lecture_session(), 1440, 1600);
  auto before = controls(person);
  const Rect link = person.item("link");
  std::erase_if(before, [&](const auto& control) { return control.second.y > link.bottom(); });
  person.click(link.center());
  REQUIRE(person.session().setup().is_cross());
  CHECK(person.has_item("key_tokens/add"));
  CHECK(moved(before, controls(person)) == "");
}

TEST_CASE("the way back stands in the line of what was changed") {
  Scripted person(lecture_session(), 1440, 1600);
  person.click_item("sizes.batch/plus");
  const Rect stepper = person.item("sizes.batch/plus");
  const Rect reset = person.item("sizes.batch/reset");
  CHECK(reset.center().y == doctest::Approx(stepper.center().y).epsilon(0.01));
  CHECK(reset.right() < stepper.x);
  person.click_item("sizes.batch/reset");
  CHECK(person.session().changes().empty());
  CHECK_FALSE(person.has_item("reset"));
}

TEST_CASE("a panel that gets shorter leaves what the mouse is on where it is") {
  Scripted person(lecture_session());
  const Rect panel = layout_of({0, 0, 1440, 900}, person.session().display(), {}).setup;
  person.session().edit(with_mask_kind(person.session().setup(), MaskKind::custom, true));
  person.surface.settle();
  person.surface.move_mouse(panel.center());
  for (int i = 0; i < 60; ++i) person.surface.wheel(-2);  // to the end
  person.surface.settle();
  const Rect paint = person.item("Paint");
  person.click(paint.center());  // takes the grid away
  REQUIRE_FALSE(person.session().setup().mask.has(MaskKind::custom));
  CHECK(person.item("Paint").y == doctest::Approx(paint.y));
  person.click(paint.center());
  CHECK(person.session().setup().mask.has(MaskKind::custom));
}

TEST_CASE("typing tokens moves neither the panel nor the selection, and Enter pins nothing") {
  Scripted person(lecture_session("numpy-from-scratch", 5), 1440, 1600);
  const Cell cell = person.session().cell();
  REQUIRE_FALSE(person.session().state().pinned);
  const auto before = controls(person);
  person.click_item("tokens/add");
  CHECK(moved(before, controls(person)) == "");
  person.retype("I");
  CHECK(person.session().setup().sizes.query_length == 4);  // a sentence counts once it is whole
  person.type(" like green tea a whole lot more than coffee in the morning");
  CHECK(moved(before, controls(person)) == "");
  person.press(Key::enter);
  CHECK(person.session().setup().sizes.query_length == 13);
  CHECK(moved(before, controls(person)) == "");
  CHECK(person.session().cell() == cell);
  CHECK_FALSE(person.session().state().pinned);
  CHECK(person.has_item("tokens/add"));
}

TEST_CASE("Enter in no text field pins a cell") {
  Scripted person(lecture_session("numpy-from-scratch", 4), 1440, 1600);
  const Rect dice = person.item("seed/die");
  person.click({dice.x - 60, dice.center().y});
  person.retype("4711");
  person.press(Key::enter);
  CHECK(first_seed(person.session().setup()) == 4711);
  CHECK_FALSE(person.session().state().pinned);
  person.press(Key::enter);
  CHECK(person.session().state().pinned);  // nobody types any more
}

TEST_CASE("a mouse that rests does not take over the cell of the next step") {
  Scripted person(lecture_session("numpy-from-scratch", 4));
  const Point middle = person.item("cells").center();
  person.surface.move_mouse(middle);
  person.surface.settle();
  REQUIRE(person.session().state().hovered);
  for (const Key key : {Key::right, Key::left, Key::left}) {
    person.press(key);
    CHECK_FALSE(person.session().state().hovered);
    CHECK(person.session().cell() == person.session().lesson().step()->look_at);
  }
  person.press(Key::right);
  person.surface.move_mouse({middle.x + 2, middle.y + 1});
  person.surface.settle();
  CHECK(person.session().state().hovered);
}

TEST_CASE("what was refused is said until something else is done") {
  Scripted person(lecture_session(), 1440, 1600);
  const auto refuse = [&] {
    person.surface.double_click(person.item("sizes.batch/value").center());
    person.surface.frames(3);
    person.surface.type("900000000");
    person.surface.key(Key::enter);
    person.surface.settle();
    REQUIRE(person.app.memory().get<SetupPanelMemory>().refusal);
    REQUIRE_FALSE(person.session().state().problems.empty());
  };
  refuse();
  person.click({800, 870});
  CHECK_FALSE(person.app.memory().get<SetupPanelMemory>().refusal);
  CHECK(person.session().state().problems.empty());
  refuse();
  person.click_item("sizes.batch/plus");
  CHECK_FALSE(person.app.memory().get<SetupPanelMemory>().refusal);
  CHECK(person.session().state().problems.empty());
}

TEST_CASE("a size that follows another one says what it was until the next edit") {
  Scripted person(lecture_session(), 1440, 1600);
  const Setup before = person.session().setup();
  REQUIRE(before.sizes.heads > 1);
  person.surface.double_click(person.item("sizes.d_model/value").center());
  person.surface.frames(3);
  person.surface.type(std::to_string(before.sizes.d_model + 1));
  person.surface.key(Key::enter);
  person.surface.settle();
  REQUIRE(person.session().setup().sizes.heads != before.sizes.heads);
  CHECK(person.has_item("sizes.heads/was"));
  CHECK_FALSE(person.has_item("sizes.d_model/was"));
  CHECK(person.app.memory().get<SetupPanelMemory>().adapted.front().was == std::to_string(before.sizes.heads));
  person.click_item("sizes.batch/plus");
  CHECK_FALSE(person.has_item("sizes.heads/was"));
}

TEST_CASE("Save As proposes a name that typing replaces, and keeps its ending") {
  Scripted person(lecture_session());
  person.press({.key = Key::s, .ctrl = true, .shift = true});
  REQUIRE(person.app.memory().opened<PathPrompt>());
  const std::string proposed = person.app.memory().opened<PathPrompt>()->text;
  REQUIRE(proposed.ends_with(".toml"));
  person.type("mine");
  const std::string folder = proposed.substr(0, proposed.rfind('/') + 1);
  CHECK(person.app.memory().opened<PathPrompt>()->text == folder + "mine.headlight.toml");
  person.type("-2");
  CHECK(person.app.memory().opened<PathPrompt>()->text == folder + "mine-2.headlight.toml");
}

TEST_CASE("the words fold to a line and unfold, and the picture gets their room") {
  for (const View view : {View::pipeline, View::heads, View::tokens}) {
    Scripted person(lecture_session("numpy-from-scratch", 5));
    person.session().show(view);
    person.surface.settle();
    person.click_item("story/fold");
    CHECK(words_folded(person.session()));
    CHECK_FALSE(person.has_item("story/fold"));
    person.click_item("unfold");
    CHECK_FALSE(words_folded(person.session()));
    person.session().edit(with_seed(person.session().setup(), 3));
    person.surface.settle();
    CHECK_FALSE(person.has_item("unfold"));  // the words stay where the numbers differ
    person.press(Key::f5);
    CHECK_FALSE(person.has_item("unfold"));  // a slide presents the words
  }
}

TEST_CASE("while the first numbers are computed, none are shown") {
  std::promise<void> gate;
  Session session({}, default_memory_limit, gated(gate.get_future().share()));
  Documents().load_lectures(session);
  session.compute_in_background(0);
  Lesson(session).open("udl-12-2", 5);
  session.begin_blank();
  HeadlightApp app(std::move(session));
  Offscreen surface(app, 1280, 720);
  surface.frames(3);
  CHECK(app.session().state().blank);
  CHECK(surface.items().empty());
  gate.set_value();
  app.session().wait();
  surface.settle();
  CHECK_FALSE(app.session().state().blank);
  CHECK_FALSE(surface.items().empty());
}
