// Lessons in the session: steps that set, links that do something, questions that hide and answer.
#include <doctest/doctest.h>

#include "app/session/session.hpp"
#include "core/formats/lecture/lecture_file.hpp"

using namespace headlight;

namespace {

const std::string text = R"lesson(+++
title = "A lesson"
[setup]
tokens = ["The", "cat", "sat"]
[setup.sizes]
query_length = 3
[setup.random]
draws = ["seed 1", "X normal", "W_q normal", "W_k normal", "W_v normal"]
+++
## Asks
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
  REQUIRE(session.open_lecture(parse_lecture(text, "a.md", "a", lecture_views())).empty());
  return session;
}

}  // namespace

TEST_CASE("a question hides what it asks about until its answer shows") {
  Session session = opened();
  REQUIRE(session.question() != nullptr);
  const Cell asked{TensorId::weights, {0, 1, 2, 1}};
  CHECK(session.hides(asked));
  CHECK_FALSE(session.hides({TensorId::weights, {0, 1, 1, 1}}));
  CHECK_FALSE(session.answer());
  session.pin(asked);
  CHECK(session.answering().guess == 1);
  session.show_answer();
  CHECK_FALSE(session.hides(asked));
  REQUIRE(session.answer());
  const double best = session.trace().value({TensorId::weights, {0, 1, 2, static_cast<Index>(*session.answer())}});
  for (Index key = 0; key < 3; ++key) CHECK(session.trace().value({TensorId::weights, {0, 1, 2, key}}) <= best);
  session.pin({TensorId::weights, {0, 1, 2, 0}});
  CHECK(session.answering().guess == 1);  // the answer shows: a click is no guess any more
}

TEST_CASE("nobody has to answer, and what was said is there when one comes back") {
  Session session = opened();
  session.guess(2);
  session.show_hint();
  session.step_by(1);
  CHECK(session.state().step == 1);
  CHECK_FALSE(session.asks());
  session.step_by(-1);
  CHECK(session.asks());
  CHECK(session.answering().guess == 2);
  CHECK(session.answering().hint);
  session.show_answer();
  session.step_by(1);
  session.step_by(-1);
  CHECK(session.answer());
  session.ask_again();
  CHECK(session.asks());
  CHECK(session.answering() == Answering{});
  session.guess(1);
  session.restart_lecture();
  CHECK(session.answering() == Answering{});
}

TEST_CASE("an answer that has set something does not show when one comes back, and can be shown again") {
  Session session = opened();
  session.go_to_step(2);
  session.guess(1);
  session.show_answer();
  const auto answer = session.answer();
  session.go_to_step(0);
  CHECK(session.setup().attention.temperature == 1);
  session.go_to_step(2);
  CHECK(session.asks());
  CHECK(session.answering().guess == 1);
  session.show_answer();
  CHECK(session.setup().attention.temperature == 4);
  CHECK(session.state().reference->setup.attention.temperature == 1);
  CHECK(session.answer() == answer);
  session.ask_again();
  CHECK(session.setup().attention.temperature == 1);
  CHECK(session.asks());
}

TEST_CASE("a step shows what it sets beside its part's state, for itself alone") {
  Session session = opened();
  session.go_to_step(1);
  CHECK(session.setup().attention.temperature == 2);
  CHECK(session.display().view == View::compare);
  REQUIRE(session.state().reference);
  CHECK(session.state().reference->setup.attention.temperature == 1);
  CHECK(session.changes().empty());
  CHECK_FALSE(session.words_folded());
  session.go_to_step(2);
  CHECK(session.setup().attention.temperature == 1);
  CHECK(session.display().view == View::heads);
  session.go_to_step(0);
  CHECK(session.display().view == View::pipeline);
  session.undo();
  CHECK(session.state().step == 1);
  CHECK(session.setup().attention.temperature == 2);
}

TEST_CASE("a person's own edits stay between steps with the same setup, and not where a step sets another") {
  Session session = opened();
  Setup own = session.setup();
  own.attention.dropout = 0.5;
  REQUIRE(session.edit(own).empty());
  session.go_to_step(2);
  CHECK(session.setup().attention.dropout == 0.5);
  session.go_to_step(1);
  CHECK(session.setup().attention.dropout == 0);
}

TEST_CASE("a question that sets something does so before it answers, and can be undone") {
  Session session = opened();
  session.go_to_step(2);
  session.guess(1);
  session.show_answer();
  CHECK(session.setup().attention.temperature == 4);
  CHECK(session.state().reference->setup.attention.temperature == 1);
  CHECK(session.answer() == 0);
  CHECK_FALSE(session.words_folded());
  session.undo();
  CHECK(session.setup().attention.temperature == 1);
}

TEST_CASE("a link sets, and a second time takes back") {
  Session session = opened();
  Setup own = session.setup();
  own.attention.dropout = 0.5;
  session.edit(own);
  const Link link = *parse_link("set:attention.scale=none");
  CHECK_FALSE(session.is_set(link));
  CHECK(session.follow(link).empty());
  CHECK(session.is_set(link));
  CHECK(session.state().reference->setup == own);
  CHECK_FALSE(session.words_folded());
  CHECK(session.follow(link).empty());
  CHECK(session.setup() == own);
  session.follow(*parse_link("compare:attention.scale=none"));
  CHECK(session.display().view == View::compare);
  session.follow(*parse_link("reset:"));
  CHECK(session.changes().empty());
}

TEST_CASE("links select, open and step; one that no longer fits says why") {
  Session session = opened();
  session.follow(*parse_link("select:scores[0,0,1,1]"));
  CHECK(session.cell() == Cell{TensorId::scores, {0, 0, 1, 1}});
  session.follow(*parse_link("select:V"));
  CHECK(session.selection().tensor == TensorId::V);
  session.follow(*parse_link("open:tokens"));
  CHECK(session.display().view == View::tokens);
  session.follow(*parse_link("step:3"));
  CHECK(session.state().step == 2);
  CHECK_FALSE(session.follow(*parse_link("select:scores[0,0,9,1]")).empty());
  CHECK_FALSE(session.state().problems.empty());
  CHECK_FALSE(session.follow(*parse_link("lecture:none")).empty());
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
  REQUIRE(session.open_lecture(parse_lecture(told, "a.md", "a", lecture_views())).empty());
  CHECK(session.badge().text.starts_with("loss matches"));
}
