// PyTorch's CPU generator: what torch.manual_seed, torch.rand, torch.randn, Tensor.uniform_ and F.dropout give, to the
// last bit of PyTorch 1.13 on a machine with AVX2. Other versions and machines may differ in the last digits of normal
// numbers and of ranges other than 0 to 1, never in the bits that they are made of.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/random/mersenne_twister.hpp"
#include "core/random/place.hpp"

namespace headlight {

/// A value. The width of the numbers decides how many random bits each takes, so float32 and float64 draws from the
/// same seed have nothing in common.
class TorchRandom {
 public:
  /// torch.manual_seed(seed). Only the low 32 bits count, of a negative seed too.
  explicit TorchRandom(std::int64_t seed = 0) : words_(static_cast<std::uint32_t>(seed)) {}

  /// Tensor.uniform_(from, to); torch.rand is from 0 to 1. Multiples of 2^-24 (float) or 2^-53 (double), stretched with
  /// one fused multiply-add.
  void uniform(std::span<float> values, double from = 0, double to = 1);
  void uniform(std::span<double> values, double from = 0, double to = 1);

  /// torch.randn: Box-Muller. Fewer than 16 numbers are made one by one in double precision, and an odd one is kept for
  /// the next such call; 16 or more are made in blocks of 16, the last of which is drawn anew where the count is no
  /// multiple of 16. Float blocks follow PyTorch's AVX2 code, whose log, sin and cos are polynomials.
  void normal(std::span<float> values);
  void normal(std::span<double> values);

  /// Tensor.bernoulli_(probability), which F.dropout(p) calls with 1 - p: 1 with that probability, else 0.
  /// PyTorch built with MKL takes these from MKL's generator instead.
  void bernoulli(std::span<unsigned char> decisions, double probability);

  Place place() const { return {words_.seed(), words_.given(), kept_normal_}; }
  void go_to(const Place& place) {
    words_.go_to(place.seed, place.words);
    kept_normal_ = place.kept_normal;
  }

  friend bool operator==(const TorchRandom&, const TorchRandom&) = default;

 private:
  double next_normal();

  MersenneTwister words_;
  std::optional<double> kept_normal_;
};

}  // namespace headlight
