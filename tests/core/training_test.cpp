#include <cmath>

#include <doctest/doctest.h>

#include "core/engine/engine.hpp"
#include "core/engine/learning_curve.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/validity.hpp"
#include "core/training/training.hpp"
#include "setups.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

Setup after(Index steps, Setup setup = learning_setup()) {
  setup.training.steps = steps;
  return setup;
}

/// The largest |a − b| of two matrices or vectors.
double largest_difference(const Tensor& one, const Tensor& other) {
  const Tensor a = one.shape().rank() == 1 ? one.as_row() : one, b = one.shape().rank() == 1 ? other.as_row() : other;
  double largest = 0;
  for (Index i = 0; i < a.shape()[0]; ++i)
    for (Index j = 0; j < a.shape()[1]; ++j) largest = std::max(largest, std::abs(a.at({i, j}) - b.at({i, j})));
  return largest;
}
double largest_number(const Tensor& tensor) {
  return largest_difference(tensor, Tensor::zeros(tensor.precision(), tensor.shape()));
}

void check_same_weights(const Trace& a, const Trace& b) {
  for (const TensorId id : learned_tensors(a.setup)) {
    INFO(name(id));
    CHECK(identical(a[id], b[id]));
  }
}

}  // namespace

TEST_CASE("a step of SGD goes against the gradient of its batch") {
  Setup setup = learning_setup();
  setup.training.optimizer = OptimizerKind::sgd;
  const auto drawn = compute_trace(setup);
  const auto trained = compute_trace(after(1, setup));
  SequenceSource source(setup);
  source.next(setup.sizes.batch);  // the shown ones
  Setup of_batch = setup;
  of_batch.sizes.batch = setup.training.batch;
  constexpr std::array wanted{gradient_of(TensorId::W_v), TensorId::loss};
  Pass pass(of_batch, wanted);
  Workspace workspace;
  for (const TensorId id : learned_tensors(setup)) pass.layers().front()[id] = (*drawn)[id];
  pass.run(std::make_shared<const Sequences>(source.next(setup.training.batch)), workspace);
  CHECK(trained->learning->losses.size() == 1);
  CHECK(trained->learning->losses.front() == doctest::Approx(mean_loss(pass.last())).epsilon(1e-14));
  for (Index i = 0; i < 8; ++i) {
    for (Index j = 0; j < 8; ++j) {
      const double gradient = pass.last()[gradient_of(TensorId::W_v)].at({i, j});
      CHECK((*trained)[TensorId::W_v].at({i, j}) ==
            doctest::Approx((*drawn)[TensorId::W_v].at({i, j}) - 0.05 * gradient).epsilon(1e-14));
    }
  }
}

TEST_CASE("a batch walked in parts gives what the stages give of the whole, on any number of threads") {
  Setup uneven = learning_setup();
  uneven.sizes.batch = 11;
  uneven.mask.kinds = {};
  Setup large = learning_setup();  // more parts than tasks
  large.sizes = {.batch = 50, .query_length = 48, .key_length = {}, .d_model = 64, .heads = 4, .kv_heads = 2};
  large.mask.kinds = {MaskKind::causal};
  large.attention.ablated_heads = {1};
  for (const Setup& setup : {uneven, large}) {
    const auto drawn = compute_trace(setup);
    std::vector<Parameter> parameters;
    std::vector<TensorId> wanted{TensorId::loss};
    for (const TensorId id : learned_tensors(setup)) {
      parameters.push_back({(*drawn)[id].contiguous(), {}, {}});
      wanted.push_back(gradient_of(id));
    }
    Workspace alone;
    const BatchGradients found = BatchWalk(setup).run(parameters, *drawn->sequences, alone);
    CHECK(found.loss == doctest::Approx(mean_loss(*drawn)).epsilon(1e-14));
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const Tensor& expected = (*drawn)[wanted[i + 1]];
      INFO(name(wanted[i + 1]));
      CHECK(largest_difference(found.gradients[i], expected) <= 1e-13 * largest_number(expected));
    }
    for (unsigned count : {2U, 5U}) {
      Threads threads(count);
      BlockPool blocks(std::size_t{1} << 24);
      const Progress nobody;
      Workspace workspace(threads, blocks, nobody, 1);
      BatchWalk walk(setup);
      for (int turn = 0; turn < 3; ++turn) {
        const BatchGradients again = walk.run(parameters, *drawn->sequences, workspace);
        CHECK(again.loss == found.loss);
        for (std::size_t i = 0; i < parameters.size(); ++i) CHECK(identical(again.gradients[i], found.gradients[i]));
      }
    }
  }
}

