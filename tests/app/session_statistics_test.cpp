#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "app/session/head_statistics.hpp"
#include "app/session/tensor_statistics.hpp"

using namespace headlight;

namespace {

Tensor tensor_of(const Shape& shape, const std::vector<double>& values) {
  Tensor tensor = Tensor::uninitialized(Precision::float64, shape);
  std::copy(values.begin(), values.end(), tensor.writable<double>());
  return tensor;
}

/// Three tokens, two heads, causal. The expected measures below were made with NumPy.
Trace two_heads() {
  Trace trace;
  trace.setup.sizes = {.batch = 1, .query_length = 3, .key_length = {}, .d_model = 4, .heads = 2, .kv_heads = {}};
  trace.setup.mask.kinds = {MaskKind::causal};
  trace[TensorId::weights] = tensor_of({1, 2, 3, 3}, {1, 0, 0, 0.5, 0.5, 0, 0.2, 0.3, 0.5,  //
                                                     1, 0, 0, 0.25, 0.75, 0, 0.6, 0.1, 0.3});
  return trace;
}

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("the measures of a head are means over its queries") {
  const HeadStatistics found = head_statistics(two_heads(), 0);
  REQUIRE(found.heads.size() == 2);
  CHECK(found.heads[0].entropy == doctest::Approx(0.8284917657424448).epsilon(1e-12));
  CHECK(found.heads[0].distance == doctest::Approx(0.4).epsilon(1e-12));
  CHECK(found.heads[0].diagonal == doctest::Approx(2.0 / 3).epsilon(1e-12));
  CHECK(found.heads[0].peak == doctest::Approx(2.0 / 3).epsilon(1e-12));
  CHECK(found.heads[1].entropy == doctest::Approx(0.702246656232485).epsilon(1e-12));
  CHECK(found.heads[1].distance == doctest::Approx((0 + 0.25 + 1.3) / 3).epsilon(1e-12));
  CHECK(found.heads[1].diagonal == doctest::Approx((1 + 0.75 + 0.3) / 3).epsilon(1e-12));
  CHECK(found.heads[1].peak == doctest::Approx((1 + 0.75 + 0.6) / 3).epsilon(1e-12));
}

TEST_CASE("even attention spreads over the visible keys only") {
  const HeadMeasures even = head_statistics(two_heads(), 0).even;
  CHECK(even.entropy == doctest::Approx((0 + 1 + std::log2(3.0)) / 3).epsilon(1e-12));
  CHECK(even.distance == doctest::Approx((0 + 0.5 + 1) / 3).epsilon(1e-12));
  CHECK(even.diagonal == doctest::Approx((1 + 0.5 + 1.0 / 3) / 3).epsilon(1e-12));
  CHECK(even.peak == doctest::Approx((1 + 0.5 + 1.0 / 3) / 3).epsilon(1e-12));
}

TEST_CASE("queries that see nothing count for nothing") {
  Trace trace = two_heads();
  trace[TensorId::weights] = tensor_of({1, 2, 3, 3}, {0, 0, 0, 0.5, 0.5, 0, 0, 0, 0,  //
                                                     0, 0, 0, 0, 0, 0, 0, 0, 0});
  const HeadStatistics found = head_statistics(trace, 0);
  CHECK(found.heads[0].entropy == doctest::Approx(1));
  CHECK(found.heads[0].diagonal == doctest::Approx(0.5));
  CHECK(found.heads[1] == HeadMeasures{});
  CHECK(head_distances(trace, 0) == std::vector<double>{0, 0, 0, 0});
}

TEST_CASE("statistics that nobody waits for are not worked out") {
  std::stop_source source;
  source.request_stop();
  CHECK(head_statistics(two_heads(), 0, TensorId::weights, source.get_token()).heads.empty());
  CHECK(head_distances(two_heads(), 0, TensorId::weights, source.get_token()).empty());
}

TEST_CASE("dropped weights are read as the shares that they have left") {
  Trace trace = two_heads();
  trace[TensorId::dropped_weights] = tensor_of({1, 2, 3, 3}, {2, 0, 0, 1, 1, 0, 0.4, 0.6, 1,  //
                                                             2, 0, 0, 0.5, 1.5, 0, 1.2, 0.2, 0.6});
  const HeadStatistics dropped = head_statistics(trace, 0, TensorId::dropped_weights);
  CHECK(dropped.heads[0].entropy == doctest::Approx(0.8284917657424448).epsilon(1e-12));
  CHECK(dropped.heads[1].peak == doctest::Approx((1 + 0.75 + 0.6) / 3).epsilon(1e-12));
}

TEST_CASE("heads are as far apart as their rows are on average") {
  const auto distances = head_distances(two_heads(), 0);
  REQUIRE(distances.size() == 4);
  CHECK(distances[0] == 0);
  CHECK(distances[3] == 0);
  CHECK(distances[1] == distances[2]);
  CHECK(distances[1] == doctest::Approx(0.19448974766511337).epsilon(1e-12));

  Trace apart = two_heads();
  apart[TensorId::weights] = tensor_of({1, 2, 3, 3}, {1, 0, 0, 1, 0, 0, 1, 0, 0,  //
                                                     0, 1, 0, 0, 1, 0, 0, 0.5, 0.5});
  CHECK(head_distances(apart, 0)[1] == doctest::Approx(1).epsilon(1e-12));
}

TEST_CASE("heads are shown by index or from the smallest measure on, without the hidden ones") {
  HeadStatistics statistics;
  statistics.heads = {{.entropy = 2}, {.entropy = 1}, {.entropy = 3}, {.entropy = 1}};
  CHECK(ordered_heads(statistics, {}) == std::vector<Index>{0, 1, 2, 3});
  CHECK(ordered_heads(statistics, {HeadOrder::entropy, {}}) == std::vector<Index>{1, 3, 0, 2});
  CHECK(ordered_heads(statistics, {HeadOrder::entropy, {1, 2}}) == std::vector<Index>{3, 0});
}

TEST_CASE("a tensor's statistics are those of its finite numbers, and the rest is counted") {
  const Tensor tensor = tensor_of({2, 4}, {-infinity, 1, 2, not_a_number, infinity, 3, -infinity, 6});
  const TensorStatistics masked = tensor_statistics(tensor, true);
  CHECK(masked == TensorStatistics{.finite = 4, .masked = 2, .nan = 1, .infinite = 1, .min = 1, .max = 6, .mean = 3,
                                   .standard_deviation = masked.standard_deviation});
  CHECK(masked.standard_deviation == doctest::Approx(std::sqrt(3.5)).epsilon(1e-12));
  CHECK(tensor_statistics(tensor).infinite == 3);
  CHECK(tensor_statistics(tensor).masked == 0);
  CHECK(tensor_statistics(tensor_of({1}, {not_a_number})) == TensorStatistics{.nan = 1});
  CHECK(tensor_statistics(Tensor{}) == TensorStatistics{});
}

TEST_CASE("a large offset does not spoil the standard deviation") {
  const TensorStatistics found = tensor_statistics(tensor_of({4}, {1e6 + 0.1, 1e6 + 0.4, 1e6 - 0.2, 1e6 + 7}));
  CHECK(found.mean == doctest::Approx(1000001.825).epsilon(1e-15));
  CHECK(found.standard_deviation == doctest::Approx(2.9953088321500916).epsilon(1e-12));
}

TEST_CASE("statistics of a window see the window only") {
  const Tensor tensor = tensor_of({2, 3}, {1, 2, 30, 4, 5, 60});
  CHECK(tensor_statistics(tensor.narrowed(1, 0, 2)).max == 5);
  CHECK(tensor_statistics(tensor.selected(1, 2)).min == 30);
}

TEST_CASE("a histogram counts like np.histogram") {
  const Tensor tensor = tensor_of({10}, {0, 0.1, 0.25, 0.5, 0.74, 0.75, 1, 1.2, -0.1, not_a_number});
  CHECK(histogram(tensor, 0, 1, 4) == std::vector<Index>{2, 1, 2, 2});
  CHECK(histogram(tensor_of({3}, {5, 5, 5}), 5, 5, 2) == std::vector<Index>{3, 0});
  CHECK(histogram(tensor, 0, 1, 0).empty());
  const Tensor powers = tensor_of({6}, {0, 0.001, 0.005, 0.02, 0.5, 1});
  CHECK(logarithmic_histogram(powers, 0.001, 1, 3) == std::vector<Index>{2, 1, 2});
  CHECK(logarithmic_histogram(powers, 0, 1, 3) == std::vector<Index>{0, 0, 0});
  CHECK(histogram(tensor, not_a_number, 1, 2) == std::vector<Index>{0, 0});
}
