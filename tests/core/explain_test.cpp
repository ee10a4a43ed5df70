#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/engine/engine.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/explain.hpp"
#include "core/stages/overflow.hpp"
#include "core/stages/table.hpp"
#include "setups.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

/// Every cell of a tensor of this shape.
std::vector<Cell> cells(TensorId tensor, const Shape& extents) {
  std::vector<Cell> all;
  Shape index = extents;
  for (Index flat = 0; flat < extents.elements(); ++flat) {
    Index rest = flat;
    for (int axis = extents.rank() - 1; axis >= 0; --axis) {
      index[axis] = rest % extents[axis];
      rest /= extents[axis];
    }
    all.push_back({tensor, index});
  }
  return all;
}

double sum_of_terms(const Explanation& explanation) {
  double sum = 0;
  for (const Term& term : explanation.terms) sum += term.value;
  return sum;
}

}  // namespace

TEST_CASE("the terms of every cell of every tensor add up to the cell") {
  for (unsigned seed = 0; seed < 25; ++seed) {
    const Setup setup = seed % 2 == 0 ? random_task_setup(seed) : random_setup(seed);
    const auto trace = compute_trace(setup);
    const bool single = setup.attention.precision == Precision::float32;
    for (const TensorInfo& tensor : all_tensors()) {
      if (!trace->has(tensor.id)) continue;
      for (const Cell& cell : cells(tensor.id, (*trace)[tensor.id].shape())) {
        const Explanation explanation = explain(*trace, cell);
        INFO("seed ", seed, ": ", to_string(cell), ": ", explanation.numbers);
        REQUIRE_FALSE(explanation.terms.empty());
        CHECK(explanation.value == trace->value(cell));
        const double sum = sum_of_terms(explanation);
        if (std::isinf(explanation.value)) {
          const bool is_out_of_range = single && std::abs(sum) > static_cast<double>(std::numeric_limits<float>::max());
          CHECK((sum == explanation.value || is_out_of_range));
          continue;
        }
        // Rounding is proportional to the terms, which may cancel.
        double size = 0;
        for (const Term& term : explanation.terms) size += std::abs(term.value);
        const double rounding = (single ? 2e-5 : 1e-14) * std::max(size, std::abs(explanation.value));
        const double underflow = single ? 2 * static_cast<double>(std::numeric_limits<float>::denorm_min()) : 0;
        CHECK(std::abs(sum - explanation.value) <= rounding + underflow);
      }
    }
  }
}

TEST_CASE("factors that are links carry the number of the cell they link to") {
  for (const Setup& setup : {random_setup(3), random_task_setup(3)}) {
    const auto trace = compute_trace(setup);
    for (const TensorInfo& tensor : all_tensors()) {
      if (!trace->has(tensor.id)) continue;
      const Explanation explanation = explain(*trace, cells(tensor.id, (*trace)[tensor.id].shape()).back());
      for (const Term& term : explanation.terms) {
        for (const Factor& factor : term.factors) {
          if (!factor.cell || !factor.label.empty()) continue;  // a label says what is made of the number
          CHECK(factor.value == trace->value(*factor.cell));
        }
      }
    }
  }
}

