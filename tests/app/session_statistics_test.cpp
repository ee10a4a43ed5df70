#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

#include "app/session/studies/head_statistics.hpp"
#include "app/session/studies/key_shares.hpp"
#include "app/session/studies/tensor_statistics.hpp"
#include "tests/core/some_threads.hpp"

using namespace headlight;
using headlight::testing::some_threads;

namespace {

Tensor tensor_of(const Shape& shape, const std::vector<double>& values) {
  Tensor tensor = Tensor::uninitialized(Precision::float64, shape);
  std::copy(values.begin(), values.end(), tensor.writable<double>());
  return tensor;
}

/// Three tokens, two heads, a causal mask. The expected measures below were computed with NumPy.
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
  const HeadStatistics found = head_statistics(some_threads(), two_heads(), 0);
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

TEST_CASE("simple patterns of attention have names") {
  using Found = std::optional<FoundPattern>;
  const auto pattern = [](std::vector<double> weights, std::vector<std::string> tokens = {},
                          std::vector<MaskKind> mask = {}) {
    Trace trace;
    trace.setup.sizes = {.batch = 1, .query_length = 3, .key_length = {}, .d_model = 4, .heads = 1, .kv_heads = {}};
    trace.setup.mask.kinds = std::move(mask);
    trace.setup.tokens = std::move(tokens);
    trace[TensorId::weights] = tensor_of({1, 1, 3, 3}, weights);
    return found_pattern(trace, TensorId::weights, 0);
  };
  const auto is = [](const Found& found, HeadPattern expected, double share) {
    REQUIRE(found);
    CHECK(head_patterns[static_cast<std::size_t>(found->pattern)] == head_patterns[static_cast<std::size_t>(expected)]);
    CHECK(found->share == doctest::Approx(share).epsilon(1e-12));
  };
  // The first query has no position before it, so that only the other two count.
  is(pattern({0, 0, 1, 0.9, 0, 0.1, 0.2, 0.7, 0.1}), HeadPattern::previous, 0.8);
  is(pattern({0.7, 0.1, 0.2, 0.9, 0, 0.1, 0.8, 0, 0.2}), HeadPattern::first, 0.8);
  is(pattern({0.7, 0.1, 0.2, 0, 0.9, 0.1, 0.2, 0, 0.8}), HeadPattern::itself, 0.8);
  is(pattern({0.1, 0.9, 0, 0.2, 0.1, 0.7, 0.4, 0.3, 0.3}), HeadPattern::next, 0.8);
  // The token in the middle stands nowhere else; the two others look at each other.
  const std::vector<double> at_same{0.1, 0, 0.9, 0.5, 0, 0.5, 0.7, 0.1, 0.2};
  is(pattern(at_same, {"a", "b", "a"}), HeadPattern::same_symbol, 0.8);
  is(pattern(at_same), HeadPattern::one_key, (0.9 + 0.5 + 0.2) / 3);
  // Under a causal mask the first query sees one key, and says nothing.
  is(pattern({1, 0, 0, 0.5, 0.5, 0, 0.3, 0.3, 0.4}, {}, {MaskKind::causal}), HeadPattern::even,
     (1 + (0.3 + 0.3 + 1.0 / 3)) / 2);
  is(pattern({1, 0, 0, 0.9, 0.1, 0, 0, 1, 0}, {}, {MaskKind::causal}), HeadPattern::previous, 0.95);
  is(pattern({0.2, 0, 0.8, 0.5, 0, 0.5, 0.1, 0.5, 0.4}), HeadPattern::one_key, (0.8 + 0.5 + 0.4) / 3);
  const Found weak = pattern({0.4, 0.2, 0.4, 0.3, 0.4, 0.3, 0.4, 0.3, 0.3});
  REQUIRE(weak);
  CHECK(weak->pattern == HeadPattern::even);
  const Found some = pattern({0.1, 0.1, 0.8, 0, 1, 0, 0.8, 0.2, 0});
  REQUIRE(some);
  CHECK(some->pattern == HeadPattern::one_key);
  CHECK_FALSE(some->is_clear());
  Setup setup;
  setup.tokens = {"street", "it"};
  setup.sizes.query_length = 2;
  CHECK(short_words({HeadPattern::same_symbol, 0.974}, setup) == "same symbol 97 %");
  CHECK(short_words({HeadPattern::one_key, 0.41, 1}, setup) == "it 41 %");
  CHECK(sentence_of({HeadPattern::first, 0.8}, setup) == "80 % of the attention goes to the first position");
  CHECK(sentence_of({HeadPattern::one_key, 0.41, 1}, setup) == "41 % of the attention goes to it");
}

TEST_CASE("equal tokens are found among very many at once") {
  constexpr Index count = 1'000'000;
  Trace trace;
  trace.setup.sizes = {.batch = 1, .query_length = count, .key_length = {}, .d_model = 4, .heads = 1, .kv_heads = {}};
  for (Index i = 0; i + 1 < count; ++i) trace.setup.tokens.push_back(std::to_string(i));
  trace.setup.tokens.emplace_back("0");
  // One query alone, which looks at the last token: a matrix for all of them wouldn't fit in memory.
  trace[TensorId::weights] = Tensor::zeros(Precision::float64, {1, 1, 1, count});
  trace[TensorId::weights].writable<double>()[count - 1] = 1;
  CHECK(found_pattern(trace, TensorId::weights, 0) == FoundPattern{HeadPattern::same_symbol, 1});
}

TEST_CASE("with a task the name of a head goes by what is asked, in all sequences") {
  Setup setup;
  setup.sizes = {.batch = 2, .query_length = 3, .key_length = {}, .d_model = 6, .heads = 1, .kv_heads = {}};
  setup.task = {.name = TaskName::lookup, .symbols = 3, .seed = 0};
  Trace trace;
  trace.setup = setup;
  trace.sequences = std::make_shared<const Sequences>(lookups(3, 2, 3, 0, {2, 0, 1, 2}, {1, 1, 0, 2}, {1, 0}));
  trace[TensorId::weights] = tensor_of({2, 1, 3, 3}, {1, 0, 0, 0, 0, 1, 0.1, 0.9, 0,  //
                                                      0, 0, 1, 1, 0, 0, 0.7, 0.2, 0.1});
  const auto found = found_pattern(trace, TensorId::weights, 0);
  REQUIRE(found);
  CHECK(found->pattern == HeadPattern::same_symbol);
  CHECK(found->share == doctest::Approx(0.8).epsilon(1e-12));
}

TEST_CASE("induction is the share of attention on what followed the same symbol, over all that is asked") {
  // a b c a b: positions 3 and 4 are asked what followed the first time, at 1 and at 2.
  Setup setup;
  setup.sizes = {.batch = 2, .query_length = 4, .key_length = {}, .d_model = 6, .heads = 2, .kv_heads = {}};
  setup.task = {.name = TaskName::induction, .symbols = 4, .seed = 0};
  Trace trace;
  trace.setup = setup;
  trace.sequences = std::make_shared<const Sequences>(repeats(2, 4, 0, {0, 1, 2, 3, 2, 1}, {1, 0}));
  REQUIRE(trace.sequences->asked == 2);  // 0 1 2 | 1 and 3 2 1 | 3
  std::vector<double> weights(2 * 2 * 16, 0.0);
  const auto weight = [&](Index item, Index head, Index key) -> double& {
    return weights[static_cast<std::size_t>(((item * 2 + head) * 4 + 3) * 4 + key)];
  };
  weight(0, 0, 2) = 0.9;  // behind the first 1
  weight(0, 0, 1) = 0.1;
  weight(1, 0, 1) = 0.7;  // behind the first 3
  weight(1, 0, 3) = 0.3;
  weight(0, 1, 1) = 1;  // at the same symbol itself
  weight(1, 1, 0) = 1;
  trace[TensorId::weights] = tensor_of({2, 2, 4, 4}, weights);
  CHECK(prefix_match(*trace.sequences, trace[TensorId::weights], 0) == doctest::Approx(0.8).epsilon(1e-12));
  CHECK(prefix_match(*trace.sequences, trace[TensorId::weights], 1) == 0);
  const auto found = found_pattern(trace, TensorId::weights, 0);
  REQUIRE(found);
  CHECK(found->pattern == HeadPattern::induction);
  CHECK(found->share == doctest::Approx(0.8).epsilon(1e-12));
  CHECK(short_words(*found, setup) == "induction 80 %");
  CHECK(sentence_of(*found, setup) == "80 % of the attention goes to positions that follow the query's own symbol");
  CHECK(found_pattern(trace, TensorId::weights, 1)->pattern == HeadPattern::same_symbol);
  // A key and its value in one position are no symbol.
  CHECK_FALSE(prefix_match(lookups(3, 2, 3, 0, {2, 0, 1, 2}, {1, 1, 0, 2}, {1, 0}), trace[TensorId::weights], 0));
}

TEST_CASE("even attention spreads over the visible keys only") {
  const HeadMeasures even = head_statistics(some_threads(), two_heads(), 0).even;
  CHECK(even.entropy == doctest::Approx((0 + 1 + std::log2(3.0)) / 3).epsilon(1e-12));
  CHECK(even.distance == doctest::Approx((0 + 0.5 + 1) / 3).epsilon(1e-12));
  CHECK(even.diagonal == doctest::Approx((1 + 0.5 + 1.0 / 3) / 3).epsilon(1e-12));
  CHECK(even.peak == doctest::Approx((1 + 0.5 + 1.0 / 3) / 3).epsilon(1e-12));
}

TEST_CASE("queries that see nothing count for nothing") {
  Trace trace = two_heads();
  trace[TensorId::weights] = tensor_of({1, 2, 3, 3}, {0, 0, 0, 0.5, 0.5, 0, 0, 0, 0,  //
                                                      0, 0, 0, 0, 0, 0, 0, 0, 0});
  const HeadStatistics found = head_statistics(some_threads(), trace, 0);
  CHECK(found.heads[0].entropy == doctest::Approx(1));
  CHECK(found.heads[0].diagonal == doctest::Approx(0.5));
  CHECK(found.heads[1] == HeadMeasures{});
  CHECK(head_distances(some_threads(), trace, 0) == std::vector<double>{0, 0, 0, 0});
}

TEST_CASE("statistics that nobody waits for are not worked out") {
  std::stop_source source;
  source.request_stop();
  CHECK(head_statistics(some_threads(), two_heads(), 0, TensorId::weights, source.get_token()).heads.empty());
  CHECK(head_distances(some_threads(), two_heads(), 0, TensorId::weights, source.get_token()).empty());
}

TEST_CASE("dropped weights are read as the shares that they have left") {
  Trace trace = two_heads();
  trace[TensorId::dropped_weights] = tensor_of({1, 2, 3, 3}, {2, 0, 0, 1, 1, 0, 0.4, 0.6, 1,  //
                                                              2, 0, 0, 0.5, 1.5, 0, 1.2, 0.2, 0.6});
  const HeadStatistics dropped = head_statistics(some_threads(), trace, 0, TensorId::dropped_weights);
  CHECK(dropped.heads[0].entropy == doctest::Approx(0.8284917657424448).epsilon(1e-12));
  CHECK(dropped.heads[1].peak == doctest::Approx((1 + 0.75 + 0.6) / 3).epsilon(1e-12));
}

TEST_CASE("heads are as far apart as their rows are on average") {
  const auto distances = head_distances(some_threads(), two_heads(), 0);
  REQUIRE(distances.size() == 4);
  CHECK(distances[0] == 0);
  CHECK(distances[3] == 0);
  CHECK(distances[1] == distances[2]);
  CHECK(distances[1] == doctest::Approx(0.19448974766511337).epsilon(1e-12));

  Trace apart = two_heads();
  apart[TensorId::weights] = tensor_of({1, 2, 3, 3}, {1, 0, 0, 1, 0, 0, 1, 0, 0,  //
                                                      0, 1, 0, 0, 1, 0, 0, 0.5, 0.5});
  CHECK(head_distances(some_threads(), apart, 0)[1] == doctest::Approx(1).epsilon(1e-12));
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
  const TensorStatistics masked = tensor_statistics(some_threads(), tensor, true);
  CHECK(masked == TensorStatistics{.finite = 4,
                                   .masked = 2,
                                   .nan = 1,
                                   .infinite = 1,
                                   .min = 1,
                                   .max = 6,
                                   .mean = 3,
                                   .standard_deviation = masked.standard_deviation});
  CHECK(masked.standard_deviation == doctest::Approx(std::sqrt(3.5)).epsilon(1e-12));
  CHECK(tensor_statistics(some_threads(), tensor).infinite == 3);
  CHECK(tensor_statistics(some_threads(), tensor).masked == 0);
  CHECK(tensor_statistics(some_threads(), tensor_of({1}, {not_a_number})) == TensorStatistics{.nan = 1});
  CHECK(tensor_statistics(some_threads(), Tensor{}) == TensorStatistics{});
}

TEST_CASE("a large offset does not spoil the standard deviation") {
  const TensorStatistics found =
      tensor_statistics(some_threads(), tensor_of({4}, {1e6 + 0.1, 1e6 + 0.4, 1e6 - 0.2, 1e6 + 7}));
  CHECK(found.mean == doctest::Approx(1000001.825).epsilon(1e-15));
  CHECK(found.standard_deviation == doctest::Approx(2.9953088321500916).epsilon(1e-12));
}

TEST_CASE("statistics of a window see the window only") {
  const Tensor tensor = tensor_of({2, 3}, {1, 2, 30, 4, 5, 60});
  CHECK(tensor_statistics(some_threads(), tensor.narrowed(1, 0, 2)).max == 5);
  CHECK(tensor_statistics(some_threads(), tensor.selected(1, 2)).min == 30);
}

TEST_CASE("a histogram counts like np.histogram") {
  const Tensor tensor = tensor_of({10}, {0, 0.1, 0.25, 0.5, 0.74, 0.75, 1, 1.2, -0.1, not_a_number});
  CHECK(histogram(some_threads(), tensor, 0, 1, 4) == std::vector<Index>{2, 1, 2, 2});
  CHECK(histogram(some_threads(), tensor_of({3}, {5, 5, 5}), 5, 5, 2) == std::vector<Index>{3, 0});
  CHECK(histogram(some_threads(), tensor, 0, 1, 0).empty());
  const Tensor powers = tensor_of({6}, {0, 0.001, 0.005, 0.02, 0.5, 1});
  CHECK(logarithmic_histogram(some_threads(), powers, 0.001, 1, 3) == std::vector<Index>{2, 1, 2});
  CHECK(logarithmic_histogram(some_threads(), powers, 0, 1, 3) == std::vector<Index>{0, 0, 0});
  CHECK(histogram(some_threads(), tensor, not_a_number, 1, 2) == std::vector<Index>{0, 0});
}

TEST_CASE("statistics and histograms of many numbers, odd ones among them, are those of a plain loop") {
  std::mt19937 random(13);
  std::uniform_real_distribution<double> chance(0, 1);
  for (const Precision precision : {Precision::float32, Precision::float64}) {
    for (const Index count : {1, 7, 2047, 2048, 2049, 6001}) {
      CAPTURE(count);
      Tensor tensor = Tensor::uninitialized(precision, {count});
      with_element_type(precision, [&](auto zero) {
        using T = decltype(zero);
        for (Index i = 0; i < count; ++i) {
          const double odd = chance(random);
          tensor.writable<T>()[i] = static_cast<T>(odd < 0.02   ? infinity
                                                   : odd < 0.05 ? -infinity
                                                   : odd < 0.06 ? not_a_number
                                                   : odd < 0.07 ? -0.0
                                                                : 8 * chance(random) - 3);
        }
      });
      TensorStatistics plain;
      long double sum = 0, squares = 0;
      std::vector<Index> bins(16, 0);
      double low = infinity, high = -infinity;
      for (Index i = 0; i < count; ++i) {
        const double v = tensor.at({i});
        plain.nan += std::isnan(v);
        plain.masked += v == -infinity;
        plain.infinite += v == infinity;
        if (!std::isfinite(v)) continue;
        ++plain.finite;
        sum += v;
        low = std::min(low, v);
        high = std::max(high, v);
        if (v >= -2.0 && v <= 4.0) ++bins[std::min<std::size_t>(static_cast<std::size_t>((v + 2.0) / 0.375), 15)];
      }
      const TensorStatistics found = tensor_statistics(some_threads(), tensor, true);
      CHECK(found.finite == plain.finite);
      CHECK(found.nan == plain.nan);
      CHECK(found.masked == plain.masked);
      CHECK(found.infinite == plain.infinite);
      CHECK(histogram(some_threads(), tensor, -2, 4, 16) == bins);
      if (plain.finite == 0) continue;
      const long double mean = sum / static_cast<long double>(plain.finite);
      for (Index i = 0; i < count; ++i)
        if (std::isfinite(tensor.at({i}))) squares += (tensor.at({i}) - mean) * (tensor.at({i}) - mean);
      CHECK(found.min == low);
      CHECK(found.max == high);
      CHECK_FALSE(std::signbit(found.min == 0 ? found.min : 1));
      CHECK(found.mean == doctest::Approx(static_cast<double>(mean)).epsilon(1e-12));
      CHECK(found.standard_deviation ==
            doctest::Approx(static_cast<double>(std::sqrt(squares / static_cast<long double>(plain.finite))))
                .epsilon(1e-12));
    }
  }
}

TEST_CASE("the shares of the keys: their entropy is that of exact logarithms, for any number of keys") {
  std::mt19937 random(11);
  std::exponential_distribution<double> weight(1);
  for (const Index keys : {1, 2, 7, 8, 9, 300}) {
    for (const double scale : {1.0, 1e-9, 1e-300}) {
      CAPTURE(keys);
      CAPTURE(scale);
      std::vector<double> weights;
      for (Index key = 0; key < 2 * keys; ++key)
        weights.push_back(key % 5 == 3 ? 0 : scale * std::pow(weight(random), 8));
      weights[0] = weights[static_cast<std::size_t>(keys)] = scale;  // no row is empty
      const Tensor rows = tensor_of({2, keys}, weights);
      KeyShares p = empty_shares(keys);
      KeyShares q = empty_shares(keys);
      REQUIRE(read_shares(rows, 0, p));
      REQUIRE(read_shares(rows, 1, q));
      const auto exact = [](double share) {
        const auto x = static_cast<long double>(share);
        return share > 0 ? static_cast<double>(-x * std::log2(x)) : 0.0;
      };
      double total = 0, of_p = 0, of_both = 0, distance = 0, largest = 0;
      for (std::size_t key = 0; key < p.size(); ++key) {
        total += p[key];
        of_p += exact(p[key]);
        of_both += exact((p[key] + q[key]) / 2);
        distance += p[key] * std::abs(static_cast<double>(key) - 3);
        largest = std::max(largest, p[key]);
      }
      CHECK(total == doctest::Approx(1).epsilon(1e-14));
      CHECK(entropy(p) == doctest::Approx(of_p).epsilon(1e-14));
      CHECK(entropy_between(p, q) == doctest::Approx(of_both).epsilon(1e-14));
      CHECK(entropy_between(p, p) == entropy(p));
      CHECK(mean_distance(p, 3) == doctest::Approx(distance).epsilon(1e-14));
      CHECK(peak(p) == largest);
    }
  }
  KeyShares none = empty_shares(3);
  CHECK_FALSE(read_shares(tensor_of({1, 3}, {0, 0, 0}), 0, none));
  CHECK_FALSE(read_shares(tensor_of({1, 3}, {1, not_a_number, 0}), 0, none));
  CHECK_FALSE(read_shares(tensor_of({1, 3}, {1, infinity, 0}), 0, none));
}

TEST_CASE("large heads are compared on many threads as on one") {
  std::mt19937 random(12);
  Trace trace;
  trace.setup.sizes = {.batch = 1, .query_length = 300, .key_length = {}, .d_model = 9, .heads = 3, .kv_heads = {}};
  Tensor weights = Tensor::uninitialized(Precision::float32, {1, 3, 300, 300});
  for (Index i = 0; i < weights.elements(); ++i)
    weights.writable<float>()[i] = std::uniform_real_distribution<float>(0, 1)(random);
  trace[TensorId::weights] = weights;
  const std::vector<double> distances = head_distances(some_threads(), trace, 0);
  for (Index a = 0; a < 3; ++a) {
    for (Index b = 0; b < 3; ++b) {
      KeyShares p = empty_shares(300);
      KeyShares q = empty_shares(300);
      double sum = 0;
      for (Index query = 0; query < 300; ++query) {
        read_shares(weights.selected(0, 0).selected(0, a), query, p);
        read_shares(weights.selected(0, 0).selected(0, b), query, q);
        sum += std::sqrt(std::max(0.0, entropy_between(p, q) - (entropy(p) + entropy(q)) / 2));
      }
      CHECK(distances[static_cast<std::size_t>(3 * a + b)] == doctest::Approx(sum / 300).epsilon(1e-12));
    }
  }
  std::stop_source stop;
  stop.request_stop();
  CHECK(head_distances(some_threads(), trace, 0, TensorId::weights, stop.get_token()).empty());
}

TEST_CASE("multiples of even attention: each weight times the keys that its query may see") {
  const Tensor multiples = multiples_of_even(some_threads(), two_heads(), TensorId::weights);
  const std::vector<double> expected{1, 0, 0, 1, 1, 0, 0.6, 0.9, 1.5, 1, 0, 0, 0.5, 1.5, 0, 1.8, 0.3, 0.9};
  REQUIRE(multiples.shape() == Shape{1, 2, 3, 3});
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(multiples.data<double>()[i] == doctest::Approx(expected[i]).epsilon(1e-15));
  }
}

