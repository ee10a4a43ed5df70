// Lessons in the session: steps that set, links that do something, questions that hide and answer.
#include <doctest/doctest.h>

#include <filesystem>
#include <memory>

#include "app/session/course.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/session/state/marks.hpp"
#include "app/session/state/step_words.hpp"
#include "core/formats/files.hpp"
#include "core/formats/lecture/lecture_file.hpp"

using namespace headlight;

namespace {

const std::string front = R"lesson(+++
title = "A lesson"
[setup]
tokens = ["The", "cat", "sat"]
[setup.sizes]
query_length = 3
[setup.random]
draws = ["seed 1", "X normal", "W_q normal", "W_k normal", "W_v normal"]
+++
)lesson";

const std::string text = front + R"lesson(## Asks
```step
cell = "weights[0,1,2,0]"
```
Whom?
```question
ask = "Whom does sat look at?"
cells = "weights[0,1,2]"
answer = "argmax(weights[0,1,2])"
```
## Sets
```step
set = ["attention.temperature=2"]
compare = true
```
Twice as warm.
## Predicts
```step
view = "heads"
```
Warmer?
```question
ask = "And now?"
choices = ["smaller", "larger"]
answer = "max(weights) > was(max(weights))"
set = ["attention.temperature=4"]
```
)lesson";

Session opened() {
  Session session;
  REQUIRE(Lesson(session).open(parse_lecture(text, "a.md", "a", lecture_views())).empty());
  return session;
}

}  // namespace

TEST_CASE("a question hides what it asks about until its answer shows") {
  Session session = opened();
  REQUIRE(session.lesson().question() != nullptr);
  const Cell asked{TensorId::weights, {0, 1, 2, 1}};
  CHECK(session.lesson().hides(asked, session.setup()));
  CHECK_FALSE(session.lesson().hides({TensorId::weights, {0, 1, 1, 1}}, session.setup()));
  CHECK_FALSE(answer_of(session));
  Selecting(session).pin(asked);
  CHECK(session.lesson().answer_state().guess == 1);
  Lesson(session).show_answer();
  CHECK_FALSE(session.lesson().hides(asked, session.setup()));
  REQUIRE(answer_of(session));
  const double best = session.trace().value({TensorId::weights, {0, 1, 2, static_cast<Index>(*answer_of(session))}});
  for (Index key = 0; key < 3; ++key) CHECK(session.trace().value({TensorId::weights, {0, 1, 2, key}}) <= best);
  Selecting(session).pin({TensorId::weights, {0, 1, 2, 0}});
  CHECK(session.lesson().answer_state().guess == 1);  // the answer shows: a click is no guess any more
}

TEST_CASE("nobody has to answer, and what was said is there when one comes back") {
  Session session = opened();
  Lesson(session).guess(2);
  Lesson(session).show_hint();
  Lesson(session).step_by(1);
  CHECK(session.lesson().at.index == 1);
  CHECK_FALSE(session.lesson().asks());
  Lesson(session).step_by(-1);
  CHECK(session.lesson().asks());
  CHECK(session.lesson().answer_state().guess == 2);
  CHECK(session.lesson().answer_state().hint);
  Lesson(session).show_answer();
  Lesson(session).step_by(1);
  Lesson(session).step_by(-1);
  CHECK(answer_of(session));
  Lesson(session).ask_again();
  CHECK(session.lesson().asks());
  CHECK(session.lesson().answer_state() == AnswerState{});
  Lesson(session).guess(1);
  Lesson(session).restart();
  CHECK(session.lesson().answer_state() == AnswerState{});
}

TEST_CASE("an answer that has set something does not show when one comes back, and can be shown again") {
  Session session = opened();
  Lesson(session).go_to(2);
  Lesson(session).guess(1);
  Lesson(session).show_answer();
  const auto answer = answer_of(session);
  Lesson(session).go_to(0);
  CHECK(session.setup().attention.temperature == 1);
  Lesson(session).go_to(2);
  CHECK(session.lesson().asks());
  CHECK(session.lesson().answer_state().guess == 1);
  Lesson(session).show_answer();
  CHECK(session.setup().attention.temperature == 4);
  CHECK(session.state().checking.reference.first().setup.attention.temperature == 1);
  CHECK(answer_of(session) == answer);
  Lesson(session).ask_again();
  CHECK(session.setup().attention.temperature == 1);
  CHECK(session.lesson().asks());
}

