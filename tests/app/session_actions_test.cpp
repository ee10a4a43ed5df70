#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <set>

#include "app/session/actions/actions.hpp"
#include "app/session/actions/finding.hpp"
#include "app/session/checking.hpp"
#include "app/session/export/export_choices.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/snapshot/shared_link.hpp"
#include "app/session/studies/learning.hpp"
#include "app/session/trainer.hpp"
#include "core/engine/engine.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/keys.hpp"
#include "lectures.hpp"

using namespace headlight;
using headlight::testing::small_setup;
using headlight::testing::two_part_lecture;

namespace {

void do_it(Session& session, std::string_view id) {
  const Action* action = action_named(id);
  REQUIRE_MESSAGE(action != nullptr, id);
  REQUIRE_MESSAGE(run(*action, session), id);
}

/// Presses a key; returns whether an action ran.
bool press(const Chord& chord, Session& session) {
  const Action* action = action_for(chord);
  return action != nullptr && run(*action, session);
}

std::string copied(Session& session) {
  const auto requests = session.take_requests();
  REQUIRE(requests.size() == 1);
  return std::get<CopyText>(requests[0]).text;
}

}  // namespace

TEST_CASE("ids, titles and chords are unique, and groups stand together") {
  std::set<std::string_view> ids, titles, finished;
  std::set<std::string> chords;
  std::string_view group;
  for (const Action& action : actions()) {
    CHECK_MESSAGE(ids.insert(action.id).second, action.id);
    CHECK_MESSAGE(titles.insert(action.title).second, action.title);
    for (const Chord& chord : action.chords) {
      // A key may mean one thing in the window and another while presenting, or in a view.
      const std::string where = action.facts.in ? " in " + std::string(to_string(*action.facts.in)) : std::string();
      CHECK_MESSAGE(
          chords.insert(to_string(chord) + (action.facts.presenting ? " while presenting" : "") + where).second,
          to_string(chord));
      CHECK(action_for(chord, action.facts.presenting, action.facts.in) == &action);
      if (action.facts.presenting || action.facts.in) CHECK(action_for(chord) != &action);
    }
    if (action.group == group) continue;
    CHECK_MESSAGE(finished.insert(action.group).second, action.group);
    group = action.group;
  }
  CHECK(action_named("no.such.action") == nullptr);
  CHECK(action_for({.key = Key::f9}) == nullptr);
}

TEST_CASE("presenting covers the screen and comes back, and a remote control walks") {
  Session session;
  REQUIRE(Lesson(session).open(two_part_lecture()).empty());
  const auto present = [&](Key key) {
    const Action* action = action_for({.key = key}, session.display().presentation.presenting);
    return action != nullptr && run(*action, session);
  };
  CHECK_FALSE(run(*action_named("present.next"), session));
  REQUIRE(present(Key::f5));
  CHECK(session.display().presentation.presenting);
  CHECK(session.display().presentation.full_screen);
  for (Key key : {Key::page_down, Key::right, Key::space}) CHECK(present(key));
  CHECK(session.lesson().at.index == 3);
  CHECK_FALSE(present(Key::enter));  // the last step; and no cell is pinned instead
  CHECK_FALSE(session.state().pinned);
  for (Key key : {Key::page_up, Key::left}) CHECK(present(key));
  CHECK(session.lesson().at.index == 1);
  CHECK(present(Key::end));
  CHECK(present(Key::home));
  CHECK(session.lesson().at.index == 0);
  Selecting(session).pin();
  CHECK(present(Key::right));
  CHECK(session.lesson().at.index == 1);  // a pinned cell does not take the remote control's keys
  for (Key key : {Key::b, Key::period}) {
    CHECK(present(key));
    CHECK(session.display().presentation.black);
    CHECK(present(key));
    CHECK_FALSE(session.display().presentation.black);
  }
  CHECK(present(Key::c));
  CHECK(session.display().presentation.pointer_circle);
  CHECK(present(Key::b));
  CHECK(present(Key::escape));
  CHECK(session.display().presentation.presenting);  // only the black screen ended
  CHECK(present(Key::escape));
  CHECK_FALSE(session.display().presentation.presenting);
  CHECK_FALSE(session.display().presentation.full_screen);
  CHECK(present(Key::f11));
  CHECK(present(Key::f5));
  CHECK(present(Key::f5));
  CHECK(session.display().presentation.full_screen);  // as it was before presenting
}

