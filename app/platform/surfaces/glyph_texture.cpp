#include "app/platform/surfaces/glyph_texture.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

#include <epoxy/gl.h>

namespace headlight {

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
