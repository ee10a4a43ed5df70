// How exact somebody's numbers are: those of float64, float32, bfloat16 or float16.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string_view>

#include "core/compute/workspace.hpp"
#include "core/diagnose/arrays/agreement.hpp"
#include "core/model/tensor.hpp"
#include "core/model/trace.hpp"

namespace headlight {

enum class Digits : std::uint8_t { float64, float32, float16, bfloat16 };

std::string_view name_of(Digits digits);
constexpr bool is_half(Digits digits) { return digits >= Digits::float16; }

/// The distance from 1 to the next number: 2⁻⁵² for float64.
double epsilon_of(Digits digits);

/// The half whose numbers some of these tensors are, whatever type they are stored in. None if they use more digits, or
/// if so few that any type holds them, as whole numbers do.
std::optional<Digits> half_of(std::span<const Tensor> tensors);

/// Every number rounded to the nearest with these digits, in the precision of the tensor.
Tensor rounded_to(const Tensor& tensor, Digits digits);

/// Rounds every number up or down by chance, to the nearer one more often. Programs round at other places than ours,
/// as where a bias is added or softmax divides, so one run with rounding to the nearest would show too little.
class ChanceRounding {
 public:
  ChanceRounding(Digits digits, std::uint64_t seed) : digits_(digits), random_(seed) {}
  Tensor operator()(const Tensor& tensor);

 private:
  Digits digits_;
  std::mt19937_64 random_;
};

/// How far rounding moves a tensor, as several runs show that round by chance.
class SeenRounding {
 public:
  explicit SeenRounding(const Tensor& exact);
  void add(const Tensor& rounded);
  Rounding rounding() const;

 private:
  Tensor exact_;
  Tensor squares_;  ///< of what the runs moved each number, added up
  double runs_ = 0;
};

/// How many runs show it well enough, and not too slowly.
int runs_that_round(const Setup& setup);

/// One for each tensor, indexed by TensorId.
using Roundings = std::array<Rounding, tensor_count>;

/// How far rounding may have moved each tensor of a program that computes with so many digits. For float32 and float64
/// the bound of rounding_of; where that is too wide in float32, many times what float32 moves. For the halves, whose
/// bound would be too wide to tell a mistake, the forward pass runs several times and rounds by chance after every
/// step.
Roundings roundings_of(const Trace& ours, Digits digits, Workspace& workspace);

}  // namespace headlight
