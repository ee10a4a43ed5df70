// Pictures and glyphs on the graphics card, to be drawn in a frame.
#pragma once

#include "app/platform/pictures/image.hpp"
#include "app/ui/drawing/glyph_atlas.hpp"

namespace headlight {

/// Needs a current OpenGL 3.3 context when it is made and when it ends.
class Texture {
 public:
  explicit Texture(const Image& image);
  ~Texture();
  Texture(const Texture&) = delete;
  Texture& operator=(const Texture&) = delete;

  /// The texture's id in the UI library's draw lists.
  void* id() const;
  int width() const { return width_; }
  int height() const { return height_; }

 private:
  unsigned name_ = 0;
  int width_ = 0;
  int height_ = 0;
};

/// A copy of what was drawn, to be drawn smaller. Needs a current OpenGL 3.3 context when it is made, in every call,
/// and when it ends; contexts that share their objects can draw it.
class CopiedTexture {
 public:
  CopiedTexture();
  ~CopiedTexture();
  CopiedTexture(const CopiedTexture&) = delete;
  CopiedTexture& operator=(const CopiedTexture&) = delete;

  /// Copies the bound framebuffer, of this size in pixels.
  void copy(int width, int height);
  /// The texture's id in the UI library's draw lists.
  void* id() const;

 private:
  unsigned name_ = 0;
  unsigned framebuffer_ = 0;
  int width_ = 0;
  int height_ = 0;
};

/// Needs a current OpenGL 3.3 context when it is made, in every call, and when it ends.
class GlyphTexture {
 public:
  explicit GlyphTexture(int side);
  ~GlyphTexture();
  GlyphTexture(const GlyphTexture&) = delete;
  GlyphTexture& operator=(const GlyphTexture&) = delete;

  /// Uploads the rows that changed.
  void update(GlyphAtlas& glyphs);
  /// The texture's id in the UI library's draw lists.
  void* id() const;

 private:
  unsigned name_ = 0;
};

}  // namespace headlight
