#include "app/platform/animation/frame_change.hpp"

#include <algorithm>

namespace headlight {

PixelBlock changed_block(const Image& before, const Image& now) {
  int left = now.width, right = -1, top = now.height, bottom = -1;
  for (int y = 0; y < now.height; ++y) {
    for (int x = 0; x < now.width; ++x) {
      if (before.at(x, y) == now.at(x, y)) continue;
      left = std::min(left, x);
      right = std::max(right, x);
      top = std::min(top, y);
      bottom = y;
    }
  }
  if (right < 0) return {0, 0, 1, 1};
  return {left, top, right - left + 1, bottom - top + 1};
}

}  // namespace headlight
