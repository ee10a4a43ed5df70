// Turns uniform numbers into normal ones, in blocks of 16 as PyTorch does.
#pragma once

#include <cstddef>

namespace headlight {

constexpr std::size_t box_muller_block = 16;

/// Turns `blocks` blocks of 16 numbers from [0, 1) into normal ones in place: the first eight numbers of a block give
/// the radii, the last eight the angles; the result has the cosines first, then the sines.
///
/// The float version gives the same bits as PyTorch's AVX2 code on every machine; Eigen's functions differ in the last
/// bits. (Its log, sin and cos are Cephes' polynomials, S. L. Moshier 1992. PyTorch without AVX2 calls the C library,
/// which differs by up to 5e-7.) The double version calls the C library, as PyTorch always does.
void box_muller(float* values, std::size_t blocks);
void box_muller(double* values, std::size_t blocks);

}  // namespace headlight
