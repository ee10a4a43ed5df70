// Golden pictures: what the app drew when a person last checked it.
#pragma once

#include <string>

#include "app/platform/pictures/image.hpp"

namespace headlight {

/// Only pictures_tests has these: it draws with stand-ins for the fonts, which are the same on every Debian. Inter's
/// own widths differ by one in a hundred between 12 and 13.

/// The golden picture NAME.png.
Image golden_picture(const std::string& name);

/// Fails the test unless every tile of the image matches the golden picture. A failure leaves NAME.actual.png and
/// NAME.difference.png in the build folder and names them. With HEADLIGHT_UPDATE_GOLDEN=1 in the environment the golden
/// picture is written instead.
void expect_picture(const Image& image, const std::string& name);

}  // namespace headlight
