// Nothing surprises: what the session keeps still while the user edits, steps and undoes.
#include <doctest/doctest.h>

#include <algorithm>

#include "app/session/actions/actions.hpp"
#include "app/session/display/display_entries.hpp"
#include "app/session/export/export_job.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "core/formats/files.hpp"
#include "core/formats/lecture/lecture_file.hpp"
#include "core/setup/edits.hpp"
#include "lectures.hpp"

using namespace headlight;
using headlight::testing::in_lecture;
using headlight::testing::small_setup;
using headlight::testing::two_part_lecture;

namespace {

bool does(Session& session, Key key) {
  const Action* const action = action_for({.key = key}, false);
  return action != nullptr && run(*action, session);
}

}  // namespace

TEST_CASE("a setup that is small for a while moves the selection for no longer") {
  Session session(small_setup());
  Selecting(session).pin(Cell{TensorId::scores, {0, 1, 2, 3}});
  const Setup setup = session.setup();
  for (const char* typed : {"I", "I am", "I am a", "I am a cat"}) {
    session.edit(with_sentence(setup, typed), "tokens");
    CHECK(contains(session.setup(), session.cell()));
  }
  CHECK(session.cell() == Cell{TensorId::scores, {0, 1, 2, 3}});
  session.edit(with_heads(session.setup(), 1));
  CHECK(session.cell() == Cell{TensorId::scores, {0, 0, 2, 3}});
  session.undo();
  CHECK(session.cell() == Cell{TensorId::scores, {0, 1, 2, 3}});
  session.edit(with_heads(session.setup(), 1));
  Selecting(session).move(Direction::up);  // what is chosen meanwhile counts
  session.undo();
  CHECK(session.cell() == Cell{TensorId::scores, {0, 0, 1, 3}});
}

TEST_CASE("an edit while a lecture plays stops the playing") {
  for (const char* id : {"edit.dice", "edit.undo", "mask.causal"}) {
    CAPTURE(id);
    Session session = in_lecture();
    session.edit(with_seed(session.setup(), 5));
    Lesson(session).set_playing(true);
    REQUIRE(session.lesson().playing);
    REQUIRE(action_named(id) != nullptr);
    run(*action_named(id), session);
    CHECK_FALSE(session.lesson().playing);
  }
  Session session = in_lecture();
  Lesson(session).set_playing(true);
  session.edit(session.setup());  // nothing new
  Selecting(session).pin();
  CHECK(session.lesson().playing);
}

TEST_CASE("every step shows the same from whichever side one comes") {
  for (const auto& path : lecture_files(HEADLIGHT_LECTURES)) {
    CAPTURE(path.string());
    Session session;
    REQUIRE(Lesson(session).open(read_lecture(path, lecture_views())).empty());
    std::vector<std::pair<Selection, View>> seen;
    const auto now = [&] { return std::pair(session.selection(), session.display().view); };
    for (seen.push_back(now()); can_step(session, 1); seen.push_back(now())) Lesson(session).step_by(1);
    const auto is_as_before = [&] { return now() == seen[session.lesson().at.index]; };
    while (can_step(session, -1)) {
      session.show(View::compare);  // and whatever was looked at meanwhile
      Selecting(session).select({.tensor = TensorId::X, .row = 1});
      Lesson(session).step_by(-1);
      CHECK(is_as_before());
    }
    Lesson(session).go_to(seen.size() - 1);
    CHECK(is_as_before());
    Lesson(session).open(Lecture(*session.lesson().lecture()), seen.size() / 2);
    CHECK(is_as_before());
  }
}

TEST_CASE("a mask that is painted and wiped off again is no change, and neither is what has no effect") {
  Session session = in_lecture();
  REQUIRE(session.setup().mask.kinds.empty());
  session.edit(with_blocked(session.setup(), 0, 1, true));
  CHECK_FALSE(session.changes().empty());
  session.edit(with_blocked(session.setup(), 0, 1, false));
  CHECK(session.changes().empty());
  CHECK(badge_of(session).kind != Badge::Kind::setup_differs);
  session.edit(with_blocked(session.setup(), 0, 1, true));
  session.edit(with_mask_kind(session.setup(), MaskKind::custom, false));  // keeps what was painted
  CHECK(session.changes().empty());
  Setup idle = session.setup();
  idle.mask.window = 3;
  session.edit(idle);
  CHECK(session.changes().empty());
  session.edit(with_mask_kind(session.setup(), MaskKind::window, true));
  CHECK_FALSE(session.changes().empty());

  Setup painted = small_setup();
  painted.mask.kinds = {MaskKind::causal, MaskKind::custom};
  painted.mask.blocked = {{0, 1}, {2, 1}};
  Setup other = painted;
  std::reverse(other.mask.kinds.begin(), other.mask.kinds.end());
  std::reverse(other.mask.blocked.begin(), other.mask.blocked.end());
  CHECK(changes(painted, other).empty());
  other.mask.blocked.pop_back();
  CHECK(changes(painted, other).size() == 1);
}

