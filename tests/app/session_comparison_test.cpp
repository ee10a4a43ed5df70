#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../core/setups.hpp"
#include "app/session/comparison.hpp"
#include "app/session/session.hpp"

using namespace headlight;

namespace {

const TensorComparison& of(const std::vector<TensorComparison>& all, TensorId tensor) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.tensor == tensor; });
  REQUIRE(found != all.end());
  return *found;
}

}  // namespace

TEST_CASE("a trace equals itself in every tensor") {
  const auto trace = compute_trace(testing::small_setup());
  const auto all = compare(*trace, *trace);
  REQUIRE(!all.empty());
  for (const TensorComparison& one : all) {
    CHECK(one.equal);
    CHECK(one.largest == 0);
    CHECK(!one.where);
  }
}

TEST_CASE("a temperature leaves what comes before the scores equal, and the largest difference is where it says") {
  const Setup setup = testing::small_setup();
  Setup warm = setup;
  warm.attention.temperature = 3;
  const auto a = compute_trace(setup);
  const auto b = compute_trace(warm);
  const auto all = compare(*a, *b);
  CHECK(of(all, TensorId::dot_products).equal);
  CHECK(of(all, TensorId::V_heads).equal);
  for (TensorId tensor : {TensorId::scores, TensorId::weights, TensorId::output}) {
    const TensorComparison& one = of(all, tensor);
    CHECK(!one.equal);
    REQUIRE(one.where);
    CHECK(std::abs(b->value(*one.where) - a->value(*one.where)) == one.largest);
    const Tensor difference = difference_of((*a)[tensor], (*b)[tensor]);
    double largest = 0;
    for (Index i = 0; i < difference.elements(); ++i)
      largest = std::max(largest, std::abs(difference.data<double>()[i]));
    CHECK(largest == one.largest);
    CHECK(difference.at(std::span(one.where->index.begin(), one.where->index.end())) ==
          b->value(*one.where) - a->value(*one.where));
  }
}

TEST_CASE("masked in one only is counted and is no number") {
  const Setup open = testing::small_setup();
  Setup causal = open;
  causal.mask.kinds = {MaskKind::causal};
  const auto a = compute_trace(open);
  const auto b = compute_trace(causal);
  const TensorComparison masked = of(compare(*a, *b), TensorId::masked_scores);
  CHECK(!masked.equal);
  CHECK(masked.not_finite == open.sizes.heads * 6);  // above the diagonal of 4 × 4
  CHECK(masked.largest == 0);
  CHECK(difference_of((*a)[TensorId::masked_scores], (*b)[TensorId::masked_scores]).at({0, 0, 0, 1}) ==
        -std::numeric_limits<double>::infinity());
  CHECK(hidden_in_both(*a, *b).empty());
}

TEST_CASE("hidden in both is what both masks hide") {
  Setup causal = testing::small_setup();
  causal.mask.kinds = {MaskKind::causal};
  Setup window = causal;
  window.mask.kinds = {MaskKind::window};
  window.mask.window = 1;
  const Tensor hidden = hidden_in_both(*compute_trace(causal), *compute_trace(window));
  REQUIRE(!hidden.empty());
  CHECK(std::isinf(hidden.at({0, 1, 0, 2})));   // in the future and too far
  CHECK(!std::isinf(hidden.at({0, 1, 0, 1})));  // in the future only
  CHECK(!std::isinf(hidden.at({0, 1, 3, 0})));  // too far only
}

TEST_CASE("shapes that differ and tensors that one state lacks are said, not subtracted") {
  Setup setup = testing::small_setup();
  const auto a = compute_trace(setup);
  setup.sizes.heads = 4;
  setup.random.draws = testing::draws({"seed 0", "X normal", "W_q normal"});
  const auto b = compute_trace(setup);
  const auto all = compare(*a, *b);
  CHECK(!of(all, TensorId::weights).comparable());
  CHECK(of(all, TensorId::weights).a == Shape{1, 2, 4, 4});
  CHECK(of(all, TensorId::weights).b == Shape{1, 4, 4, 4});
  CHECK(of(all, TensorId::X).equal);
  CHECK(!of(all, TensorId::b_q).b);
  CHECK(!of(all, TensorId::b_q).comparable());
}
