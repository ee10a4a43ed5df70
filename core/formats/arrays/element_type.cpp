#include "core/formats/arrays/element_type.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "core/model/half.hpp"

namespace headlight {
namespace {

static_assert(std::endian::native == std::endian::little, "the numbers are read as they are in memory");

/// The upper half of a float32.
struct BrainFloat {
  std::uint16_t bits;

  explicit operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
};

/// Any byte but 0 is true.
struct Boolean {
  std::uint8_t bits;

  explicit operator double() const { return bits == 0 ? 0 : 1; }
};

/// Calls `body` with a zero of the type that the file names.
template <class Body>
decltype(auto) with_stored_type(ElementType type, Body&& body) {
  switch (type) {
    case ElementType::boolean: return body(Boolean{});
    case ElementType::int8: return body(std::int8_t{});
    case ElementType::int16: return body(std::int16_t{});
    case ElementType::int32: return body(std::int32_t{});
    case ElementType::int64: return body(std::int64_t{});
    case ElementType::uint8: return body(std::uint8_t{});
    case ElementType::uint16: return body(std::uint16_t{});
    case ElementType::uint32: return body(std::uint32_t{});
    case ElementType::uint64: return body(std::uint64_t{});
    case ElementType::float16: return body(Half{});
    case ElementType::bfloat16: return body(BrainFloat{});
    case ElementType::float32: return body(float{});
    case ElementType::float64: break;
  }
  return body(double{});
}

template <class Stored, class Target>
void read_into(const WholeRead& read, Target* to, Index count) {
  if constexpr (std::is_same_v<Stored, Target>) {
    read(reinterpret_cast<char*>(to), static_cast<std::size_t>(count) * sizeof(Target));
  } else {
    std::vector<Stored> piece(static_cast<std::size_t>(std::min(count, piece_elements)));
    for (Index done = 0; done < count; done += piece_elements) {
      const auto part = static_cast<std::size_t>(std::min(piece_elements, count - done));
      read(reinterpret_cast<char*>(piece.data()), part * sizeof(Stored));
      std::transform(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(part), to + done,
                     [](Stored value) { return static_cast<Target>(value); });
    }
  }
}

}  // namespace

std::size_t bytes_of(ElementType type) {
  return with_stored_type(type, [](auto zero) { return sizeof(zero); });
}

Precision held_as(ElementType type) {
  const bool is_short = type == ElementType::float16 || type == ElementType::bfloat16 || type == ElementType::float32;
  return is_short ? Precision::float32 : Precision::float64;
}

Tensor read_numbers(const WholeRead& read, ElementType type, const Shape& shape) {
  Tensor tensor = Tensor::uninitialized(held_as(type), shape);
  with_stored_type(type, [&](auto stored) {
    using Stored = decltype(stored);
    using Target = std::conditional_t<std::is_same_v<Stored, Half> || std::is_same_v<Stored, BrainFloat> ||
                                          std::is_same_v<Stored, float>,
                                      float, double>;
    read_into<Stored>(read, tensor.writable<Target>(), tensor.elements());
  });
  return tensor;
}

}  // namespace headlight