TEST_CASE("the key of a head is its number") {
  Session session(small_setup());
  Selecting(session).select_head(1);
  CHECK(does(session, Key::digit_0));
  CHECK(session.selection().head == 0);
  CHECK(does(session, Key::digit_1));
  CHECK(session.selection().head == 1);
  CHECK_FALSE(does(session, Key::digit_2));
  for (int head = 0; head < 10; ++head) {
    const Action* const action = action_named("head." + std::to_string(head));
    REQUIRE(action != nullptr);
    CHECK(action->title == "Head " + std::to_string(head));
    CHECK(action->chords.front().key == static_cast<Key>(static_cast<int>(Key::digit_0) + head));
  }
}

TEST_CASE("a lecture's words stay whatever is changed, and fold away when the reader likes") {
  Session session = in_lecture();
  CHECK_FALSE(words_folded(session));
  session.edit(with_number(session.setup(), {TensorId::X, {0, 0, 0}}, 3));
  CHECK_FALSE(words_folded(session));  // the picture stands still under the pointer that drags its number
  session.edit(with_seed(session.setup(), 5));
  CHECK_FALSE(words_folded(session));
  const Action& fold = *action_named("words.fold");
  CHECK(run(fold, session));
  CHECK(words_folded(session));
  session.edit(with_seed(session.setup(), 6));
  CHECK(words_folded(session));
  CHECK(window_settings(session.display()) == std::vector<std::string>{"words=folded"});
  CHECK(with_display_settings({}, window_settings(session.display())).words == WordsFold::folded);
  CHECK(run(fold, session));
  CHECK_FALSE(words_folded(session));
  Lesson(session).fold_words(true);
  Lesson(session).close();
  CHECK(words_folded(session));
  Lesson(session).fold_words(false);
  CHECK_FALSE(words_folded(session));
}

TEST_CASE("a lecture of the course is a lesson, and each lecture remembers whether the workbench was open") {
  Session session;
  Lecture course = two_part_lecture();
  course.id = "course";
  course.list_position.group = LectureGroup::course;
  Lecture notebook = two_part_lecture();
  notebook.id = "notebook";
  notebook.list_position.group = LectureGroup::notebook;
  CHECK_FALSE(in_lesson_mode(session));
  CHECK_FALSE(action_named("workbench")->enabled(session));
  REQUIRE(Lesson(session).open(course, 2).empty());
  CHECK(in_lesson_mode(session));
  session.edit(with_seed(session.setup(), 5));
  const SessionState before = session.state();
  CHECK(does(session, Key::w));
  CHECK_FALSE(in_lesson_mode(session));
  CHECK(session.lesson() == before.lesson);
  CHECK(session.state().selection == before.selection);
  CHECK(session.setup() == before.trace->setup);
  REQUIRE(Lesson(session).open(notebook).empty());
  CHECK_FALSE(in_lesson_mode(session));
  CHECK(does(session, Key::w));
  CHECK(in_lesson_mode(session));
  REQUIRE(Lesson(session).open(course).empty());
  CHECK_FALSE(in_lesson_mode(session));
  CHECK(does(session, Key::w));
  CHECK(in_lesson_mode(session));
  session.set_display(with_presenting(session.display(), true));
  CHECK_FALSE(in_lesson_mode(session));
  session.set_display(with_presenting(session.display(), false));
  Session later;
  Lesson(later).add_modes(*session.state().modes);
  REQUIRE(Lesson(later).open(notebook).empty());
  CHECK(in_lesson_mode(later));
}

TEST_CASE("a display that says so is a lesson or the workbench, until the person chooses") {
  Session session = in_lecture();
  CHECK_FALSE(in_lesson_mode(session));
  session.set_display(with_display_settings(session.display(), std::vector<std::string>{"mode=lesson"}));
  CHECK(in_lesson_mode(session));
  CHECK(does(session, Key::w));
  CHECK_FALSE(in_lesson_mode(session));
  CHECK(session.display().mode == WindowMode::automatic);
}

TEST_CASE("the command for an equation names its number") {
  Session session(small_setup());
  Selecting(session).select(at_cell(session.selection(), Cell{TensorId::scores, {0, 1, 2, 1}}, session.setup()));
  ExportChoices choices;
  choices.what = ExportWhat::equation;
  const auto arguments = command_of(export_job(session, choices, "", {}, {}), {}, "f.png");
  const auto option = std::find(arguments.begin(), arguments.end(), "--cell");
  REQUIRE(option != arguments.end());
  CHECK(*std::next(option) == "scores[0,1,2,1]");
}

TEST_CASE("before the first numbers are there, the stand-in is called one") {
  Session session;
  session.begin_blank();
  CHECK_FALSE(session.state().blank);  // nothing else is on its way: what there is counts
  session.compute_in_background(0);
  session.edit(small_setup());
  session.begin_blank();
  CHECK(session.state().blank);
  session.wait();
  CHECK_FALSE(session.state().blank);
  CHECK(session.setup() == small_setup());
  session.edit(with_seed(session.setup(), 9));
  CHECK_FALSE(session.state().blank);  // from now on the last complete state shows

  Session stopped;
  stopped.compute_in_background(0);
  stopped.edit(small_setup());
  stopped.begin_blank();
  stopped.stop_computing();
  CHECK_FALSE(stopped.state().blank);
}