TEST_CASE("multiples of even attention know padding, windows, single cells and queries that see nothing") {
  Trace trace;
  trace.setup.sizes = {.batch = 2, .query_length = 2, .key_length = 4, .d_model = 4, .heads = 1, .kv_heads = {}};
  trace.setup.attention.source = Source::cross;
  trace.setup.mask.kinds = {MaskKind::padding, MaskKind::custom};
  trace.setup.mask.valid_lengths = {4, 1};
  trace.setup.mask.blocked = {{0, 2}, {1, 0}};
  trace[TensorId::weights] = tensor_of({2, 1, 2, 4}, std::vector<double>(16, 0.5));
  const Tensor multiples = multiples_of_even(some_threads(), trace, TensorId::weights);
  CHECK(multiples.at({0, 0, 0, 0}) == 1.5);  // keys 0, 1 and 3
  CHECK(multiples.at({0, 0, 1, 0}) == 1.5);
  CHECK(multiples.at({1, 0, 0, 0}) == 0.5);  // one key is left
  CHECK(multiples.at({1, 0, 1, 0}) == 0);    // none
}

TEST_CASE("the top of a range leaves out the few numbers that are much larger than the others") {
  std::vector<double> values(1000, 0.25);
  CHECK(positive_quantile(tensor_of({10, 100}, values), 0.99) == 0.25);
  values[17] = values[923] = 1;
  CHECK(positive_quantile(tensor_of({10, 100}, values), 0.99) == 0.25);
  CHECK(positive_quantile(tensor_of({10, 100}, values), 1) == 1);
  CHECK(positive_quantile(tensor_of({2, 2}, {0, -1, 0, not_a_number}), 0.99) == 0);
  CHECK(positive_quantile(tensor_of({2, 2}, {0, 0.125, infinity, 0}), 0.99) == 0.125);
  Tensor large = Tensor::zeros(Precision::float32, {300, 300});
  for (Index i = 0; i < 300; ++i) large.writable<float>()[i * 301] = 1;  // a diagonal among zeros is not lost
  CHECK(positive_quantile(large, 0.5) == 1);
}
