// Pictures and glyphs on the graphics card, to be drawn in a frame.
#pragma once

#include "app/platform/pictures/image.hpp"
#include "app/ui/drawing/glyph_atlas.hpp"

namespace headlight {

/// A texture of its own. Needs a current OpenGL 3.3 context when it is made, then it is bound, and when it ends.
class TextureName {
 public:
  TextureName(const TextureName&) = delete;
  TextureName& operator=(const TextureName&) = delete;

  /// The texture's id in the UI library's draw lists.
  void* id() const;

 protected:
  TextureName();
  ~TextureName();

  unsigned name_ = 0;
};

class Texture : public TextureName {
 public:
  explicit Texture(const Image& image);

  int width() const { return width_; }
  int height() const { return height_; }

 private:
  int width_ = 0;
  int height_ = 0;
};

/// A copy of what was drawn, to be drawn smaller. Contexts that share their objects can draw it. Copying needs the
/// context too.
class CopiedTexture : public TextureName {
 public:
  CopiedTexture();
  ~CopiedTexture();

  /// Copies the bound framebuffer, of this size in pixels.
  void copy(int width, int height);

 private:
  unsigned framebuffer_ = 0;
  int width_ = 0;
  int height_ = 0;
};

class GlyphTexture : public TextureName {
 public:
  explicit GlyphTexture(int side);

  /// Uploads the rows that changed, which needs the context too.
  void update(GlyphAtlas& glyphs);
};

}  // namespace headlight
