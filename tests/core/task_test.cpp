#include <cmath>
#include <random>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "core/engine/engine.hpp"
#include "core/model/shapes.hpp"
#include "core/random/sequences.hpp"
#include "core/setup/validity.hpp"
#include "core/stages/explain.hpp"
#include "core/training/pass.hpp"
#include "setups.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

std::vector<std::string> messages(const Setup& setup) {
  std::vector<std::string> all;
  for (const Problem& problem : problems(setup)) all.push_back(problem.message());
  return all;
}

Setup with(void (*edit)(Setup&)) {
  Setup setup = learning_setup();
  edit(setup);
  return setup;
}

/// L with one number of a drawn tensor replaced.
double loss_with(Setup setup, TensorId tensor, const Shape& place, double value) {
  std::string part = "[";
  for (Index i : place) part += fmt::format("{}{}", part.size() > 1 ? "," : "", i);
  setup.values.set(tensor, *parse_array_part(part + "]"), GivenNumbers::single(value));
  return mean_loss(compute_model(setup).last());
}

}  // namespace

TEST_CASE("a task that does not fit says why") {
  using Words = std::vector<std::string>;
  CHECK(messages(learning_setup()).empty());
  CHECK(messages(with([](Setup& s) { s.task.symbols = 9; })) ==
        Words{"task.symbols: found 9; allowed: at most 8: the task first needs 9 features for its symbols, and "
              "sizes.d_model = 8"});
  CHECK(messages(with([](Setup& s) { s.task.name = TaskName::previous_and_first, s.task.symbols = 5; })) ==
        Words{"task.symbols: found 5; allowed: at most 4: the task previous_and_first needs 10 features for its two "
              "answers, and sizes.d_model = 8"});
  CHECK(messages(with([](Setup& s) { s.task.name = TaskName::lookup, s.task.symbols = 5; })) ==
        Words{"task.symbols: found 5; allowed: at most 4: the task lookup needs 10 features for keys and values, and "
              "sizes.d_model = 8"});
  CHECK(messages(with([](Setup& s) {
          s.task.name = TaskName::lookup, s.task.symbols = 2, s.sizes.query_length = 4;
          s.mask.kinds.clear();
        })) == Words{"task.symbols: found 2; allowed: at least 3: all sizes.query_length - 1 = 3 keys differ"});
  CHECK(messages(with([](Setup& s) { s.task.symbols = 1; })).size() == 1);
  CHECK(messages(with([](Setup& s) { s.task.seed = -1; })).size() == 1);
  CHECK(messages(with([](Setup& s) { s.attention.dropout = 0.5; })) ==
        Words{"attention.dropout: found 0.5; allowed: 0 with a task"});
  CHECK(messages(with([](Setup& s) { s.attention.source = Source::cross; })).size() == 1);
  CHECK(messages(with([](Setup& s) { s.random.draws.push_back(*parse_draw("X normal")); })) ==
        Words{"random.draws[6]: found X normal; allowed: no draw of X with a task, which makes it"});
  CHECK(messages(with([](Setup& s) {
          s.values.set(TensorId::X, *parse_array_part("[0,0,0]"), GivenNumbers::single(1));
        })).size() == 1);
  CHECK(messages(with([](Setup& s) {
          s.task.name = TaskName::previous, s.sizes.query_length = 1, s.mask.kinds.clear();
        })).size() == 1);
  for (const double rate : {0.0, -1.0, std::nan(""), HUGE_VAL})
    CHECK(messages([&] {
            Setup s = learning_setup();
            s.training.learning_rate = rate;
            return s;
          }())
              .size() == 1);
  for (const Index batch : {Index{0}, Index{-3}})
    CHECK(messages([&] {
            Setup s = learning_setup();
            s.training.batch = batch;
            return s;
          }())
              .size() == 1);
  for (const Index steps : {Index{-1}, most_steps + 1})
    CHECK(messages([&] {
            Setup s = learning_setup();
            s.training.steps = steps;
            return s;
          }())
              .size() == 1);
  Setup without = small_setup();
  without.training.steps = 1;
  CHECK(messages(without) == Words{"training.steps: found 1; allowed: 0 without a task.name: there is nothing to "
                                   "learn"});
}

TEST_CASE("what the tasks ask") {
  const std::vector<std::int64_t> symbols{2, 0, 1};
  const auto labels = [&](TaskName task) { return asked_about(task, 1, 3, 0, symbols).labels; };
  using Asked = std::vector<std::int64_t>;
  CHECK(labels(TaskName::previous) == Asked{-1, 2, 0});
  CHECK(labels(TaskName::first) == Asked{2, 2, 2});
  CHECK(labels(TaskName::reverse) == Asked{1, 0, 2});
  CHECK(labels(TaskName::previous_and_first) == Asked{-1, -1, 2, 2, 0, 2});
  CHECK(asked_about(TaskName::previous, 1, 3, 0, symbols).asked == 2);
  const Sequences lookup = lookups(3, 1, 3, 0, {2, 0}, {1, 1}, {1});
  CHECK(lookup.ones == Asked{2, 4, 0, 4, 0, -1});
  CHECK(lookup.labels == Asked{-1, -1, 1});
}

