#include "app/platform/surfaces/graphics.hpp"

#include <cstddef>
#include <vector>

#include <epoxy/gl.h>

namespace headlight {

const char* glsl_version() { return "#version 300 es"; }
std::string_view glsl_beginning() {
  return "#version 300 es\nprecision highp float;\nprecision highp int;\nprecision highp sampler2D;\n";
}

// WebGL can't read one channel as another, so white is a byte of its own.
void make_coverage(int side) {
  glTexImage2D(GL_TEXTURE_2D, 0, GL_LUMINANCE_ALPHA, side, side, 0, GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE, nullptr);
}

void replace_coverage(int side, int begin, int end, const std::uint8_t* pixels) {
  std::vector<std::uint8_t> pairs(2 * static_cast<std::size_t>(side) * static_cast<std::size_t>(end - begin), 255);
  for (std::size_t i = 0; i < pairs.size() / 2; ++i) pairs[2 * i + 1] = pixels[i];
  glTexSubImage2D(GL_TEXTURE_2D, 0, 0, begin, side, end - begin, GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE, pairs.data());
}

void prefer_sharp() {}

}  // namespace headlight
