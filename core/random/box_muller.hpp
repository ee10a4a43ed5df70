// Uniform numbers turned into normal ones, in the blocks that PyTorch makes them by.
#pragma once

#include <cstddef>

namespace headlight {

constexpr std::size_t box_muller_block = 16;

/// Turns blocks of 16 numbers from [0, 1) into normal ones in place: the first eight of a block give the radius, the
/// last eight the angle; cosines come first, then sines.
///
/// The float version is PyTorch's AVX2 code to the last bit, on every machine; Eigen's functions have other last bits.
/// (Its log, sin and cos are Cephes' polynomials, S. L. Moshier 1992. Where PyTorch does without them it calls the C
/// library, which differs by up to 5e-7.) The double version calls the C library, as PyTorch does everywhere.
void box_muller(float* values, std::size_t blocks);
void box_muller(double* values, std::size_t blocks);

}  // namespace headlight