TEST_CASE("arrows step until a cell is pinned, and then move it") {
  Session session;
  REQUIRE(Lesson(session).open(two_part_lecture()).empty());
  CHECK(press({.key = Key::right}, session));
  CHECK(session.lesson().at.index == 1);
  CHECK(press({.key = Key::p}, session));
  CHECK(press({.key = Key::left}, session));
  CHECK(session.lesson().at.index == 1);
  CHECK(session.cell() == Cell{TensorId::weights, {0, 1, 2, 2}});
  CHECK(press({.key = Key::up}, session));
  CHECK(session.cell() == Cell{TensorId::weights, {0, 1, 1, 2}});
  CHECK(press({.key = Key::escape}, session));
  CHECK_FALSE(session.state().pinned);
  CHECK_FALSE(press({.key = Key::escape}, session));
  CHECK(press({.key = Key::page_down}, session));
  CHECK(session.lesson().at.index == 2);
}

TEST_CASE("X is about the cell that is shown, whatever tensor is selected") {
  Session session(small_setup());
  Selecting(session).select_tensor(TensorId::weights);
  Selecting(session).hover(Cell{TensorId::X, {0, 2, 1}});
  CHECK_FALSE(press({.key = Key::x}, session));
  CHECK(session.setup().mask.kinds.empty());
  Selecting(session).hover(std::nullopt);
  Selecting(session).select_tensor(TensorId::X);
  Selecting(session).hover(Cell{TensorId::scores, {0, 1, 2, 3}});
  CHECK(press({.key = Key::x}, session));
  CHECK(is_blocked(session.setup(), 2, 3));
}

TEST_CASE("each view has its key, its action and its word") {
  Session of_task(offered_setup(TaskName::previous));
  of_task.set_model(std::make_shared<const OpenModel>());
  Session of_text(offered_setup(TaskName::text));
  Session of_step;
  Lecture lecture = two_part_lecture();
  lecture.steps.front().picture = SentencePicture{.features = {0}, .rows = {TensorId::weights}};
  REQUIRE(Lesson(of_step).open(lecture).empty());
  for (std::size_t place = 0; place < view_count; ++place) {
    const ViewInfo& view = view_table[place];
    Session& session = view.of_step ? of_step : view.of_text ? of_text : of_task;
    CAPTURE(view.word);
    CHECK(info(view.id).word == view.word);
    CHECK(view_named(view.word) == view.id);
    CHECK(action_named("view." + std::string(view.word))->title == view.title);
    session.show(all_views[(place + 1) % view_count]);
    CHECK(press({.key = static_cast<Key>(static_cast<std::size_t>(Key::digit_1) + place), .ctrl = true}, session));
    CHECK(session.display().view == view.id);
    CHECK_FALSE(view.hints.front().keys.empty());
  }
  CHECK(view_named("nothing") == std::nullopt);
}

TEST_CASE("a view of a task is there once there is a task, and goes with it") {
  Session session(small_setup());
  CHECK_FALSE(action_named("view.learn")->enabled(session));
  session.show(View::learn);
  CHECK(session.display().view == View::pipeline);
  session.edit(with_task(session.wanted(), TaskName::reverse));
  session.show(View::learn);
  CHECK(session.setup() == offered_setup(TaskName::reverse));
  CHECK(session.display().view == View::learn);
  CHECK(session.selection().tensor == TensorId::weights);
  session.undo();
  CHECK(session.display().view == View::pipeline);
}