TEST_CASE("where a number goes is the reverse of where numbers come from") {
  for (unsigned seed = 0; seed < 12; ++seed) {
    const Setup setup = seed % 2 == 0 ? random_task_setup(seed) : random_setup(seed);
    const ModelTrace model = compute_model(setup);
    const auto& trace = model.layers.front();
    for (const TensorInfo& tensor : all_tensors()) {
      if (!trace->has(tensor.id)) continue;
      const Cell cell = cells(tensor.id, (*trace)[tensor.id].shape()).back();
      for (const GoesInto& target : explain(*trace, cell).goes_into) {
        INFO("seed ", seed, ": ", to_string(cell), " -> ", target.label);
        REQUIRE(contains(setup, target.first));
        const Explanation there = explain(model.at(target.first.layer), target.first);
        const bool reads = std::any_of(there.terms.begin(), there.terms.end(), [&](const Term& term) {
          return std::any_of(term.factors.begin(), term.factors.end(), [&](const Factor& f) { return f.cell == cell; });
        });
        const bool in_softmax = std::any_of(there.softmax_row.begin(), there.softmax_row.end(),
                                            [&](const SoftmaxEntry& entry) { return entry.score == cell; });
        const bool hidden = target.first.tensor == TensorId::masked_scores && std::isinf(there.value);
        // The sum over a row is one factor, as its mean and spread are, and a loss is not read where nothing is asked.
        const auto sums_rows = [](TensorId made) {
          return stage_of(made).kind == StageKind::rowwise || stage_of(made).kind == StageKind::norm;
        };
        const bool in_sum =
            stage_of(target.first.tensor).kind == StageKind::norm ||
            (stage_of(target.first.tensor).kind == StageKind::gradient && sums_rows(gradient_of(cell.tensor)));
        const bool in_loss = without_gradient(target.first.tensor) >= TensorId::logits;
        CHECK((reads || in_softmax || hidden || in_sum || in_loss));
      }
    }
  }
}

TEST_CASE("an explanation names the numbers that it multiplies") {
  Setup setup = small_setup();
  const auto trace = compute_trace(setup);
  const Explanation dot = explain(*trace, parse_cell("dot_products[0,1,2,0]", setup));
  CHECK(dot.terms.size() == 4);
  CHECK(dot.terms[3].factors[0].name() == "Q_heads[0,1,2,3]");
  CHECK(dot.terms[3].factors[1].name() == "K_heads[0,1,0,3]");
  const Explanation score = explain(*trace, parse_cell("scores[0,1,2,0]", setup));
  CHECK(score.terms.at(0).factors.at(1).name() == "1/√4");
  REQUIRE(score.goes_into.size() == 1);
  CHECK(score.goes_into[0].label == "masked_scores[0,1,2,0]");
  const Explanation input = explain(*trace, parse_cell("X[0,1,2]", setup));
  CHECK(input.note == "from NumPy's generator after \"seed 0\"");
  REQUIRE(input.goes_into.size() == 3);
  CHECK(input.goes_into[1].label == "K[0,1,:]");
}

TEST_CASE("a masked score names the masks that hide it") {
  Setup setup = small_setup();
  setup.mask.kinds = {MaskKind::causal, MaskKind::window};
  setup.mask.window = 1;
  const auto trace = compute_trace(setup);
  const Explanation hidden = explain(*trace, parse_cell("masked_scores[0,0,0,3]", setup));
  CHECK(hidden.note == "hidden by the causal and window mask");
  CHECK(hidden.value == -INFINITY);
}

TEST_CASE("a hidden score says what its mask counts, and where its query is") {
  const auto note = [](const Setup& setup, const char* cell) {
    return explain(*compute_trace(setup), parse_cell(cell, setup)).note;
  };
  Setup setup = small_setup();
  setup.mask.kinds = {MaskKind::causal, MaskKind::window};
  setup.mask.window = 1;
  CHECK(note(setup, "masked_scores[0,0,3,0]").find("up to 2 keys") != std::string::npos);
  CHECK(note(setup, "masked_scores[0,0,3,0]").find("sliding_window of 2") != std::string::npos);
  setup.sizes.past = 2;
  CHECK(note(setup, "masked_scores[0,0,0,3]").find("query 0 is at position 2") != std::string::npos);
  CHECK(note(setup, "masked_scores[0,0,0,3]").find("bottom right") != std::string::npos);
  setup.mask.kinds = {MaskKind::padding};
  setup.mask.valid_lengths = {4};
  setup.mask.padding_side = PaddingSide::left;
  CHECK(note(setup, "masked_scores[0,0,0,1]").find("the first 2 keys") != std::string::npos);
}

