#include "app/platform/surfaces/texture.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

#include <epoxy/gl.h>

namespace headlight {

Texture::Texture(const Image& image) : width_(image.width), height_(image.height) {
  glGenTextures(1, &name_);
  glBindTexture(GL_TEXTURE_2D, name_);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width_, height_, 0, GL_RGBA, GL_UNSIGNED_BYTE, image.rgba.data());
  glGenerateMipmap(GL_TEXTURE_2D);
  glBindTexture(GL_TEXTURE_2D, 0);
}

Texture::~Texture() { glDeleteTextures(1, &name_); }

void* Texture::id() const { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(name_)); }

GlyphTexture::GlyphTexture(int side) {
  glGenTextures(1, &name_);
  glBindTexture(GL_TEXTURE_2D, name_);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  // Shaders read white, with the glyph's coverage as alpha.
  constexpr std::array<GLint, 4> swizzle{GL_ONE, GL_ONE, GL_ONE, GL_RED};
  glTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, swizzle.data());
  glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, side, side, 0, GL_RED, GL_UNSIGNED_BYTE, nullptr);
}

GlyphTexture::~GlyphTexture() { glDeleteTextures(1, &name_); }

void GlyphTexture::update(GlyphAtlas& glyphs) {
  const GlyphAtlas::Rows rows = glyphs.take_changed();
  if (rows.begin == rows.end) return;
  glBindTexture(GL_TEXTURE_2D, name_);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glTexSubImage2D(GL_TEXTURE_2D, 0, 0, rows.begin, glyphs.side(), rows.end - rows.begin, GL_RED, GL_UNSIGNED_BYTE,
                  glyphs.pixels() + static_cast<std::ptrdiff_t>(rows.begin) * glyphs.side());
}

void* GlyphTexture::id() const { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(name_)); }

}  // namespace headlight
