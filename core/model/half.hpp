// Numbers of two bytes, which files hold but nothing computes with.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace headlight {

/// IEEE 754 binary16 (float16): a sign, 5 bits of exponent, 10 of fraction. Every one is a float32 too.
struct Half {
  std::uint16_t bits;

  explicit operator float() const {
    const std::uint32_t sign = (bits & 0x8000U) << 16;
    const std::uint32_t exponent = bits >> 10 & 0x1FU;
    const std::uint32_t fraction = bits & 0x3FFU;
    if (exponent == 0) return std::copysign(std::ldexp(static_cast<float>(fraction), -24), sign != 0 ? -1.0F : 1.0F);
    const std::uint32_t wide = exponent == 0x1F ? 0xFFU : exponent + 112;
    return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
  }
};

}  // namespace headlight
