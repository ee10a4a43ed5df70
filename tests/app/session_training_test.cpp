// A layer that learns in the session: by itself, step by step, back and forth, as edits that can be undone.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>

#include "app/session/session.hpp"
#include "app/session/studies/learning.hpp"
#include "app/session/trainer.hpp"
#include "core/engine/learning_curve.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/validity.hpp"

using namespace headlight;

namespace {

Setup small_task() {
  Setup setup = offered_setup(TaskName::previous);
  setup.sizes.batch = 4;
  setup.training.batch = 8;
  return setup;
}

void check_same_layer(const Trace& a, const Trace& b) {
  for (const TensorId id : learned_tensors(a.setup)) {
    INFO(name(id));
    CHECK(identical(a[id], b[id]));
  }
}

Setup after(Setup setup, Index steps) {
  setup.training.steps = steps;
  return setup;
}

}  // namespace

TEST_CASE("training goes on by itself, and undo takes the whole run back") {
  Session session(small_task());
  session.forget_history();
  Trainer(session).set_speed(TrainingSpeed::hundred);
  Trainer(session).set_playing(true);
  for (int frame = 0; frame < 10; ++frame) Trainer(session).advance(0.05);
  CHECK(session.setup().training.steps == 50);
  CHECK(trained_steps(session) == 50);
  check_same_layer(session.trace(), *compute_trace(after(small_task(), 50)));
  Trainer(session).set_playing(false);
  Trainer(session).advance(1);
  CHECK(session.setup().training.steps == 50);
  session.undo();
  CHECK(session.setup().training.steps == 0);
  CHECK_FALSE(session.can_undo());
  session.redo();
  CHECK(session.setup().training.steps == 50);
}

TEST_CASE("at one step a second no step comes early, and none is lost") {
  Session session(small_task());
  Trainer(session).set_speed(TrainingSpeed::one);
  Trainer(session).set_playing(true);
  for (int frame = 0; frame < 30; ++frame) Trainer(session).advance(1.0 / 16);
  CHECK(trained_steps(session) == 1);
  for (int frame = 0; frame < 18; ++frame) Trainer(session).advance(1.0 / 16);
  CHECK(trained_steps(session) == 3);
}

TEST_CASE("steps one by one are each undone, and any step can be gone to") {
  Session session(small_task());
  session.forget_history();
  for (Index step = 1; step <= 3; ++step) Trainer(session).go_to(step);
  session.undo();
  CHECK(trained_steps(session) == 2);
  Trainer(session).go_to(40);
  Trainer(session).go_to(17);
  check_same_layer(session.trace(), *compute_trace(after(small_task(), 17)));
  CHECK(session.state().course->made == 40);
  Trainer(session).go_to(0);
  check_same_layer(session.trace(), *compute_trace(small_task()));
}

TEST_CASE("the kept steps tell what headlight train writes of them") {
  Session session(after(small_task(), 60));
  const LearningCurve curve = learning_curve(small_task(), 60, std::make_shared<Threads>());
  const Course& course = *session.state().course;
  REQUIRE(course.kept.size() == 61);
  CHECK(course.bytes() > 0);
  for (const auto& kept : course.kept) {
    if (kept->step == 0) continue;
    const CurvePoint& point = curve.points[static_cast<std::size_t>(kept->step - 1)];
    CHECK(kept->shown.loss == point.shown_loss);
    CHECK(kept->shown.accuracy() == point.shown_accuracy);
  }
  CHECK(verdict_of(session.trace()).loss == curve.points.back().shown_loss);
  CHECK(course.before(0).step == 0);
  CHECK(course.before(1000).step == 60);
}

TEST_CASE("an edit in the middle is undone as any other, and training goes on from the same step") {
  Session session(after(small_task(), 20));
  session.forget_history();
  Setup faster = session.setup();
  faster.training.learning_rate = 0.05;
  Trainer(session).set_speed(TrainingSpeed::hundred);
  Trainer(session).set_playing(true);
  session.edit(faster);
  CHECK(session.state().training.playing);
  Trainer(session).advance(0.05);
  CHECK(trained_steps(session) == 25);
  check_same_layer(session.trace(), *compute_trace(after(faster, 25)));
  session.undo();
  CHECK(session.setup() == faster);
  session.undo();
  CHECK(session.setup() == after(small_task(), 20));
}

TEST_CASE("a rate that explodes stops the training at the last finite state") {
  Setup wild = small_task();
  wild.training.optimizer = OptimizerKind::sgd;
  wild.training.learning_rate = 1e200;
  Session session(wild);
  Trainer(session).set_speed(TrainingSpeed::hundred);
  Trainer(session).set_playing(true);
  for (int frame = 0; frame < 20 && session.state().training.playing; ++frame) Trainer(session).advance(0.05);
  CHECK_FALSE(session.state().training.playing);
  REQUIRE(session.state().course->exploded_at);
  CHECK(session.setup().training.steps == *session.state().course->exploded_at - 1);
  CHECK(session.setup().training.steps == trained_steps(session));
  CHECK(std::isfinite(verdict_of(session.trace()).loss));
}

