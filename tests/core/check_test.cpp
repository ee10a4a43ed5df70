#include <doctest/doctest.h>

#include <cmath>

#include "core/engine/engine.hpp"
#include "core/lecture/check.hpp"
#include "setups.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

Lecture lecture_with(const Setup& setup, Fact fact) {
  Lecture lecture;
  lecture.parts.push_back({.id = "main", .title = "Main", .setup = setup, .facts = {std::move(fact)}});
  return lecture;
}

/// A fact that prints a whole tensor with three decimals.
Fact printed(const Tensor& tensor, TensorId id) {
  Fact fact;
  fact.tensor = id;
  fact.decimals = 3;
  fact.values_shape = tensor.shape();
  const Tensor values = tensor.contiguous();
  for (Index i = 0; i < values.elements(); ++i)
    fact.values.push_back(std::round(values.data<double>()[i] * 1000) / 1000);
  return fact;
}

}  // namespace

TEST_CASE("printed values hold up to their last decimal, and one digit off does not") {
  const Setup setup = small_setup();
  const auto trace = compute_trace(setup);
  Fact fact = printed((*trace)[TensorId::output], TensorId::output);
  auto results = check(lecture_with(setup, fact));
  REQUIRE(results.size() == 1);
  CHECK(results[0].verdict == FactResult::Verdict::holds);
  CHECK(results[0].what == "output, 32 values to 3 decimals");
  CHECK(*results[0].largest_difference <= 0.0005);

  fact.values[5] += 0.001;
  results = check(lecture_with(setup, fact));
  CHECK(results[0].verdict == FactResult::Verdict::differs);
  CHECK(results[0].detail == "1 of 32 values differ");
}

TEST_CASE("printed values are turned as the notebook turns them, and may be one block") {
  Setup setup = small_setup();
  setup.attention.token_axis = TokenAxis::columns;
  const auto trace = compute_trace(setup);
  const Fact turned = printed((*trace)[TensorId::output].transposed(1, 2), TensorId::output);
  CHECK(check(lecture_with(setup, turned))[0].verdict == FactResult::Verdict::holds);

  setup.attention.token_axis = TokenAxis::rows;
  const auto upright = compute_trace(setup);
  Fact row = printed((*upright)[TensorId::weights].selected(0, 0).selected(0, 1).selected(0, 2), TensorId::weights);
  row.at = {0, 1, 2};
  const FactResult block = check(lecture_with(setup, row))[0];
  CHECK(block.verdict == FactResult::Verdict::holds);
  CHECK(block.what == "weights[0, 1, 2], 4 values to 3 decimals");
}

TEST_CASE("a shape fact compares shapes, and what nobody can reproduce is not compared") {
  const Setup setup = small_setup();
  Fact fact;
  fact.tensor = TensorId::weights;
  fact.printed_shape = Shape{1, 2, 4, 4};
  CHECK(check(lecture_with(setup, fact))[0].verdict == FactResult::Verdict::holds);
  fact.printed_shape = Shape{1, 4, 4, 2};
  CHECK(check(lecture_with(setup, fact))[0].verdict == FactResult::Verdict::differs);
  fact.printed_shape = std::nullopt;
  fact.values = {1, 2, 3};
  fact.not_reproducible = "printed without a seed";
  CHECK(check(lecture_with(setup, fact))[0].verdict == FactResult::Verdict::not_reproducible);
}

TEST_CASE("a check that nobody waits for is stopped") {
  std::stop_source source;
  const Lecture lecture = lecture_with(small_setup(), Fact{});
  CHECK(check(lecture, source.get_token()).size() == 1);
  source.request_stop();
  CHECK_THROWS_AS(check(lecture, source.get_token()), Stopped);
}
