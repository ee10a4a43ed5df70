// For the cells of every tensor of every lecture, the terms of their explanations add up to their numbers. Of a tensor
// with more than 5,000 a sample is taken, but with ./test --long.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "core/engine/engine.hpp"
#include "core/stages/explain.hpp"
#include "lectures.hpp"
#include "tests/effort.hpp"

using namespace headlight;
using headlight::testing::is_long_run;

namespace {

/// The allowed difference between the sum of the terms and the cell. In float64 it is 1e-12 of the cell itself, however
/// much the terms cancel. In float32, where a long sum rounds after every step, it is relative to the size of the
/// terms.
double allowed(const Explanation& explanation, Precision precision) {
  if (precision == Precision::float64) return 1e-12 * std::abs(explanation.value);
  double size = 0;
  for (const Term& term : explanation.terms) size += std::abs(term.value);
  return 2e-6 * size + 2 * static_cast<double>(std::numeric_limits<float>::denorm_min());
}

bool adds_up(const Explanation& explanation, Precision precision) {
  double sum = 0;
  for (const Term& term : explanation.terms) sum += term.value;
  if (sum == explanation.value) return true;
  return std::abs(sum - explanation.value) <= allowed(explanation, precision);
}

/// The most cells that are checked per tensor, but in a long run: of a larger one every so many-th. Sanitized code is
/// ten times slower.
#ifdef HEADLIGHT_SANITIZED
constexpr Index cells_at_most = 2'000;
#else
constexpr Index cells_at_most = 5'000;
#endif

/// Every how many-th cell is checked. It has no divisor in common with an extent, so no row, column or head is left out
/// for good.
Index stride_through(const Shape& extents) {
  if (is_long_run() || extents.elements() <= cells_at_most) return 1;
  Index stride = extents.elements() / cells_at_most;
  const auto shares_a_divisor = [&](Index extent) { return extent > 1 && std::gcd(extent, stride) > 1; };
  while (std::any_of(extents.begin(), extents.end(), shares_a_divisor)) ++stride;
  return stride;
}

void walk(const Trace& trace, TensorId tensor) {
  const Shape& extents = trace[tensor].shape();
  Cell cell{tensor, extents};
  for (int axis = 0; axis < extents.rank(); ++axis) cell.index[axis] = 0;
  const Index stride = stride_through(extents);
  Index wrong = 0;
  Index count = 0;
  do {
    if (count++ % stride != 0) continue;
    const Explanation explanation = explain(trace, cell);
    if (explanation.value == trace.value(cell) && adds_up(explanation, trace.setup.attention.precision)) continue;
    if (wrong++ == 0) FAIL_CHECK(to_string(cell) << ": " << explanation.numbers);
  } while (advance(cell.index, extents));
  CHECK(wrong == 0);
}

void walk(const std::string& lecture_id) {
  for (const Part& part : read_lecture(std::string(HEADLIGHT_LECTURES "/") + lecture_id + ".md").parts) {
    const auto trace = compute_trace(part.setup);
    for (const TensorInfo& tensor : all_tensors()) {
      INFO(lecture_id, ", ", part.id, ", ", tensor.name);
      if (trace->has(tensor.id)) walk(*trace, tensor.id);
    }
  }
}

}  // namespace

TEST_CASE("numpy-from-scratch: every explanation adds up") { walk("numpy-from-scratch"); }
TEST_CASE("behind-the-scenes: every explanation adds up") { walk("behind-the-scenes"); }
TEST_CASE("udl-12-2: every explanation adds up") { walk("udl-12-2"); }
TEST_CASE("valid-lengths: every explanation adds up") { walk("valid-lengths"); }
TEST_CASE("shapes: every explanation adds up") { walk("shapes"); }
TEST_CASE("meaning: every explanation adds up") { walk("meaning"); }
TEST_CASE("scale: every explanation adds up") { walk("scale"); }
TEST_CASE("masks: every explanation adds up") { walk("masks"); }
TEST_CASE("mistakes: every explanation adds up") { walk("mistakes"); }
TEST_CASE("learning: every explanation adds up, those of the gradients too") { walk("learning"); }
