// Golden pictures: what the app drew when a person last checked it.
#pragma once

#include <string>

#include "app/platform/pictures/image.hpp"

namespace headlight {

/// Pictures are judged in squares of 16 × 16 pixels, each by the sum of what its pixels are off: the largest difference
/// of a channel, 0…255. An erased digit comes to thousands, a thin wire in a quiet colour to hundreds. Another
/// processor rounds some edges otherwise, and comes to less than a hundred.
constexpr int tile_side = 16;
constexpr int tolerated_in_tile = 128;

/// In what the image is not the expected one; empty where every tile is.
std::string complaint(const Image& image, const Image& expected);

/// The folder of the golden pictures that hold for the fonts in this program: tests/golden/pictures/fonts.txt says
/// which there are. Empty where there are none for these fonts.
std::string golden_set();

/// NAME.png of that folder.
Image golden_picture(const std::string& name);

/// Fails the test unless every tile of the image is that of the golden picture. A failure leaves NAME.actual.png and
/// NAME.difference.png in the build folder and names them. With HEADLIGHT_UPDATE_GOLDEN=1 in the environment the
/// picture is written instead.
void expect_picture(const Image& image, const std::string& name);

}  // namespace headlight
