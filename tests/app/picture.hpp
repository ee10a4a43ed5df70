// Compares pictures with golden pictures: what the app drew when a person last checked it.
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

/// The golden picture NAME.png.
Image golden_picture(const std::string& name);

/// Fails the test unless every tile of the image matches the golden picture. A failure leaves NAME.actual.png and
/// NAME.difference.png in the build folder and names them. With HEADLIGHT_UPDATE_GOLDEN=1 in the environment the golden
/// picture is written instead.
void expect_picture(const Image& image, const std::string& name);

}  // namespace headlight
