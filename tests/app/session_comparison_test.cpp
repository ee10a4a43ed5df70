#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "../core/setups.hpp"
#include "app/session/session.hpp"
#include "app/session/studies/comparison.hpp"
#include "tests/core/some_threads.hpp"

using namespace headlight;
using headlight::testing::some_threads;

namespace {

const TensorComparison& of(const std::vector<TensorComparison>& all, TensorId tensor) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.tensor == tensor; });
  REQUIRE(found != all.end());
  return *found;
}

}  // namespace

TEST_CASE("a trace equals itself in every tensor") {
  const auto trace = compute_trace(testing::small_setup());
  const auto all = compare(some_threads(), *trace, *trace);
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
  const auto all = compare(some_threads(), *a, *b);
  CHECK(of(all, TensorId::dot_products).equal);
  CHECK(of(all, TensorId::V_heads).equal);
  for (TensorId tensor : {TensorId::scores, TensorId::weights, TensorId::output}) {
    const TensorComparison& one = of(all, tensor);
    CHECK(!one.equal);
    REQUIRE(one.where);
    CHECK(std::abs(b->value(*one.where) - a->value(*one.where)) == one.largest);
    const Tensor difference = difference_of(some_threads(), (*a)[tensor], (*b)[tensor]);
    double largest = 0;
    for (Index i = 0; i < difference.elements(); ++i)
      largest = std::max(largest, std::abs(difference.data<double>()[i]));
    CHECK(largest == one.largest);
    CHECK(difference.at(std::span(one.where->index.begin(), one.where->index.end())) ==
          b->value(*one.where) - a->value(*one.where));
  }
}

TEST_CASE("a cell that is masked in one only is counted apart") {
  const Setup open = testing::small_setup();
  Setup causal = open;
  causal.mask.kinds = {MaskKind::causal};
  const auto a = compute_trace(open);
  const auto b = compute_trace(causal);
  const TensorComparison masked = of(compare(some_threads(), *a, *b), TensorId::masked_scores);
  CHECK(!masked.equal);
  CHECK(masked.not_finite == open.sizes.heads * 6);  // above the diagonal of 4 × 4
  CHECK(masked.largest == 0);
  CHECK(difference_of(some_threads(), (*a)[TensorId::masked_scores], (*b)[TensorId::masked_scores]).at({0, 0, 0, 1}) ==
        -std::numeric_limits<double>::infinity());
}

TEST_CASE("the larger masked score is hidden where both masks hide it") {
  Setup causal = testing::small_setup();
  causal.mask.kinds = {MaskKind::causal};
  Setup window = causal;
  window.mask.kinds = {MaskKind::window};
  window.mask.window = 1;
  const TensorId scores = TensorId::masked_scores;
  const Tensor hidden = larger_of(some_threads(), (*compute_trace(causal))[scores], (*compute_trace(window))[scores]);
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
  const auto all = compare(some_threads(), *a, *b);
  CHECK(!of(all, TensorId::weights).comparable());
  CHECK(of(all, TensorId::weights).a == Shape{1, 2, 4, 4});
  CHECK(of(all, TensorId::weights).b == Shape{1, 4, 4, 4});
  CHECK(of(all, TensorId::X).equal);
  CHECK(!of(all, TensorId::b_q).b);
  CHECK(!of(all, TensorId::b_q).comparable());
}

TEST_CASE("large tensors are compared as small ones: the first of the largest differences, and what is not finite") {
  std::mt19937 random(4);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    for (int round = 0; round < 4; ++round) {
      Trace a;
      Trace b;
      const Index elements = 600'000 + round;
      a[TensorId::X] = Tensor::zeros(precision, {1, 1, elements});
      b[TensorId::X] = Tensor::zeros(precision, {1, 1, elements});
      double largest = 0;
      Index where = -1;
      Index odd = 0;
      with_element_type(precision, [&](auto zero) {
        using T = decltype(zero);
        for (Index i = 0; i < elements; ++i) {
          T from = static_cast<T>(random() % 50);
          T to = random() % 3 ? from : static_cast<T>(random() % 50);
          if (round % 2 && random() % 1000 == 0) from = static_cast<T>(random() % 2 ? infinity : std::nan(""));
          if (round % 2 && random() % 1000 == 0) to = static_cast<T>(random() % 2 ? -infinity : infinity);
          if (round == 2) to = from;
          a[TensorId::X].writable<T>()[i] = from;
          b[TensorId::X].writable<T>()[i] = to;
          const bool both = std::isfinite(from) && std::isfinite(to);
          odd += !both && from != to && !(std::isnan(from) && std::isnan(to));
          const double apart = both ? std::abs(static_cast<double>(to) - static_cast<double>(from)) : 0;
          if (apart > largest) where = i;
          largest = std::max(largest, apart);
        }
      });
      const TensorComparison found = of(compare(some_threads(), a, b), TensorId::X);
      CHECK(found.measured);
      CHECK(found.equal == (largest == 0 && odd == 0));
      CHECK(found.largest == largest);
      CHECK(found.not_finite == odd);
      CHECK(found.where.has_value() == (where >= 0));
      if (where >= 0) CHECK(found.where->index[2] == where);
    }
  }
  const auto shapes = compare_shapes(*compute_trace(testing::small_setup()), *compute_trace(testing::small_setup()));
  CHECK_FALSE(of(shapes, TensorId::weights).measured);
  CHECK_FALSE(of(shapes, TensorId::weights).equal);
  CHECK(of(shapes, TensorId::weights).comparable());
}