TEST_CASE("a step shows what it sets beside its part's state, for itself alone") {
  Session session = opened();
  Lesson(session).go_to(1);
  CHECK(session.setup().attention.temperature == 2);
  CHECK(session.display().view == View::compare);
  REQUIRE_FALSE(session.state().checking.reference.empty());
  CHECK(session.state().checking.reference.first().setup.attention.temperature == 1);
  CHECK(session.changes().empty());
  CHECK_FALSE(words_folded(session));
  Lesson(session).go_to(2);
  CHECK(session.setup().attention.temperature == 1);
  CHECK(session.display().view == View::heads);
  Lesson(session).go_to(0);
  CHECK(session.display().view == View::pipeline);
  session.undo();
  CHECK(session.lesson().at.index == 1);
  CHECK(session.setup().attention.temperature == 2);
}

TEST_CASE("a person's own edits stay between steps with the same setup, and not where a step sets another") {
  Session session = opened();
  Setup own = session.setup();
  own.attention.dropout = 0.5;
  REQUIRE(session.edit(own).empty());
  Lesson(session).go_to(2);
  CHECK(session.setup().attention.dropout == 0.5);
  Lesson(session).go_to(1);
  CHECK(session.setup().attention.dropout == 0);
}

TEST_CASE("a question that sets something does so before it answers, and can be undone") {
  Session session = opened();
  Lesson(session).go_to(2);
  Lesson(session).guess(1);
  Lesson(session).show_answer();
  CHECK(session.setup().attention.temperature == 4);
  CHECK(session.state().checking.reference.first().setup.attention.temperature == 1);
  CHECK(answer_of(session) == 0);
  CHECK_FALSE(words_folded(session));
  session.undo();
  CHECK(session.setup().attention.temperature == 1);
}

TEST_CASE("a link sets, and a second time takes back") {
  Session session = opened();
  Setup own = session.setup();
  own.attention.dropout = 0.5;
  session.edit(own);
  const Link link = *parse_link("set:attention.scale=none");
  CHECK_FALSE(is_set(session, link));
  CHECK(Lesson(session).follow(link).empty());
  CHECK(is_set(session, link));
  CHECK(session.state().checking.reference.first().setup == own);
  CHECK_FALSE(words_folded(session));
  CHECK(Lesson(session).follow(link).empty());
  CHECK(session.setup() == own);
  Lesson(session).follow(*parse_link("compare:attention.scale=none"));
  CHECK(session.display().view == View::compare);
  Lesson(session).follow(*parse_link("reset:"));
  CHECK(session.changes().empty());
}

TEST_CASE("links select, open and step; one that no longer fits says why") {
  Session session = opened();
  Lesson(session).follow(*parse_link("select:scores[0,0,1,1]"));
  CHECK(session.cell() == Cell{TensorId::scores, {0, 0, 1, 1}});
  Lesson(session).follow(*parse_link("select:V"));
  CHECK(session.selection().tensor == TensorId::V);
  Lesson(session).follow(*parse_link("open:tokens"));
  CHECK(session.display().view == View::tokens);
  Lesson(session).follow(*parse_link("step:3"));
  CHECK(session.lesson().at.index == 2);
  CHECK_FALSE(Lesson(session).follow(*parse_link("select:scores[0,0,9,1]")).empty());
  CHECK_FALSE(session.state().problems.empty());
  CHECK_FALSE(Lesson(session).follow(*parse_link("lecture:none")).empty());
}

TEST_CASE("the badge says that one loss matches") {
  const std::string told = R"lesson(+++
title = "A task"
[setup.sizes]
d_model = 8
[setup.task]
name = "previous"
[setup.random]
draws = ["seed 0", "W_q normal", "W_k normal", "W_v normal", "W_o normal"]
[[facts]]
tensor = "loss"
at = [0, 0]
decimals = 2
values = "0.00"
+++
## Nothing is asked first
```step
cell = "loss[0,0]"
```
So the loss is 0.
)lesson";
  Session session;
  REQUIRE(Lesson(session).open(parse_lecture(told, "a.md", "a", lecture_views())).empty());
  CHECK(badge_of(session).text.starts_with("loss matches"));
}

TEST_CASE("what a link would read is read when somebody clicks on it") {
  const auto folder = std::filesystem::temp_directory_path() / "headlight-session-link";
  std::filesystem::create_directories(folder);
  write_file(folder / "b.csv", "these are not numbers");
  Session session;
  REQUIRE(Lesson(session).open(parse_lecture(text, "a.md", "a", lecture_views(), folder)).empty());
  const Link link = *parse_link("set:values.X=\"b.csv\"");
  CHECK_FALSE(is_set(session, link));
  CHECK_FALSE(Lesson(session).follow(link).empty());
  write_file(folder / "b.csv", "1,2,3,4,5,6,7,8\n8,7,6,5,4,3,2,1\n0,1,0,1,0,1,0,1\n");
  CHECK_FALSE(is_set(session, link));
  CHECK(Lesson(session).follow(link).empty());
  CHECK(session.setup().values.has(TensorId::X));
  CHECK(is_set(session, link));
  CHECK_FALSE(Lesson(session).follow(*parse_link("set:values.b_k=\"/proc/self/environ.csv\"")).empty());
  std::filesystem::remove_all(folder);
}

