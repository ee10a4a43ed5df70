// The part of a picture that differs from the one before.
#pragma once

#include "app/platform/pictures/image.hpp"

namespace headlight {

struct PixelBlock {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

/// The smallest block that contains all differing pixels; one pixel if there are none. Both must have the same size.
PixelBlock changed_block(const Image& before, const Image& now);

}  // namespace headlight
