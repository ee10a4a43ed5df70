// The tables of NumPy's ziggurat for normal numbers: 256 layers of equal area under exp(-x²/2), for 52-bit integers.
// G. Marsaglia and W. W. Tsang, "The ziggurat method for generating random variables", J. Stat. Software 5(8), 2000.
//
// They are written as numbers because they cannot be computed: NumPy's were made with roundings of their own, and
// tables from the formulas, in whatever precision, differ from them in the last bits of most entries. With them the
// normal numbers are NumPy's bit for bit, as tests/golden/random_streams.txt proves for millions.
#pragma once

#include <array>
#include <cstdint>

namespace headlight {

/// An integer below this, times the layer's width, is inside the layer for certain.
extern const std::array<std::uint64_t, 256> ziggurat_inside;
/// The right end of a layer as a part of 2^52.
extern const std::array<double, 256> ziggurat_width;
/// exp(-x²/2) at the right end of a layer.
extern const std::array<double, 256> ziggurat_height;

/// Where the tail begins.
constexpr double ziggurat_tail = 3.6541528853610087963519472518;
constexpr double ziggurat_inverse_tail = 0.27366123732975827203338247596;

}  // namespace headlight