TEST_CASE("the words of a step are filled in once for each state that they are about") {
  Session session = opened();
  CHECK(Session().step_words() == nullptr);
  const auto words = session.step_words();
  REQUIRE(words);
  CHECK(plain_text(words->narration) == "Whom?");
  CHECK(words->question->choices.size() == 3);
  session.show(View::heads);
  session.set_display({});
  CHECK(session.step_words() == words);
  Lesson(session).guess(1);
  const auto guessed = session.step_words();
  CHECK(guessed != words);
  CHECK(guessed->question->guess == 1);
  CHECK_FALSE(guessed->question->answer);
  Setup warmer = session.setup();
  warmer.attention.temperature = 3;
  REQUIRE(session.edit(warmer).empty());
  CHECK(session.step_words() != guessed);
  Lesson(session).show_answer();
  CHECK(session.step_words()->question->answer == answer_of(session));
  Lesson(session).go_to(1);
  CHECK(plain_text(session.step_words()->narration) == "Twice as warm.");
  CHECK_FALSE(session.step_words()->question);
  const auto told = session.step_words();
  warmer = session.setup();
  warmer.attention.temperature = 3;
  REQUIRE(session.edit(warmer).empty());
  CHECK(session.step_words() == told);
  Lesson(session).close();
  CHECK(session.step_words() == nullptr);
}

// --- A second try, and what is remembered ----------------------------------------------------------------------------

namespace {

const std::string tries = front + R"lesson(## Chooses
```question
ask = "How many rows?"
choices = ["two", "three", "four"]
answer = "'three' if query_length == 3 else 'two'"
right = "A row for each word."
wrong = { two = "You left one out.", four = "There are {answer:d} too few for that." }
```
## Sets
```question
ask = "And now?"
choices = ["smaller", "larger"]
answer = "max(weights) > was(max(weights))"
wrong = "From {was(max(weights)):.3f} to {max(weights):.3f}."
set = ["attention.temperature=4"]
```
## Types
```question
ask = "What share do equal scores get?"
within = 0.02
format = ".0%"
answer = "1 / key_length"
wrong = "Shares add up to {sum(weights[0,0,0]):.0%}."
```
)lesson";

Session trying(std::size_t step) {
  Session session;
  const auto lecture = std::make_shared<const Lecture>(parse_lecture(tries, "tries.md", "tries", lecture_views()));
  REQUIRE(Lesson(session).set_lectures({lecture}).empty());
  REQUIRE(Lesson(session).open("tries", step).empty());
  return session;
}

AskedQuestion asked_in(const Session& session) { return *session.step_words()->question; }

StepMark mark_at(const Session& session, std::size_t step) {
  const auto& marks = session.state().marks->at("tries");
  return step < marks.size() ? marks[step] : StepMark::none;
}

}  // namespace

TEST_CASE("a first wrong guess gets its words and a second try, and then the answer shows") {
  Session session = trying(0);
  Lesson(session).guess(0);
  Lesson(session).check_guess();
  CHECK(session.lesson().asks());
  CHECK(session.lesson().answer_state().missed == 0);
  CHECK_FALSE(session.lesson().answer_state().guess);
  CHECK(asked_in(session).missed_words == "Not “two”");
  CHECK(plain_text(asked_in(session).about_miss) == "You left one out.");
  Lesson(session).guess(0);  // the same again is no guess
  CHECK_FALSE(session.lesson().answer_state().guess);
  Lesson(session).guess(1);
  Lesson(session).check_guess();
  CHECK_FALSE(session.lesson().asks());
  CHECK(asked_in(session).guess_words.empty());
  CHECK(asked_in(session).answer_words == "three");
  CHECK(mark_at(session, 0) == StepMark::second_try);
}

TEST_CASE("words that tell the answer wait for it") {
  Session session = trying(0);
  Lesson(session).guess(2);
  Lesson(session).check_guess();
  CHECK(asked_in(session).missed_words == "Not “four”");
  CHECK(asked_in(session).about_miss.empty());
  Lesson(session).check_guess();  // without a second guess
  CHECK(asked_in(session).guess_words == "Not “four”");
  CHECK(plain_text(asked_in(session).why).starts_with("There are 1 too few"));
  CHECK(mark_at(session, 0) == StepMark::shown);
}