TEST_CASE("a layer learns, whichever way one comes to a step") {
  Engine engine;
  const auto at_60 = engine.compute(after(60));
  CHECK(verdict_of(*at_60).loss < 0.5 * verdict_of(*compute_trace(after(0))).loss);
  check_same_weights(*engine.compute(after(17)), *compute_trace(after(17)));
  check_same_weights(*engine.compute(after(0)), *compute_trace(learning_setup()));
  check_same_weights(*engine.compute(after(60)), *at_60);
  check_same_weights(*engine.compute(after(80)), *compute_trace(after(80)));
  const auto again = engine.compute(after(80));
  CHECK(engine.recomputed().empty());
  CHECK(again->learning->losses.size() == 80);
  Setup titled = after(80);
  titled.title = "Another";
  engine.compute(titled);
  CHECK(engine.recomputed().empty());
}

TEST_CASE("two heads learn two answers at once, and one head of the same width is left far behind") {
  Setup setup = offered_setup(TaskName::previous_and_first);
  setup.task.symbols = 12;
  setup.sizes.d_model = 32;  // two answers and the positions
  const auto loss_with = [&](Index heads) {
    setup.sizes.heads = heads;
    return verdict_of(*compute_trace(after(600, setup))).loss;
  };
  CHECK(loss_with(2) < 0.005);
  CHECK(loss_with(1) > 0.05);
}

TEST_CASE("kept states are few, and stand evenly") {
  Setup setup = learning_setup();
  setup.sizes.batch = 1;
  setup.training.batch = 1;
  const ModelTrace drawn = compute_model(setup);
  Training training(setup, drawn);
  Workspace workspace;
  training.at(1000, workspace);
  std::vector<Index> kept;
  for (const TrainingState& state : training.kept()) kept.push_back(state.step);
  CHECK(kept.size() >= 100);
  CHECK(kept.size() <= 513);
  CHECK(kept.front() == 0);
  for (std::size_t i = 1; i + 1 < kept.size(); ++i) CHECK(kept[i + 1] - kept[i] == kept[1]);
  Training other(setup, drawn);
  const TrainingState direct = other.at(777, workspace), back = training.at(777, workspace);
  REQUIRE(back.step == 777);
  for (std::size_t i = 0; i < direct.parameters.size(); ++i)
    CHECK(identical(direct.parameters[i].value, back.parameters[i].value));
}

TEST_CASE("training can be stopped, and goes on from there") {
  Engine engine;
  const auto before = engine.compute(learning_setup());
  std::stop_source source;
  double reached = 0;
  const auto stop = [&](double fraction) {
    if ((reached = fraction) > 0.3) source.request_stop();
  };
  CHECK_THROWS_AS(engine.compute(after(400), {source.get_token(), stop}), Stopped);
  CHECK(reached < 0.6);
  check_same_weights(*engine.compute(after(400)), *compute_trace(after(400)));
}

TEST_CASE("a layer that explodes keeps its last finite state, and says at which step") {
  for (const OptimizerKind optimizer : {OptimizerKind::sgd, OptimizerKind::adam}) {
    for (const Precision precision : {Precision::float32, Precision::float64}) {
      Setup setup = after(50);
      setup.training.optimizer = optimizer;
      setup.training.learning_rate = precision == Precision::float32 ? 1e30 : 1e200;
      setup.attention.precision = precision;
      const auto trace = compute_trace(setup);
      REQUIRE(trace->learning->exploded_at);
      const Index at = *trace->learning->exploded_at;
      INFO("at ", at);
      CHECK(at <= 50);
      CHECK(trace->learning->steps == at - 1);
      CHECK(trace->learning->losses.size() == static_cast<std::size_t>(at - 1));
      for (const double loss : trace->learning->losses) CHECK(std::isfinite(loss));
      check_same_weights(*trace, *compute_trace(after(at - 1, setup)));
      CHECK(learning_curve(setup, 50, std::make_shared<Threads>(1)).exploded_at == at);
    }
  }
}

