#include "app/platform/surfaces/texture.hpp"

#include <cstddef>
#include <cstdint>

#include <epoxy/gl.h>

#include "app/platform/surfaces/graphics.hpp"

namespace headlight {

namespace {

/// The bound texture is smooth when it is drawn smaller.
void smooth_when_smaller(GLint drawn_larger) {
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, drawn_larger);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

}  // namespace

TextureName::TextureName() {
  glGenTextures(1, &name_);
  glBindTexture(GL_TEXTURE_2D, name_);
}

TextureName::~TextureName() { glDeleteTextures(1, &name_); }

void* TextureName::id() const { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(name_)); }

Texture::Texture(const Image& image) : width_(image.width), height_(image.height) {
  smooth_when_smaller(GL_NEAREST);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width_, height_, 0, GL_RGBA, GL_UNSIGNED_BYTE, image.rgba.data());
  glGenerateMipmap(GL_TEXTURE_2D);
  glBindTexture(GL_TEXTURE_2D, 0);
}

CopiedTexture::CopiedTexture() {
  smooth_when_smaller(GL_LINEAR);
  glGenFramebuffers(1, &framebuffer_);
  prefer_sharp();  // letters matter more than smooth edges
  glBindTexture(GL_TEXTURE_2D, 0);
}

CopiedTexture::~CopiedTexture() { glDeleteFramebuffers(1, &framebuffer_); }

void CopiedTexture::copy(int width, int height) {
  GLint from = 0;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &from);
  glBindTexture(GL_TEXTURE_2D, name_);
  if (width != width_ || height != height_)
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  width_ = width;
  height_ = height;
  glBindFramebuffer(GL_READ_FRAMEBUFFER, static_cast<GLuint>(from));
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer_);
  glFramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name_, 0);
  glDisable(GL_SCISSOR_TEST);
  // A framebuffer's first row is the lowest, a picture's the highest.
  glBlitFramebuffer(0, 0, width, height, 0, height, width, 0, GL_COLOR_BUFFER_BIT, GL_NEAREST);
  glBindFramebuffer(GL_FRAMEBUFFER, static_cast<GLuint>(from));
  glGenerateMipmap(GL_TEXTURE_2D);
  glBindTexture(GL_TEXTURE_2D, 0);
}

GlyphTexture::GlyphTexture(int side) {
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  make_coverage(side);
}

void GlyphTexture::update(GlyphAtlas& glyphs) {
  const GlyphAtlas::Rows rows = glyphs.take_changed();
  if (rows.begin == rows.end) return;
  glBindTexture(GL_TEXTURE_2D, name_);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  replace_coverage(glyphs.side(), rows.begin, rows.end,
                   glyphs.pixels() + static_cast<std::ptrdiff_t>(rows.begin) * glyphs.side());
}

}  // namespace headlight
