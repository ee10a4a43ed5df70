// The atlas of glyphs, on the graphics card.
#pragma once

#include "app/ui/text/glyph_atlas.hpp"

namespace headlight {

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