TEST_CASE("a learning curve has a point for each step") {
  const LearningCurve curve = learning_curve(learning_setup(), 40, std::make_shared<Threads>(2));
  REQUIRE(curve.points.size() == 40);
  CHECK_FALSE(curve.exploded_at);
  const auto trace = compute_trace(after(40));
  const Verdict verdict = verdict_of(*trace);
  for (std::size_t i = 0; i < 40; ++i) {
    CHECK(curve.points[i].step == static_cast<Index>(i + 1));
    CHECK(curve.points[i].loss == trace->learning->losses[i]);
  }
  CHECK(curve.points.back().shown_loss == verdict.loss);
  CHECK(curve.points.back().shown_accuracy == verdict.accuracy());
}

namespace {

/// How well a model answers sequences that nobody has seen.
double accuracy_after(Setup setup, Index steps) {
  setup.training.steps = steps;
  Setup judged = going_on_from(setup, compute_model(setup));
  judged.sizes.batch = 200;
  judged.task.seed = 1000;
  return verdict_of(compute_model(judged).last()).accuracy();
}

}  // namespace

TEST_CASE("two layers learn what followed a symbol the first time, and one doesn't") {
  Setup setup = offered_setup(TaskName::induction);
  REQUIRE(problems(setup).empty());
  CHECK(accuracy_after(setup, 300) > 0.97);
  setup.sizes.layers = 1;
  CHECK(accuracy_after(setup, 300) < 0.6);
}

TEST_CASE("each task is learnt from ten seeds out of ten, with the setup that is offered for it") {
  for (const TaskName task :
       {TaskName::previous, TaskName::first, TaskName::reverse, TaskName::lookup, TaskName::previous_and_first}) {
    for (int seed = 0; seed < 10; ++seed) {
      Setup setup = offered_setup(task);
      INFO(to_string(task), ", seed ", seed);
      REQUIRE(problems(setup).empty());
      setup.random.draws.front() = SeedDraw{seed};
      setup.training.steps = 300;
      Setup judged = setup;  // after the same steps, on sequences that nobody has seen
      Engine engine;
      const auto trained = engine.compute(setup);
      judged.training.steps = 0;
      judged.sizes.batch = 200;
      judged.task.seed = 1000;
      for (const TensorId id : learned_tensors(setup)) judged.values.set(id, {}, GivenNumbers((*trained)[id]));
      CHECK(verdict_of(*compute_trace(judged)).accuracy() > 0.99);
    }
  }
}

TEST_CASE("the numbers of two layers that NumPy has trained") {
  const auto loss_after = [](Index symbols, Index length, std::int64_t seed, std::int64_t task_seed, Index shown,
                             double rate, Index batch, Index steps) {
    Setup setup = offered_setup(TaskName::previous);
    setup.task = {.name = TaskName::previous, .symbols = symbols, .seed = task_seed};
    setup.sizes.batch = shown;
    setup.sizes.query_length = length;
    setup.sizes.d_model = symbols + length;
    setup.random.draws.front() = SeedDraw{seed};
    setup.training = {.optimizer = OptimizerKind::adam, .learning_rate = rate, .batch = batch, .steps = steps};
    return verdict_of(*compute_trace(setup)).loss;
  };
  CHECK(std::abs(loss_after(6, 8, 8, 0, 16, 0.005, 32, 210) - 0.5357) < 5e-5);
  CHECK(std::abs(loss_after(4, 4, 5, 3, 1, 0.01, 16, 40) - 1.2350) < 5e-5);
}

TEST_CASE("of equal scores the first symbol is the answer, as argmax of NumPy and PyTorch has it") {
  Setup setup = learning_setup();
  setup.sizes.batch = 20;
  setup.random.draws.clear();  // all weights are 0, so all symbols score 0
  const auto trace = compute_trace(setup);
  Index first = 0, last = 0, asked = 0;
  for (Index item = 0; item < setup.sizes.batch; ++item)
    for (Index position = 0; position < setup.sizes.query_length; ++position) {
      if (!trace->sequences->asks(item, position)) continue;
      ++asked;
      const Index label = trace->sequences->labels_at(item, position)[0];
      first += label == 0 ? 1 : 0;
      last += label + 1 == setup.task.symbols ? 1 : 0;
    }
  REQUIRE(first != last);
  CHECK(verdict_of(*trace).accuracy() == static_cast<double>(first) / static_cast<double>(asked));
}