TEST_CASE("the layer learns by its keys, and the window turns round by G") {
  Session session(offered_setup(TaskName::previous));
  CHECK(press({.key = Key::l}, session));
  CHECK(session.state().training.playing);
  CHECK(press({.key = Key::escape}, session));
  CHECK_FALSE(session.state().training.playing);
  CHECK(press({.key = Key::u}, session));
  CHECK(press({.key = Key::u}, session));
  CHECK(press({.key = Key::u, .shift = true}, session));
  CHECK(trained_steps(session) == 1);
  Selecting(session).select({TensorId::V_heads, 3, 1, 2, 1});
  CHECK(press({.key = Key::g}, session));
  CHECK(session.selection() == Selection{gradient_of(TensorId::V_heads), 3, 1, 2, 1});
  CHECK(press({.key = Key::g}, session));
  CHECK(session.selection() == Selection{TensorId::V_heads, 3, 1, 2, 1});
  run(*action_named("training.reset"), session);
  CHECK(trained_steps(session) == 0);
}

TEST_CASE("ablating a head of a layer that learns keeps its curve, and leaves no trace when it is undone") {
  Session session(offered_setup(TaskName::previous));
  Trainer(session).go_to(100);
  const Setup before = session.setup();
  const Trace trained = session.trace();
  const Course course = *session.state().course;
  const HeadPrice price = head_prices(session.model_trace(), 0)[1];
  const auto check_same_course = [&] {
    REQUIRE(session.state().course->kept.size() >= course.kept.size());
    for (std::size_t i = 0; i < course.kept.size(); ++i)
      CHECK(session.state().course->kept[i]->shown.loss == course.kept[i]->shown.loss);
  };
  Selecting(session).select_head(1);
  CHECK(press({.key = Key::a}, session));
  CHECK(session.setup().is_ablated(1));
  CHECK(trained_steps(session) == 100);
  CHECK(session.setup().values.empty());
  CHECK(verdict_of(session.trace()).loss == doctest::Approx(price.without.loss).epsilon(1e-12));
  CHECK(session.state().course->kept.size() == course.kept.size());
  check_same_course();

  // It goes on learning as it would have.
  Trainer(session).go_to(120);
  check_same_course();
  Setup whole = before;
  whole.training.steps = 120;
  const auto expected = compute_trace(whole);
  for (const TensorId id : learned_tensors(whole)) CHECK(identical(session.trace()[id], (*expected)[id]));

  Trainer(session).go_to(100);
  CHECK(press({.key = Key::a}, session));
  CHECK(session.setup() == before);
  for (const TensorId id : learned_tensors(before)) CHECK(identical(session.trace()[id], trained[id]));
  CHECK(verdict_of(session.trace()).loss == verdict_of(trained).loss);
}

TEST_CASE("a head that the layer has learnt without comes back as it was drawn, and goes again") {
  Setup setup = with_ablated(offered_setup(TaskName::previous), 1, true);
  setup.training.steps = 40;
  Session session(setup);
  const Tensor output_weight = session.trace()[TensorId::W_o];
  Selecting(session).select_head(1);
  CHECK(press({.key = Key::a}, session));
  CHECK(session.setup().attention.ablated_heads.empty());
  CHECK(session.setup().training.without_heads == std::vector<LayerHead>{1});
  CHECK(identical(session.trace()[TensorId::W_o], output_weight));
  CHECK(press({.key = Key::a}, session));
  CHECK(session.setup() == setup);
  // A setup that names the heads is another thing: the layer learns with those that it has.
  session.edit(with_ablated(setup, 1, false));
  CHECK_FALSE(identical(session.trace()[TensorId::W_o], output_weight));
}

TEST_CASE("undo and redo have their keys") {
  Session session(small_setup());
  CHECK_FALSE(press({.key = Key::z, .ctrl = true}, session));
  session.edit(with_seed(session.setup(), 3));
  CHECK(press({.key = Key::z, .ctrl = true}, session));
  CHECK(session.setup() == small_setup());
  CHECK(press({.key = Key::y, .ctrl = true}, session));
  CHECK(first_seed(session.setup()) == 3);
  press({.key = Key::z, .ctrl = true}, session);
  CHECK(press({.key = Key::z, .ctrl = true, .shift = true}, session));
}

TEST_CASE("digits choose heads that exist") {
  Session session(small_setup());
  CHECK(press({.key = Key::digit_1}, session));
  CHECK(session.selection().head == 1);
  CHECK_FALSE(press({.key = Key::digit_2}, session));
  CHECK(press({.key = Key::right_bracket}, session));
  CHECK(session.selection().head == 0);
}