TEST_CASE("what makes a drawn tensor is said as the setup has it: drawn, given or zero") {
  Setup setup = small_setup();
  CHECK(text_of(TensorId::X, setup).title == "Seeded draws");
  CHECK(text_of(TensorId::W_q, Setup{}).title == "Zeros");
  setup.values.set(TensorId::X, {}, GivenNumbers(Tensor::zeros(Precision::float64, shape(TensorId::X, setup))));
  CHECK(text_of(TensorId::X, setup).title == "Given numbers");
  CHECK(text_of(TensorId::scores, setup).title == stage_of(TensorId::scores).title);
  setup = small_setup();
  setup.task.name = TaskName::previous;
  CHECK(text_of(TensorId::W_q, setup).formula == "from the random generator");
  CHECK(text_of(TensorId::X, setup).formula == "X = 1 at the symbols that a position holds, else 0");
}

TEST_CASE("a cell is read from text, and a wrong one says what is allowed") {
  const Setup setup = small_setup();
  CHECK(parse_cell(" scores[ 0, 1,2 ,0 ] ", setup) == Cell{TensorId::scores, {0, 1, 2, 0}});
  for (const char* text :
       {"scores[0,1,2]", "scores[0,1,2,4]", "scores[0,1,2,-1]", "scores", "scores[]", "scores[a,b,c,d]",
        "Scores[0,1,2,0]", "Y[0,0,0]", "scores[0,1,2,0,0]", "", "[", "scores[0,1,2,99999999999999999999]"}) {
    CHECK_THROWS_AS_MESSAGE(parse_cell(text, setup), InputError, text);
  }
  CHECK_THROWS_WITH_AS(
      parse_cell("scores[0,2,0,0]", setup),
      "cell: found \"scores[0,2,0,0]\"; allowed: scores[batch,head,query,key] inside its shape (1, 2, 4, 4)",
      InputError);
}

