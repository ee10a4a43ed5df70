// How exact somebody's numbers are: those of float64, float32, bfloat16 or float16.
#pragma once

#include <cstdint>
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

/// The fewest digits that hold every number, whatever type they are stored in. Numbers that any type holds, such as
/// whole ones, show nothing: those are float64 or float32 as they are stored.
Digits digits_of(const Tensor& numbers);

/// Every number rounded to the nearest with these digits, in the precision of the tensor.
Tensor rounded_to(const Tensor& tensor, Digits digits);

/// How far rounding may have moved each tensor of a program that computes with so many digits. For float32 and float64
/// the bound of rounding_of; for the halves, whose bound would be too wide to tell a mistake, eight times what
/// rounding every tensor moves it here.
Errors rounding_errors(const Trace& ours, Digits digits, Workspace& workspace);

/// The same bound for a tensor that was computed exactly, and with rounding after every step.
double rounding_seen(const Tensor& exact, const Tensor& rounded, Digits digits);

}  // namespace headlight