TEST_CASE("the palette and the list of keys open and close, and escape closes them first") {
  Session session(small_setup());
  Selecting(session).pin();
  CHECK(press({.key = Key::k, .ctrl = true}, session));
  CHECK(session.display().overlay == Overlay::palette);
  CHECK(press({.key = Key::f1}, session));
  CHECK(session.display().overlay == Overlay::shortcuts);
  CHECK(press({.key = Key::escape}, session));
  CHECK(session.display().overlay == Overlay::none);
  CHECK(session.state().pinned);
  CHECK(press({.key = Key::escape}, session));
  CHECK_FALSE(session.state().pinned);
}

TEST_CASE("copied numbers are those of the cell that is shown") {
  Session session(small_setup());
  const Cell hovered{TensorId::weights, {0, 1, 2, 3}};
  Selecting(session).hover(hovered);
  do_it(session, "copy.cell");
  CHECK(std::stod(copied(session)) == session.trace().value(hovered));
  do_it(session, "copy.row");
  const std::string row = copied(session);
  CHECK(std::count(row.begin(), row.end(), '\t') == 3);
  CHECK(std::stod(row.substr(row.rfind('\t') + 1)) == session.trace().value(hovered));
  do_it(session, "copy.matrix");
  const std::string matrix = copied(session);
  CHECK(std::count(matrix.begin(), matrix.end(), '\n') == 4);
  CHECK(session.state().notice == "Copied weights");
}

TEST_CASE("a matrix that no clipboard holds is not copied") {
  Setup setup;
  setup.sizes.query_length = 1001;
  Session session(setup);
  Selecting(session).select_tensor(TensorId::scores);
  do_it(session, "copy.matrix");
  CHECK(session.take_requests().empty());
  CHECK(session.state().notice == "scores is too large for the clipboard: export it instead");
}

TEST_CASE("the seed is rolled to another one") {
  Session session(small_setup());
  for (int i = 0; i < 20; ++i) {
    const auto before = first_seed(session.setup());
    do_it(session, "edit.dice");
    CHECK(first_seed(session.setup()) != before);
  }
}

TEST_CASE("what a head asks for and writes is shown where features have names") {
  Session session(small_setup());
  CHECK_FALSE(action_named("head.asks")->enabled(session));
  Setup named = small_setup();
  named.features = std::vector<std::string>(static_cast<std::size_t>(named.sizes.d_model), "feature");
  session.edit(named);
  session.show(View::tokens);  // has no such tensor
  const Action* const action = action_named("head.writes");
  action->facts.menus.run(session, head_target(session, 1));
  CHECK(session.selection().tensor == TensorId::W_vo);
  CHECK(session.selection().head == 1);
  CHECK(session.display().view == View::pipeline);
  session.show(View::heads);
  do_it(session, "head.asks");
  CHECK(session.selection().tensor == TensorId::W_qk);
  CHECK(session.selection().head == 1);
  CHECK(session.display().view == View::heads);
}

TEST_CASE("the selected head is ablated and comes back, and so does one that a menu names") {
  Session session(small_setup());
  Selecting(session).select_head(1);
  do_it(session, "head.ablate");
  CHECK(session.setup().attention.ablated_heads == std::vector<LayerHead>{1});
  CHECK(session.trace()[TensorId::context].at({0, 1, 2, 3}) == 0);
  CHECK(session.state().notice == "head 1 is ablated");
  REQUIRE(run(*action_named("edit.undo"), session));
  CHECK(session.state().notice.empty());  // it would say what is no longer so
  REQUIRE(run(*action_named("edit.redo"), session));
  const Action* const action = action_named("head.ablate");
  const Target other = head_target(session, 0);
  REQUIRE(action->facts.menus.fits(session, other));
  action->facts.menus.run(session, other);
  CHECK(session.setup().attention.ablated_heads == std::vector<LayerHead>{0, 1});
  do_it(session, "head.ablate");
  CHECK(session.setup().attention.ablated_heads == std::vector<LayerHead>{0});
  session.undo();
  session.undo();
  session.undo();
  CHECK(session.setup().attention.ablated_heads.empty());
}

