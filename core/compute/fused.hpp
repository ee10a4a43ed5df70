// a · b + c, rounded once.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "core/compute/vectors.hpp"

namespace headlight {

/// std::fma where the machine has an instruction for it. WebAssembly has none, and the software version in its library
/// is thirty times too slow for our loops.
#ifndef __wasm__
HEADLIGHT_INLINED double fused(double a, double b, double c) { return std::fma(a, b, c); }
HEADLIGHT_INLINED float fused(float a, float b, float c) { return std::fma(a, b, c); }

/// A faster `fused` for vectors of numbers (`All`), whose result is right in the lanes for which `sure` is true. Empty
/// here, because `fused` itself is fast.
template <class T>
struct QuickFused {};
#else
/// x + y, rounded to the neighbour whose last bit is 1 unless the sum is exact ("rounded to odd"). A second rounding to
/// fewer digits then gives what one rounding of the exact sum would (Boldo and Melquiond 2008).
HEADLIGHT_INLINED double sum_to_odd(double x, double y) {
  const double sum = x + y;
  const double y_part = sum - x;
  const double error = (x - (sum - y_part)) + (y - y_part);
  const auto bits = std::bit_cast<std::uint64_t>(sum);
  const bool away = ((std::bit_cast<std::uint64_t>(error) ^ bits) >> 63) == 0;
  const std::uint64_t step = away ? 1 : ~std::uint64_t{0};
  return std::bit_cast<double>(bits + (error != 0 && (bits & 1) == 0 ? step : 0));
}

/// a · b as a sum of two numbers (Dekker 1971), exact where nothing overflows or underflows on the way. `Number` is a
/// double or a vector of them.
template <class Number>
struct ExactProduct {
  Number rounded;
  Number rest;

  HEADLIGHT_INLINED ExactProduct(Number a, Number b) : rounded(a * b) {
    constexpr double split = 134217729;  // 2^27 + 1
    const Number a_high = split * a - (split * a - a), a_low = a - a_high;
    const Number b_high = split * b - (split * b - b), b_low = b - b_high;
    rest = a_low * b_low - (((rounded - a_high * b_high) - a_low * b_high) - a_high * b_low);
  }
};

/// As exact as the product, because the rest of the sum is rounded to odd.
HEADLIGHT_INLINED double fused(double a, double b, double c) {
  const auto [product, product_rest] = ExactProduct(a, b);
  const double low = c + product_rest, low_part = low - c;
  const double low_rest = (c - (low - low_part)) + (product_rest - low_part);
  const double sum = product + low, sum_part = sum - product;
  const double sum_rest = (product - (sum - sum_part)) + (low - sum_part);
  return sum + sum_to_odd(sum_rest, low_rest);
}
HEADLIGHT_INLINED float fused(float a, float b, float c) {
  return static_cast<float>(sum_to_odd(double{a} * double{b}, double{c}));
}

#ifdef __wasm_relaxed_simd__
/// The same for a vector of numbers, by the browser's own instruction. On some machines that rounds twice, so
/// rounds_once() must be checked before this is used (cmake/web/relaxed_softmax.cpp).
template <class T>
struct QuickFused {
  using All [[gnu::vector_size(64)]] = T;
  using Register [[gnu::vector_size(16)]] = T;
  using Registers = std::array<Register, 4>;

  HEADLIGHT_INLINED static Register of_register(Register a, Register b, Register c) {
    if constexpr (sizeof(T) == 8) return __builtin_wasm_relaxed_madd_f64x2(a, b, c);
    else return __builtin_wasm_relaxed_madd_f32x4(a, b, c);
  }
  HEADLIGHT_INLINED All operator()(All a, All b, All c) const {
    const auto in_a = std::bit_cast<Registers>(a), in_b = std::bit_cast<Registers>(b),
               in_c = std::bit_cast<Registers>(c);
    Registers sums;
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = of_register(in_a[i], in_b[i], in_c[i]);
    return std::bit_cast<All>(sums);
  }
  HEADLIGHT_INLINED static constexpr bool sure(std::int64_t) { return true; }
};
#else
/// The same for a vector of numbers. The last rounding has an input that was rounded itself. That is right if it gives
/// the same somewhat below and above that input (Ziv 1991), as it does nearly always.
template <class T>
struct QuickFused;

template <>
struct QuickFused<double> {
  using All [[gnu::vector_size(64)]] = double;
  All doubt{};

  HEADLIGHT_INLINED All operator()(All a, All b, All c) {
    const auto [product, product_rest] = ExactProduct<All>(a, b);
    const All sum = product + c, sum_part = sum - product;
    const All rest = ((product - (sum - sum_part)) + (c - sum_part)) + product_rest;
    const All margin = rest * 0x1p-50;
    const All apart = (sum + (rest + margin)) - (sum + (rest - margin));
    doubt += apart < 0 ? -apart : apart;
    return sum + rest;
  }
  HEADLIGHT_INLINED bool sure(std::int64_t lane) const { return doubt[lane] == 0; }
};

template <>
struct QuickFused<float> {
  using All [[gnu::vector_size(64)]] = float;
  using Wide [[gnu::vector_size(128)]] = double;
  All doubt{};

  HEADLIGHT_INLINED static Wide wide(All numbers) { return __builtin_convertvector(numbers, Wide); }
  HEADLIGHT_INLINED static All narrow(Wide numbers) { return __builtin_convertvector(numbers, All); }
  HEADLIGHT_INLINED All operator()(All a, All b, All c) {
    const Wide sum = wide(a) * wide(b) + wide(c);
    const Wide margin = sum * 0x1p-50;
    const All apart = narrow(sum + margin) - narrow(sum - margin);
    doubt += apart < 0 ? -apart : apart;
    return narrow(sum);
  }
  HEADLIGHT_INLINED bool sure(std::int64_t lane) const { return doubt[lane] == 0; }
};
#endif
#endif

}  // namespace headlight
