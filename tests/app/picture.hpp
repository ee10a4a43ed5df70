// Golden pictures: what the app drew when somebody last looked at it and found it good.
#pragma once

#include <string>

#include "app/platform/pictures/image.hpp"

namespace headlight {

/// How far two pictures are apart, over all pixels; channels in 0…255.
struct PictureDifference {
  double mean = 0;       ///< mean absolute difference of a channel
  double share_off = 0;  ///< share of pixels with a channel that differs by more than 24
  bool same_size = true;
};
PictureDifference difference(const Image& a, const Image& b);

constexpr double tolerated_mean = 0.25;
constexpr double tolerated_share_off = 0.001;

/// Fails the test unless the image equals tests/golden/pictures/NAME.png within a mean of 0.25 and 0.1 % of the pixels:
/// room for another version of FreeType or Mesa to round a few edges otherwise, not for a line that moves by a pixel. A
/// failure leaves NAME.actual.png and NAME.difference.png in the build folder and names them. With
/// HEADLIGHT_UPDATE_GOLDEN=1 in the environment the picture is written instead.
void expect_picture(const Image& image, const std::string& name);

}  // namespace headlight