TEST_CASE("masks and biases are switched by their actions") {
  Session session(small_setup());
  do_it(session, "mask.causal");
  do_it(session, "mask.padding");
  CHECK(session.setup().mask.kinds == std::vector{MaskKind::causal, MaskKind::padding});
  do_it(session, "mask.causal");
  CHECK(session.setup().mask.kinds == std::vector{MaskKind::padding});
  do_it(session, "mask.none");
  CHECK_FALSE(action_named("mask.none")->enabled(session));
  do_it(session, "edit.biases");
  CHECK_FALSE(has_biases(session.setup()));
}

TEST_CASE("display actions change the display") {
  Session session(small_setup());
  do_it(session, "theme.toggle");
  CHECK(session.display().appearance.theme == ThemeName::light);
  CHECK_FALSE(session.display().appearance.theme_follows);
  do_it(session, "theme.follow");
  CHECK(session.display().appearance.theme_follows);
  do_it(session, "scale.larger");
  CHECK(session.display().appearance.scale == 1.1);
  do_it(session, "scale.normal");
  CHECK(session.display().appearance.scale == 1);
  do_it(session, "projector");
  CHECK(session.display().projector());
  do_it(session, "projector");
  CHECK_FALSE(session.display().projector());
  do_it(session, "panel.setup");
  CHECK(session.display().appearance.setup_folded);
  do_it(session, "view.tokens");
  CHECK(session.display().view == View::tokens);
  do_it(session, "head.hide");
  CHECK(session.display().heads.hides(0));
  do_it(session, "head.show_all");
  CHECK_FALSE(session.display().heads.hides(0));
}

TEST_CASE("lectures are gone through in their order") {
  Session session(small_setup());
  CHECK_FALSE(action_named("lecture.next")->enabled(session));
  auto one = std::make_shared<Lecture>(two_part_lecture());
  auto two = std::make_shared<Lecture>(two_part_lecture());
  two->id = "two";
  Lesson(session).set_lectures({one, two});
  do_it(session, "lecture.next");
  CHECK(session.lesson().lecture()->id == "two-parts");
  do_it(session, "lecture.next");
  CHECK(session.lesson().lecture()->id == "two");
  CHECK_FALSE(action_named("lecture.next")->enabled(session));
  do_it(session, "lecture.previous");
  CHECK(session.lesson().lecture()->id == "two-parts");
}

TEST_CASE(
    "a thing's menu holds what can be done to it, in the order of the parts, and each entry does it to the thing") {
  Session session(small_setup());
  Checking(session).set_reference();
  Selecting(session).select_tensor(TensorId::scores);
  const Target cell{TargetKind::cell, {.tensor = TensorId::scores, .head = 1, .row = 2, .column = 3}};
  const Target targets[] = {cell, head_target(session, 1), token_target(session, 2, true),
                            token_target(session, 2, false), tensor_target(session, TensorId::V_heads, 1)};
  for (const Target& target : targets) {
    CAPTURE(words_of(target, session.setup()));
    const auto entries = menu_of(session, target);
    std::set<MenuPart> parts;
    for (const Action* entry : entries) parts.insert(entry->facts.menus.part);
    for (MenuPart part : {MenuPart::explain, MenuPart::copy, MenuPart::pin, MenuPart::export_as, MenuPart::compare})
      CHECK(parts.contains(part));
    CHECK(std::is_sorted(entries.begin(), entries.end(),
                         [](const Action* a, const Action* b) { return a->facts.menus.part < b->facts.menus.part; }));
    const Selection before = session.selection();
    for (const Action* entry : entries) {
      CAPTURE(entry->id);
      Selecting(session).select(before);
      Selecting(session).release();
      session.show(View::pipeline);
      const Setup setup = session.setup();
      CHECK(run(*entry, session, target));
      session.take_requests();
      if (session.setup() != setup) session.undo();
      Checking(session).set_reference();
    }
    Selecting(session).select(before);
  }
  const Selection selected = session.selection();
  CHECK(run(*action_named("copy.cell"), session, cell));
  CHECK(std::stod(copied(session)) == session.trace().value({TensorId::scores, {0, 1, 2, 3}}));
  CHECK(session.selection() == selected);
  CHECK(run(*action_named("mask.key"), session, targets[2]));
  CHECK(session.setup().mask.blocked.size() == 4);
  CHECK(is_blocked(session.setup(), 0, 2));
  const Target of_x{TargetKind::cell, {.tensor = TensorId::X}};
  CHECK_FALSE(run(*action_named("mask.cell"), session, of_x));
  for (const Action* entry : menu_of(session, of_x)) CHECK(entry->facts.menus.part != MenuPart::hide);
}

