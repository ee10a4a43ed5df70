// NumPy's two generators, to the last bit: the numbers of np.random.seed, rand, randn and randint (RandomState), and
// those of rng = np.random.default_rng(seed) (Generator).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/random/mersenne_twister.hpp"
#include "core/random/pcg64.hpp"
#include "core/random/stream_position.hpp"

namespace headlight {

/// A value. The numbers are float64, as NumPy's are; a float32 setup rounds them (`.astype(np.float32)`).
class NumpyRandom {
 public:
  /// np.random.seed(seed)
  explicit NumpyRandom(std::uint32_t seed = 0) : words_(seed) {}

  /// np.random.rand: multiples of 2^-53 in [0, 1).
  void uniform(std::span<double> values);
  /// np.random.randn: Marsaglia's polar method. It makes two numbers at a time; a second one left over is kept for the
  /// next call.
  void normal(std::span<double> values);
  /// np.random.randint(0, end): whole numbers from 0 up to, but not, `end`, which is at least 1 and at most 2^32 - 1.
  /// The lowest bits of a word, as many as `end - 1` needs, and again while they are too large.
  void integers(std::span<std::int64_t> values, std::uint32_t end);

  StreamPosition position() const { return {words_.seed(), words_.given(), kept_normal_, {}}; }
  void go_to(const StreamPosition& position) {
    words_.go_to(static_cast<std::uint32_t>(position.seed), position.words);
    kept_normal_ = position.kept_normal;
  }

  friend bool operator==(const NumpyRandom&, const NumpyRandom&) = default;

 private:
  MersenneTwister words_;
  std::optional<double> kept_normal_;
};

/// A value. The numbers are float64, as NumPy's are unless it is asked for others; a float32 setup rounds them
/// (`rng.random(shape).astype(np.float32)`), as it does with NumPy's older generator.
class NumpyRng {
 public:
  /// np.random.default_rng(seed)
  explicit NumpyRng(std::uint64_t seed = 0) : words_(seed) {}

  /// rng.random: multiples of 2^-53 in [0, 1).
  void uniform(std::span<double> values);
  /// rng.standard_normal, by the ziggurat.
  void normal(std::span<double> values);
  /// rng.integers(0, end): whole numbers from 0 up to, but not, `end`, which is at least 1 and at most 2^32 - 1.
  /// Lemire's method on halves of words (D. Lemire, "Fast random integer generation in an interval", ACM TOMACS 29(1),
  /// 2019); a half left over is kept for the next such call.
  void integers(std::span<std::int64_t> values, std::uint32_t end);

  StreamPosition position() const { return {words_.seed(), words_.given(), {}, kept_half_}; }
  void go_to(const StreamPosition& position) {
    words_.go_to(position.seed, position.words);
    kept_half_ = position.kept_half;
  }

  friend bool operator==(const NumpyRng&, const NumpyRng&) = default;

 private:
  double next_double() { return static_cast<double>(words_.next() >> 11) * 0x1p-53; }
  double next_normal();
  std::uint32_t next_half();

  Pcg64 words_;
  std::optional<std::uint32_t> kept_half_;
};

}  // namespace headlight