namespace {

Setup overflowing(double scale, Precision precision = Precision::float64) {
  Setup setup = small_setup();
  setup.attention.scale = scale;
  setup.attention.precision = precision;
  setup.mask.kinds = {MaskKind::causal};
  return setup;
}

bool mentions(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST_CASE("scores that overflow are said, and a row of NaN is not explained as a query without keys") {
  for (const auto& [scale, precision] : {std::pair(1e308, Precision::float64), {1e39, Precision::float32}}) {
    const auto trace = compute_trace(overflowing(scale, precision));
    const auto overflow = overflow_in(*trace);
    REQUIRE(overflow);
    CHECK(overflow->first.tensor == TensorId::scores);
    Index not_finite = 0;
    for (const Cell& cell : cells(TensorId::scores, (*trace)[TensorId::scores].shape()))
      not_finite += std::isfinite(trace->value(cell)) ? 0 : 1;
    CHECK(overflow->numbers == not_finite);
    CHECK(mentions(words_of(*overflow, *trace), precision == Precision::float32
                                                    ? "float32 holds numbers up to 3.4e+38"
                                                    : "float64 holds numbers up to 1.8e+308"));
    for (const Cell& cell : cells(TensorId::weights, (*trace)[TensorId::weights].shape())) {
      const Explanation explanation = explain(*trace, cell);
      CAPTURE(to_string(cell));
      CHECK_FALSE(mentions(explanation.note, "sees no key"));
      const bool hidden = cell.index[3] > cell.index[2];
      CHECK(mentions(explanation.note, "hidden from the query") == hidden);
      if (std::isnan(explanation.value)) CHECK(mentions(explanation.note, "the first of them are in scores"));
    }
    CHECK(mentions(explain(*trace, overflow->first).note, "too large for float"));
  }
}

TEST_CASE("the −∞ of a mask is no overflow, however large the scores are") {
  const auto trace = compute_trace(overflowing(1, Precision::float32));
  double largest = 0;
  for (const Cell& cell : cells(TensorId::dot_products, (*trace)[TensorId::dot_products].shape()))
    largest = std::max(largest, std::abs(trace->value(cell)));
  const auto scaled_to = [&](double share) {
    return compute_trace(overflowing(share * std::numeric_limits<float>::max() / largest, Precision::float32));
  };
  CHECK(std::isinf(scaled_to(0.9)->value({TensorId::masked_scores, {0, 0, 0, 1}})));
  CHECK_FALSE(overflow_in(*scaled_to(0.9)).has_value());
  CHECK(overflow_in(*scaled_to(1.1)).has_value());
}

TEST_CASE("a norm whose squares overflow is said, and so is each number that it divides by infinity") {
  for (const NormKind kind : {NormKind::layer, NormKind::rms}) {
    for (const Precision precision : {Precision::float64, Precision::float32}) {
      Setup setup = small_setup();
      setup.norm.kind = kind;
      setup.attention.precision = precision;
      const double large = precision == Precision::float64 ? 1e160 : 1e30;
      setup.values.set(TensorId::X, *parse_array_part("[0, 1, 0]"), GivenNumbers::single(large));
      const auto trace = compute_trace(setup);
      const Cell cell{TensorId::N, {0, 1, 2}};
      const auto overflow = overflow_in(*trace);
      CAPTURE(to_string(cell));
      const std::string squares = "the sum of the squares is larger than float64 holds, 1.8e+308";
      if (precision == Precision::float32) {  // the squares are taken in float64
        CHECK_FALSE(mentions(explain(*trace, cell).note, squares));
        if (overflow) CHECK_FALSE(overflow->is_divisor);
        continue;
      }
      REQUIRE(overflow);
      CHECK(overflow->first.tensor == TensorId::N);
      CHECK(overflow->first.index == Shape{0, 1, 0});
      CHECK(overflow->numbers == setup.sizes.d_model);
      CHECK(mentions(words_of(*overflow, *trace), "are divided by inf, first N[0,1,0]: " + squares));
      CHECK(mentions(explain(*trace, cell).note, squares));
      CHECK_FALSE(mentions(explain(*trace, {TensorId::N, {0, 0, 2}}).note, squares));
    }
  }
}

TEST_CASE("a row whose visible scores are all −∞ has no weights; one that the mask hides has zeros") {
  Setup setup = overflowing(-1e308);
  setup.sizes.query_length = 1;
  setup.sizes.heads = 1;
  setup.values.set(TensorId::X, {}, GivenNumbers(tensor_of({1, setup.sizes.d_model}, std::vector<double>(8, 1))));
  std::vector<double> ones(64, 1);
  for (const TensorId id : {TensorId::W_q, TensorId::W_k})
    setup.values.set(id, {}, GivenNumbers(tensor_of({8, 8}, ones)));
  setup.random.draws = draws({"seed 0", "W_v normal", "W_o normal"});
  const auto trace = compute_trace(setup);
  CHECK(trace->value({TensorId::scores, {0, 0, 0, 0}}) == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan(trace->value({TensorId::weights, {0, 0, 0, 0}})));
  setup.mask.kinds = {MaskKind::custom};
  setup.mask.blocked = {{0, 0}};
  const auto blind = compute_trace(setup);
  CHECK(blind->value({TensorId::weights, {0, 0, 0, 0}}) == 0);
  CHECK(mentions(explain(*blind, {TensorId::weights, {0, 0, 0, 0}}).note, "query 0 sees no key"));
}

TEST_CASE("no setup of usual numbers overflows, whatever its masks") {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const auto trace = compute_trace(seed % 2 == 0 ? random_task_setup(seed) : random_setup(seed));
    INFO("seed ", seed);
    CHECK_FALSE(overflow_in(*trace).has_value());
  }
}

TEST_CASE("features that rotary positions leave alone are passed on, forward and backward, and explained so") {
  Setup setup = learning_setup();
  setup.position = {.encoding = Encoding::rotary, .fraction = 0.5};
  REQUIRE(setup.d_head() == 4);
  const auto trace = compute_trace(setup);
  for (const TensorId tensor : {TensorId::Q_rotated, TensorId::K_rotated, gradient_of(TensorId::Q_heads)})
    for (const Cell& cell : cells(tensor, (*trace)[tensor].shape())) {
      CAPTURE(to_string(cell));
      const Explanation explanation = explain(*trace, cell);
      CHECK(sum_of_terms(explanation) == doctest::Approx(explanation.value).epsilon(1e-12));
      CHECK(explanation.terms.size() == (cell.index[3] < 2 ? 2 : 1));
    }
}