TEST_CASE("state A is kept and forgotten") {
  Session session(small_setup());
  CHECK_FALSE(action_named("compare.clear")->enabled(session));
  CHECK(press({.key = Key::c}, session));
  CHECK(session.state().checking.reference == session.state().layers);
  do_it(session, "compare.clear");
  CHECK(session.state().checking.reference.empty());
}

TEST_CASE("what is shown is copied as lines of Python") {
  Session session(small_setup());
  do_it(session, "file.copy_python");
  CHECK(copied(session) == python_lines(session));
}

TEST_CASE("the shell is asked for pictures and files") {
  Session session(small_setup());
  CHECK(press({.key = Key::f12}, session));
  CHECK(press({.key = Key::s}, session));
  do_it(session, "export.numbers");
  CHECK(press({.key = Key::n, .ctrl = true}, session));
  CHECK(press({.key = Key::menu}, session));
  do_it(session, "quit");
  CHECK(session.take_requests() == std::vector<Request>{TakeScreenshot{}, TakeScreenshot{},
                                                        OpenExport{ExportWhat::numbers}, OpenStart{}, OpenMenu{},
                                                        Quit{}});
}

TEST_CASE("typed words find what has all of them, at the beginning of words best, and no scattered letters") {
  CHECK(match_quality("", {"Undo"}) > 0);
  CHECK(match_quality("ksam", {"Causal mask"}) == 0);
  CHECK(match_quality("csl", {"Causal mask"}) == 0);
  CHECK(match_quality("cm", {"Causal mask"}) == 0);
  CHECK(match_quality("reset", {"Representations that are set"}) == 0);
  CHECK(match_quality("CAUSAL", {"Causal mask"}) == match_quality("causal", {"Causal mask"}));
  CHECK(match_quality("mask causal", {"Causal mask"}) > 0);
  CHECK(match_quality("causal mask", {"Causal mask"}) > match_quality("mask causal", {"Causal mask"}));
  CHECK(match_quality("causal masks", {"Causal mask"}) > 0);
  CHECK(match_quality("cau", {"Causal mask"}) > match_quality("cau", {"Because all"}));
  CHECK(match_quality("how do I mask the future", {"Causal mask", "future"}) > 0);
  CHECK(match_quality("how", {"Causal mask", "future"}) == 0);
  CHECK(match_quality("mask", {"Causal mask"}) > match_quality("mask", {"Hidden", "mask"}));
  CHECK(match_quality("mask", {"Hidden", "mask"}) > match_quality("mask", {"Hidden", {}, "a mask"}));
  CHECK(match_quality("ask", {"Hidden", {}, "a mask"}) == 0);
}

TEST_CASE("the words around what was found are those of its line, from its sentence on") {
  CHECK(found_words("river", "One word. The river flows.\nMore") == "The river flows.");
  CHECK(found_words("lake", "One word. The river flows.") == "");
  CHECK(found_words("the end", "This is a very long line of words that says nothing until it comes to the end.")
            .starts_with("…"));
}

TEST_CASE("other words belong to something that can be found") {
  for (const OtherWords& other : other_words()) {
    CAPTURE(other.name);
    CHECK((action_named(other.name) != nullptr || tensor_named(other.name) || setup_entry(other.name) != nullptr));
    CHECK(std::ranges::count(other_words(), other.name, &OtherWords::name) == 1);
  }
}
