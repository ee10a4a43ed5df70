#include "app/platform/surfaces/graphics.hpp"

#include <array>

#include <epoxy/gl.h>

namespace headlight {

const char* glsl_version() { return "#version 330"; }
std::string_view glsl_beginning() { return "#version 330 core\n"; }

void make_coverage(int side) {
  constexpr std::array<GLint, 4> white_with_alpha{GL_ONE, GL_ONE, GL_ONE, GL_RED};
  glTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, white_with_alpha.data());
  glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, side, side, 0, GL_RED, GL_UNSIGNED_BYTE, nullptr);
}

void replace_coverage(int side, int begin, int end, const std::uint8_t* pixels) {
  glTexSubImage2D(GL_TEXTURE_2D, 0, 0, begin, side, end - begin, GL_RED, GL_UNSIGNED_BYTE, pixels);
}

void prefer_sharp() { glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_LOD_BIAS, -0.5f); }

}  // namespace headlight
