// Trying a fix: with a mistake mended, and everything else as it was, the rest must follow.
#include "core/diagnose/mend.hpp"

#include <algorithm>

#include <doctest/doctest.h>

#include "core/diagnose/arrays/layout.hpp"
#include "core/diagnose/diagnose.hpp"
#include "core/engine/engine.hpp"
#include "setups.hpp"

using namespace headlight;
using enum TensorId;

namespace {

std::vector<GivenArray> arrays_of(const Trace& trace, Precision precision, const std::vector<TensorId>& ids) {
  std::vector<GivenArray> arrays;
  for (const TensorId id : ids) arrays.push_back({std::string(name(id)), converted(trace[id], precision), {}});
  return arrays;
}

struct Desk {
  std::shared_ptr<const Trace> ours = compute_trace(testing::small_setup());
  std::shared_ptr<Threads> threads = std::make_shared<Threads>();

  CheckReport check(const std::vector<GivenArray>& arrays, const Naming& names = {}) {
    return diagnose(*ours, arrays, {names, {}}, "mine", threads);
  }
  CheckReport tried(const CheckReport& report, const Diagnosis& mistake) {
    return check(mended(*ours, report, mistake, *threads), names_of(report));
  }
};

const std::vector<TensorId> main_tensors{Q, K, V, scores, weights, context, concat, output};

}  // namespace

TEST_CASE("with the one mistake mended, all tensors are ours again, but for the rounding of theirs") {
  Desk desk;
  Setup wrong = testing::small_setup();
  wrong.attention.scale = NoScale{};
  const CheckReport report = desk.check(arrays_of(*compute_trace(wrong), Precision::float32, main_tensors));
  REQUIRE_FALSE(report.agrees);
  REQUIRE(report.diagnoses.front().mistake == "scale_missing");
  const CheckReport after = desk.tried(report, report.diagnoses.front());
  CHECK(after.agrees);
  REQUIRE(after.tensors.size() == main_tensors.size());
  // Theirs is float32, and so is what the fix makes of it: near, and not ours.
  CHECK(after.tensors.back().max_abs > 0);
  CHECK(after.tensors.back().max_abs < 1e-5);
  CHECK(after.tensors.back().theirs.precision() == Precision::float32);
}

TEST_CASE("the output alone can be mended too") {
  Desk desk;
  Setup wrong = testing::small_setup();
  wrong.attention.scale = NoScale{};
  const CheckReport report = desk.check(arrays_of(*compute_trace(wrong), Precision::float64, {output}));
  REQUIRE(report.diagnoses.front().explains);
  CHECK(desk.tried(report, report.diagnoses.front()).agrees);
}

TEST_CASE("a second mistake further on is still there when the first is mended, and the other way round") {
  Desk desk;
  Setup unscaled = testing::small_setup();
  unscaled.attention.scale = NoScale{};
  std::vector<GivenArray> arrays = arrays_of(*compute_trace(unscaled), Precision::float64, main_tensors);
  arrays.back().values = arrays[arrays.size() - 2].values;  // the output projection is missing
  const CheckReport report = desk.check(arrays);
  const auto at = [&](std::string_view mistake) {
    return *std::ranges::find_if(report.diagnoses,
                                 [&](const Diagnosis& one) { return one.explains && one.mistake == mistake; });
  };
  const CheckReport scaled = desk.tried(report, at("scale_missing"));
  CHECK(scaled.first_difference == output);
  CHECK_FALSE(scaled.tensors.back().step_agrees);
  const CheckReport projected = desk.tried(report, at("output_projection_missing"));
  CHECK(projected.first_difference == scores);
  CHECK(projected.tensors.back().step_agrees);
}

TEST_CASE("with the right draws, everything that follows from them is right") {
  Desk desk;
  Setup other = testing::small_setup();
  other.random.draws.front() = SeedDraw{77};
  const auto theirs = compute_trace(other);
  for (const bool with_draws : {true, false}) {
    CAPTURE(with_draws);
    std::vector<TensorId> ids{Q, output};
    if (with_draws) ids.insert(ids.begin(), {X, W_q, W_k, W_v, W_o});
    const CheckReport report = desk.check(arrays_of(*theirs, Precision::float64, ids));
    REQUIRE(report.diagnoses.front().mistake == "other_seed");
    CHECK(desk.tried(report, report.diagnoses.front()).agrees);
  }
}