TEST_CASE("past positions hold symbols, and are asked nothing") {
  const std::vector<std::int64_t> symbols{2, 0, 1, 1, 2, 0};
  const Sequences made = asked_about(TaskName::previous, 2, 3, 1, symbols);
  CHECK(made.queries() == 2);
  CHECK(made.labels == std::vector<std::int64_t>{2, 0, 1, 2});
  CHECK(made.asked == 4);
  CHECK(made.part(1, 1).labels == std::vector<std::int64_t>{1, 2});
  CHECK(made.part(1, 1).ones == std::vector<std::int64_t>{1, 2, 0});
}

TEST_CASE("a sequence of lookup has no key twice, and its last key has one value") {
  for (GeneratorKind generator : {GeneratorKind::numpy, GeneratorKind::torch, GeneratorKind::numpy_rng}) {
    Setup setup = learning_setup();
    setup.random.generator = generator;
    setup.task = {.name = TaskName::lookup, .symbols = 5, .seed = 3};
    setup.sizes.query_length = 5;
    SequenceSource source(setup);
    for (int round = 0; round < 3; ++round) {
      const Sequences made = source.next(20);
      for (Index n = 0; n < made.count; ++n) {
        const auto held = [&](Index position, Index which) {
          return made.ones[static_cast<std::size_t>((n * made.length + position) * 2 + which)];
        };
        int matching = 0;
        for (Index i = 0; i < 4; ++i) {
          for (Index j = 0; j < i; ++j) CHECK(held(i, 0) != held(j, 0));
          if (held(i, 0) != held(4, 0)) continue;
          ++matching;
          CHECK(held(i, 1) - 5 == *made.labels_at(n, 4));
        }
        CHECK(matching == 1);
        CHECK(held(4, 1) == -1);
      }
    }
  }
}

TEST_CASE("gradients are what the loss does when a number changes a little") {
  std::mt19937 random(1);
  for (unsigned seed = 0; seed < 24; ++seed) {
    Setup setup = random_task_setup(seed);
    setup.attention.precision = Precision::float64;
    const auto trace = compute_trace(setup);
    for (const TensorId id : drawn_tensors()) {
      if (!exists(id, setup) || !is_drawn(id, setup)) continue;
      const Tensor& tensor = (*trace)[id];
      Shape place = tensor.shape();
      for (int axis = 0; axis < place.rank(); ++axis) place[axis] = static_cast<Index>(random()) % place[axis];
      const double value = trace->value({id, place}), step = 1e-5;
      const double measured =
          (loss_with(setup, id, place, value + step) - loss_with(setup, id, place, value - step)) / (2 * step);
      INFO("seed ", seed, ": ", to_string(Cell{gradient_of(id), place}));
      CHECK(std::abs(trace->value({gradient_of(id), place}) - measured) <=
            (setup.sizes.layers == 1 ? 1e-8 : 1e-6) + 1e-6 * std::abs(measured));  // several layers bend more in a step
    }
  }
}

TEST_CASE("where a gradient vanishes, the explanation says which factor is zero") {
  Setup setup = learning_setup();
  setup.task.name = TaskName::previous;
  setup.mask.blocked = {{2, 0}};
  const auto trace = compute_trace(setup);
  const auto note = [&](const char* cell) { return explain(*trace, parse_cell(cell, setup)).note; };
  CHECK(note("grad_loss[0,0]") == "nothing is asked of position 0 (0)");
  CHECK(note("grad_logits[0,0,1]") == "nothing is asked of position 0 (0)");
  CHECK(note("grad_output[0,1,7]") == "0, because only the first 4 features are read as an answer");
  CHECK(note("grad_scores[0,1,2,0]").starts_with("0, because the mask hides the key from the query"));
  CHECK(note("grad_masked_scores[0,1,2,0]").starts_with("0, because weights[0,1,2,0] is 0"));
  setup.attention.ablated_heads = {1};
  const auto without = compute_trace(setup);
  CHECK(explain(*without, parse_cell("grad_weights[0,1,1,0]", setup)).note == "0, because head 1 is ablated");
  CHECK(explain(*without, parse_cell("grad_V_heads[0,1,2,0]", setup)).note == "0, because head 1 is ablated");
  CHECK(without->value(parse_cell("grad_context[0,1,1,0]", setup)) != 0);
  CHECK(note("grad_output[0,0,1]") == "0, because grad_logits[0,0,1] is 0");
}

TEST_CASE("a probability that rounding makes 0 has a finite loss and a finite gradient behind it") {
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    Setup setup = learning_setup();
    setup.attention.precision = precision;
    Tensor scaled = Tensor::zeros(Precision::float64, {8});
    scaled.writable<double>()[0] = 1e6;
    setup.values.set(TensorId::b_o, {}, GivenNumbers(scaled));
    const auto trace = compute_trace(setup);
    CHECK(std::isfinite(mean_loss(*trace)));
    CHECK(mean_loss(*trace) > 1e5);
    const Tensor& gradient = (*trace)[gradient_of(TensorId::W_o)];
    for (Index i = 0; i < 8; ++i)
      for (Index j = 0; j < 8; ++j) CHECK(std::isfinite(gradient.at({i, j})));
  }
}