TEST_CASE("a guess about what the answer sets is judged without setting it") {
  for (const bool in_background : {false, true}) {
    Session session = trying(1);
    if (in_background) session.compute_in_background(0);
    const auto steps_back = session.undo_words();
    Lesson(session).guess(1);
    Lesson(session).check_guess();
    session.wait(60);
    CHECK(session.lesson().asks());
    CHECK(session.lesson().answer_state().missed == 1);
    CHECK(session.setup().attention.temperature == 1);
    CHECK(session.undo_words() == steps_back);
    const double before = session.trace().value({TensorId::weights, {0, 0, 0, 0}});
    CHECK(plain_text(asked_in(session).about_miss).starts_with("From "));
    Lesson(session).guess(0);
    Lesson(session).check_guess();
    session.wait(60);
    CHECK_FALSE(session.lesson().asks());
    CHECK(session.setup().attention.temperature == 4);
    CHECK(session.trace().value({TensorId::weights, {0, 0, 0, 0}}) != before);
    CHECK(mark_at(session, 1) == StepMark::second_try);
  }
}

TEST_CASE("a typed number answers in percent, with the digits that matter") {
  Session session = trying(2);
  const Question& question = *session.lesson().question();
  for (const char* typed : {"34", "34%", "34 %", "34,0"}) CHECK(typed_guess(question, typed) == 0.34);
  Lesson(session).guess(0.5);
  Lesson(session).check_guess();
  CHECK(asked_in(session).missed_words == "Not 50 %");
  CHECK(plain_text(asked_in(session).about_miss).starts_with("Shares add up to 100"));
  Lesson(session).guess(0.34);
  Lesson(session).check_guess();
  CHECK(asked_in(session).answer_words.starts_with("33"));
  CHECK(mark_at(session, 2) == StepMark::second_try);
}

TEST_CASE("a lecture that is open is opened again without comparing its facts again") {
  Session session = trying(0);
  session.compute_in_background(0);
  CHECK(Lesson(session).open(session.lectures().front(), 1).empty());
  CHECK(session.wanted_step().index == 1);
  CHECK_FALSE(session.wanted_step().is_unchecked());
  CHECK(Lesson(session).open(*session.lectures().front(), 1).empty());  // a copy may be of another text
  CHECK(session.wanted_step().is_unchecked());
}

TEST_CASE("a button that goes on names the step, unless that is the first") {
  NextLesson next{.lecture = trying(0).lectures().front(), .kind = NextLesson::Kind::going};
  CHECK(words_of(next) == "Continue");
  next.step = 1;
  CHECK(words_of(next) == "Continue at step 2");
}

TEST_CASE("what was seen and answered is marked, the first answer counts, and a restart forgets") {
  Session session = trying(0);
  CHECK(mark_at(session, 0) == StepMark::seen);
  Lesson(session).guess(1);
  Lesson(session).check_guess();
  CHECK(mark_at(session, 0) == StepMark::first_try);
  Lesson(session).ask_again();
  Lesson(session).show_answer();
  CHECK(mark_at(session, 0) == StepMark::first_try);
  Lesson(session).go_to(2);
  const Lecture& lecture = *session.lectures().front();
  LectureProgress progress = progress_in(lecture, *session.state().marks);
  CHECK(progress.seen == 2);
  CHECK(progress.answered == 1);
  CHECK_FALSE(progress.done());
  CHECK(step_to_go_on_at(lecture, *session.state().marks) == 1);  // the last step was seen, and this one left out
  CHECK(short_words_of(progress) == "2 of 3 steps");
  Lesson(session).restart();
  progress = progress_in(lecture, *session.state().marks);
  CHECK(progress.seen == 1);
  CHECK(progress.answered == 0);
  CHECK(step_to_go_on_at(lecture, *session.state().marks) == 0);  // a first step that only shows is no beginning
  Lesson(session).guess(1);
  Lesson(session).check_guess();
  CHECK(step_to_go_on_at(lecture, *session.state().marks) == 1);
}

TEST_CASE("the last step says how many questions were answered, and the second tries only if there were any") {
  LectureProgress progress{.steps = 12, .seen = 12, .questions = 8, .answered = 3, .first_try = 3};
  CHECK(words_of(progress) == "You have seen all 12 steps. You answered 3 of 8 questions at the first try.");
  progress.second_try = 2;
  CHECK(words_of(progress).ends_with("You answered 3 of 8 questions at the first try, 2 at the second."));
  CHECK(words_of({.steps = 2, .seen = 2, .questions = 1, .first_try = 1})
            .ends_with("You answered its question at the first try."));
  CHECK(words_of({.steps = 2, .seen = 2, .questions = 1}).ends_with("You answered 0 of 1 question at the first try."));
}
