#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "core/random/mersenne_twister.hpp"
#include "core/random/numpy_random.hpp"
#include "core/random/torch_random.hpp"

using namespace headlight;

TEST_CASE("the Mersenne Twister is the standard library's") {
  for (const std::uint32_t seed : {0U, 1U, 5489U, 0xFFFF'FFFFU}) {
    MersenneTwister ours(seed);
    std::mt19937 theirs(seed);
    bool equal = true;
    for (int i = 0; i < 5000; ++i) equal = equal && ours.next() == theirs();
    CHECK_MESSAGE(equal, seed);
  }
}

TEST_CASE("words come out the same one by one and in spans of any size") {
  MersenneTwister single(7);
  MersenneTwister spans(7);
  for (const std::size_t size : {0UL, 1UL, 623UL, 624UL, 625UL, 3UL, 2000UL, 621UL}) {
    std::vector<std::uint32_t> words(size);
    spans.fill(words);
    std::vector<std::uint32_t> expected(size);
    for (auto& word : expected) word = single.next();
    CHECK_MESSAGE(words == expected, size);
    CHECK(spans == single);
  }
}

TEST_CASE("a generator goes on from any place, forwards, backwards and under another seed") {
  const auto check = [](auto generator, auto other) {
    std::vector<double> numbers(7), expected(7);
    for (const std::size_t count : {0UL, 3UL, 311UL, 312UL, 313UL, 2001UL}) {
      std::vector<double> on_the_way(count);
      generator.normal(on_the_way);
      const StreamPosition position = generator.position();
      generator.uniform(expected);
      other.go_to(position);
      CHECK(other.position() == position);
      other.uniform(numbers);
      CHECK_MESSAGE(numbers == expected, count);
      CHECK(other == generator);
      generator.go_to(position);
      generator.normal(expected);
      other.go_to(position);
      other.normal(numbers);
      CHECK_MESSAGE(numbers == expected, count);
    }
  };
  check(NumpyRandom(7), NumpyRandom(3));
  check(TorchRandom(7), TorchRandom(3));
  check(NumpyRng(7), NumpyRng(3));
  check(NumpyRng((std::uint64_t{1} << 40) + 7), NumpyRng(7));
}

TEST_CASE("generators are values") {
  NumpyRandom numpy(3);
  std::vector<double> a(7), b(7);
  numpy.normal(a);
  NumpyRandom copy = numpy;
  CHECK(copy == numpy);
  numpy.normal(a);
  CHECK(copy != numpy);
  copy.normal(b);
  CHECK(a == b);
  CHECK(copy == numpy);
}

TEST_CASE("half a pair of normal numbers is part of the state, and a new seed forgets it") {
  const auto after = [](auto generator, std::size_t count) {
    std::vector<double> values(count);
    generator.normal(values);
    return generator;
  };
  CHECK(after(NumpyRandom(0), 3) != after(NumpyRandom(0), 4));
  CHECK(after(TorchRandom(0), 3) != after(TorchRandom(0), 4));
  CHECK(after(after(TorchRandom(0), 3), 1) == after(TorchRandom(0), 4));
  CHECK(after(after(NumpyRandom(0), 3), 0) == after(NumpyRandom(0), 3));
}

TEST_CASE("PyTorch's seeds count by their low 32 bits") {
  CHECK(TorchRandom(-1) == TorchRandom(0xFFFF'FFFF));
  CHECK(TorchRandom((std::int64_t{1} << 40) + 5) == TorchRandom(5));
  CHECK(TorchRandom(std::numeric_limits<std::int64_t>::min()) == TorchRandom(0));
}

TEST_CASE("drawing nothing changes nothing") {
  TorchRandom torch(1);
  torch.uniform(std::span<float>{});
  torch.normal(std::span<double>{});
  torch.bernoulli({}, 0.5);
  CHECK(torch == TorchRandom(1));
}

TEST_CASE("float normal numbers are the plain formula's to 5e-7") {
  TorchRandom torch(5);
  std::vector<float> uniform(160'000);
  torch.uniform(uniform);
  // Extreme outputs of a generator: radius 0, the largest radius, and angles on and beside the axes.
  const std::vector<float> ends{0.0F, 1.0F - 0x1p-24F, 0x1p-24F, 0.5F, 0.25F, 0.75F, 0.125F, 1.0F - 0x1p-23F};
  for (std::size_t i = 0; i < ends.size(); ++i) {
    for (std::size_t j = 0; j < ends.size(); ++j) {
      uniform[16 * i + j] = ends[i];
      uniform[16 * i + 8 + j] = ends[j];
    }
  }
  std::vector<float> normal = uniform;
  box_muller(normal.data(), normal.size() / box_muller_block);
  double worst = 0;
  for (std::size_t i = 0; i < normal.size(); ++i) {
    const std::size_t first = i / 16 * 16 + i % 8;
    const float radius = std::sqrt(-2.0F * std::log(1.0F - uniform[first]));
    const float angle = static_cast<float>(2.0 * std::numbers::pi) * uniform[first + 8];
    const float expected = radius * (i % 16 < 8 ? std::cos(angle) : std::sin(angle));
    worst = std::max(worst, static_cast<double>(std::abs(normal[i] - expected)));
  }
  CHECK(worst <= 5e-7);
  for (std::size_t i = 0; i < 16; ++i) CHECK(!std::signbit(normal[i]));  // u = 0 gives 0, never -0
}

TEST_CASE("numbers lie where they should") {
  TorchRandom torch(2);
  std::vector<float> values(100'000);
  torch.uniform(values, -0.5, 2.0);
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  CHECK(*least >= -0.5F);
  CHECK(*least < -0.49F);
  CHECK(*greatest <= 2.0F);
  CHECK(*greatest > 1.99F);
  torch.normal(values);
  CHECK(std::accumulate(values.begin(), values.end(), 0.0) / 1e5 == doctest::Approx(0).epsilon(0.02));
}
