// The types of numbers that files of arrays hold, and how they become the two that Headlight computes with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/model/tensor.hpp"

namespace headlight {

enum class ElementType : std::uint8_t {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  float64
};

/// The number of elements that are read or written at a time.
inline constexpr Index piece_elements = 1 << 16;

/// The number of bytes per element in the file.
std::size_t bytes_of(ElementType type);

/// The precision of its numbers in memory: float32 for floats of up to 32 bits, which it holds exactly; else float64,
/// which rounds whole numbers beyond 2^53.
Precision held_as(ElementType type);

/// Fills `to` with `count` bytes of a file, or throws.
using WholeRead = std::function<void(char* to, std::size_t count)>;

/// The numbers of a file, which are little-endian and row-major. Numbers of another type are read and converted piece
/// by piece.
Tensor read_numbers(const WholeRead& read, ElementType type, const Shape& shape);

}  // namespace headlight
