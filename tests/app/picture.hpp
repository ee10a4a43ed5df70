// Compares pictures.
#pragma once

#include <string>

#include "app/platform/pictures/image.hpp"

namespace headlight {

/// Pictures are compared in tiles of 16 × 16 pixels. The difference of a pixel is the largest difference of its
/// channels, 0 to 255; the difference of a tile is the sum over its pixels. An erased digit gives thousands, a thin
/// wire in a quiet colour hundreds. Of all labels in the views' golden pictures, the faintest that moves by a pixel
/// gives 167, and the digit that is most like another one 428: tolerance_test.cpp tries every one. Edges that another
/// processor rounds differently give less than a hundred; Debian 13 instead of 12 gives at most 2.
constexpr int tile_side = 16;
constexpr int tolerated_in_tile = 128;

/// Says in words where the image differs from the expected one; empty if every tile is within the tolerance.
std::string complaint(const Image& image, const Image& expected);

/// A picture that is white where both agree, and darker the more they differ.
Image difference_picture(const Image& a, const Image& b);

}  // namespace headlight
