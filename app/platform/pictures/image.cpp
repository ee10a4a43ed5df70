#include "app/platform/pictures/image.hpp"

#include <algorithm>

namespace headlight {
namespace {

std::size_t offset(const Image& image, int x, int y) {
  return (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x)) * 4;
}

}  // namespace

Image::Image(int w, int h) : width(w), height(h), rgba(static_cast<std::size_t>(w) * static_cast<std::size_t>(h) * 4) {}

Color Image::at(int x, int y) const {
  const std::uint8_t* p = rgba.data() + offset(*this, x, y);
  return {p[0], p[1], p[2], p[3]};
}

void Image::set(int x, int y, Color color) {
  std::uint8_t* p = rgba.data() + offset(*this, x, y);
  p[0] = color.r;
  p[1] = color.g;
  p[2] = color.b;
  p[3] = color.a;
}

Image Image::cropped(int x, int y, int w, int h) const {
  Image part(w, h);
  for (int row = 0; row < h; ++row) {
    const std::uint8_t* from = rgba.data() + offset(*this, x, y + row);
    std::copy(from, from + static_cast<std::size_t>(w) * 4, part.rgba.data() + offset(part, 0, row));
  }
  return part;
}

}  // namespace headlight