TEST_CASE("in the background no call waits for training, and the numbers are the same") {
  Session session(small_task());
  session.compute_in_background(0);
  Trainer(session).set_speed(TrainingSpeed::full);
  Trainer(session).set_playing(true);
  while (trained_steps(session) < 100) {
    Trainer(session).advance(0.01);
    session.wait();
  }
  Trainer(session).set_playing(false);
  session.wait();
  check_same_layer(session.trace(), *compute_trace(session.setup()));
}

TEST_CASE("a task comes with the setup that learns it, and goes") {
  Session session;
  CHECK(session.state().course == nullptr);
  Trainer(session).set_playing(true);
  CHECK_FALSE(session.state().training.playing);
  for (const TaskName task :
       {TaskName::previous, TaskName::first, TaskName::reverse, TaskName::lookup, TaskName::previous_and_first}) {
    REQUIRE(session.edit(with_task(session.wanted(), task)).empty());
    CHECK(session.setup() == offered_setup(task));
  }
  Trainer(session).go_to(3);
  REQUIRE(session.edit(with_task(session.wanted(), TaskName::none)).empty());
  CHECK(session.state().course == nullptr);
  CHECK_FALSE(session.setup().has_task());
  CHECK(distribution_of(session.setup(), TensorId::X) == Distribution::normal);
}

TEST_CASE("symbols take the features that they need") {
  const Setup offered = offered_setup(TaskName::previous);
  for (const Index symbols : {2, 4, 5, 12}) {
    const Setup edited = with_symbols(offered, symbols);
    CHECK(edited.sizes.d_model == (symbols + 8 + 1) / 2 * 2);
    CHECK(problems(edited).empty());
  }
  Setup roomy = with_d_model(offered, 32);
  CHECK(with_symbols(roomy, 8).sizes.d_model == 32);
}

TEST_CASE("what is answered, and where the answer can be found") {
  Session session(after(small_task(), 200));
  const Trace& trace = session.trace();
  Index right = 0, asked = 0;
  for (Index item = 0; item < 4; ++item) {
    for (const Answer& answer : answers_of(trace, item)) {
      if (!answer.asked()) continue;
      ++asked;
      right += answer.right;
      CHECK(answer.right == (answer.wanted == answer.given));
      CHECK(answer.sure > 1.0 / 6);
    }
  }
  const Verdict verdict = verdict_of(trace);
  CHECK(asked == verdict.asked);
  CHECK(right == verdict.right);
  CHECK_FALSE(answers_of(trace, 0).front().asked());
  const Tensor weights = trace[TensorId::weights].selected(1, 1).selected(0, 2);
  double back = 0;
  for (Index query = 1; query < 8; ++query) back += weights.at({query, query - 1}) / 7;
  CHECK(answer_shares(trace, 2, weights).front().share == doctest::Approx(back).epsilon(1e-12));
}

TEST_CASE("what a head is worth is what ablating it does") {
  Session session(after(small_task(), 120));
  const auto prices = head_prices(session.model_trace(), 0);
  REQUIRE(prices.size() == 2);
  for (Index head = 0; head < 2; ++head) {
    // The layer stays as it is: it has not learnt without the head.
    const Trace& trace = session.trace();
    Setup without = with_ablated(trace.setup, head, true);
    Trace again = trace;
    for (const TensorId id : learned_tensors(without))
      again.setup.values.set(id, {}, GivenNumbers(trace[id].contiguous()));
    again.setup.attention = without.attention;
    again.setup.training.steps = 0;
    const auto ablated = compute_trace(again.setup);
    const HeadPrice& price = prices[static_cast<std::size_t>(head)];
    CHECK(price.without.loss == doctest::Approx(verdict_of(*ablated).loss).epsilon(1e-12));
    CHECK(price.without.right == verdict_of(*ablated).right);
    CHECK(price.output > 0);
  }
}

TEST_CASE("the film shows the weights that the kept steps had") {
  Session session(after(small_task(), 30));
  const auto& kept = session.state().course->kept;
  const Film film = film_of(session.model_trace(), {{kept[0], kept[10]}, 3});
  REQUIRE(film.size() == 2);
  const auto at_10 = compute_trace(after(small_task(), 10));
  CHECK(identical(film[1], (*at_10)[TensorId::weights].selected(0, 3).contiguous()));
}

TEST_CASE("a gradient that is tried out says what the loss does") {
  Session session(after(small_task(), 30));
  const Trace& trace = session.trace();
  for (const TensorInfo& tensor : all_tensors()) {
    if (!tensor.is_gradient() || !trace.has(tensor.id)) continue;
    CAPTURE(tensor.name);
    Cell cell{tensor.id, {}};
    for (const Index extent : trace[tensor.id].shape()) cell.index.push_back(extent / 2);
    const auto trial = trial_of(session.model_trace(), cell);
    REQUIRE(trial);
    CHECK(trial->before == doctest::Approx(verdict_of(trace).loss).epsilon(1e-12));
    CHECK(std::abs(trial->measured() - trial->predicted) < 2e-4 + 0.05 * std::abs(trial->predicted));
  }
}
