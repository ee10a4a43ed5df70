// Numbers that became too large for their precision, and what is said of them.
#pragma once

#include <optional>
#include <string>

#include "core/model/cell.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// The first tensor of a forward pass in which numbers are infinite or NaN, other than the −∞ of a mask; or a norm's
/// result, in which they are zeros because they were divided by such a number.
struct Overflow {
  Cell first;               ///< in row-major order
  double value = 0;         ///< ±∞ or NaN
  Index numbers = 0;        ///< how many there are in the tensor
  bool is_divisor = false;  ///< the value is what a norm divides by
};

/// None where all numbers are finite, as in nearly every trace. Reads every number but those between dot products and
/// weights, and what norms divide by, which are read only where they are made of numbers large enough to overflow.
std::optional<Overflow> overflow_in(const Trace& trace);

/// "3 of 32 numbers of scores are not finite, first scores[0,0,0,1] = inf: float64 holds numbers up to 1.8e+308"; "8 of
/// 32 numbers of N are divided by inf, first N[0,0,0]: the sum of the squares is larger than float64 holds, 1.8e+308"
std::string words_of(const Overflow& overflow, const Trace& trace);

/// What is said of a cell that has overflowed, or is made of numbers that have; empty for any other.
std::string note_of_overflow(const Trace& trace, const Cell& cell);

/// Whether the mask hides the key from the query of a cell whose last axes are batch, head, query and key.
bool is_hidden(const Trace& trace, const Cell& cell);

}  // namespace headlight
