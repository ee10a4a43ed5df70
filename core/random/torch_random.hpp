// PyTorch's CPU generator: the numbers of torch.manual_seed, torch.rand, torch.randn, torch.randint, Tensor.uniform_
// and F.dropout, to the last bit of PyTorch 1.13 on a machine with AVX2. On other versions and machines the last digits
// may differ for normal numbers and for ranges other than 0 to 1; the random bits are always the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/random/mersenne_twister.hpp"
#include "core/random/stream_position.hpp"

namespace headlight {

/// A value. A double takes more random bits than a float, so float32 and float64 draws from the same seed have nothing
/// in common.
class TorchRandom {
 public:
  /// torch.manual_seed(seed). Only the low 32 bits count, also for a negative seed.
  explicit TorchRandom(std::int64_t seed = 0) : words_(static_cast<std::uint32_t>(seed)) {}

  /// Tensor.uniform_(from, to), or torch.rand with 0 and 1. The numbers are multiples of 2^-24 (float) or 2^-53
  /// (double), then stretched to the range with one fused multiply-add.
  void uniform(std::span<float> values, double from = 0, double to = 1);
  void uniform(std::span<double> values, double from = 0, double to = 1);

  /// torch.randn, by Box-Muller. Fewer than 16 numbers are made one by one in double precision, in pairs; a second one
  /// left over is kept for the next such call. 16 or more are made in blocks of 16; if the count is not a multiple of
  /// 16, the last 16 numbers are drawn again. Float blocks follow PyTorch's AVX2 code, whose log, sin and cos are
  /// polynomials.
  void normal(std::span<float> values);
  void normal(std::span<double> values);

  /// Tensor.bernoulli_(probability): 1 with that probability, else 0. F.dropout(p) calls it with 1 - p. PyTorch built
  /// with MKL uses MKL's generator for this instead, which gives other decisions.
  void bernoulli(std::span<unsigned char> decisions, double probability);

  /// torch.randint(0, end): whole numbers from 0 up to, but not, `end`, which is at least 1 and at most 2^32 - 1. The
  /// remainder of a word.
  void integers(std::span<std::int64_t> values, std::uint32_t end) {
    for (std::int64_t& value : values) value = words_.next() % end;
  }

  StreamPosition position() const { return {words_.seed(), words_.given(), kept_normal_, {}}; }
  void go_to(const StreamPosition& position) {
    words_.go_to(static_cast<std::uint32_t>(position.seed), position.words);
    kept_normal_ = position.kept_normal;
  }

  friend bool operator==(const TorchRandom&, const TorchRandom&) = default;

 private:
  double next_normal();

  MersenneTwister words_;
  std::optional<double> kept_normal_;
};

constexpr std::size_t box_muller_block = 16;

/// Turns `blocks` blocks of 16 numbers from [0, 1) into normal ones in place: the first eight numbers of a block give
/// the radii, the last eight the angles; the result has the cosines first, then the sines.
///
/// The float version gives the same bits as PyTorch's AVX2 code on every machine; Eigen's functions differ in the last
/// bits. (Its log, sin and cos are Cephes' polynomials, S. L. Moshier 1992. PyTorch without AVX2 calls the C library,
/// which differs by up to 5e-7.) The double version calls the C library, as PyTorch always does.
void box_muller(float* values, std::size_t blocks);
void box_muller(double* values, std::size_t blocks);

}  // namespace headlight
