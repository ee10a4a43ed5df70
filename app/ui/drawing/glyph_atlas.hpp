// A texture of glyphs: their positions and pixels. Glyphs are added but never removed.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/shaping/font_face.hpp"

namespace headlight {

/// The upper left pixel of a glyph in the texture.
struct AtlasSlot {
  int x = 0;
  int y = 0;
};

class GlyphAtlas {
 public:
  struct Rows {
    int begin = 0;
    int end = 0;
  };

  /// A square of side² pixels, empty but for its white corner.
  explicit GlyphAtlas(int side);

  int side() const { return side_; }
  /// Side² pixels, row after row.
  const unsigned char* pixels() const { return pixels_.get(); }
  /// A pixel position inside the white corner, for shapes without a texture.
  AtlasSlot white() const { return {1, 1}; }

  /// Copies the picture to a free slot and returns the slot; nullopt if there is no room.
  std::optional<AtlasSlot> add(const DrawnGlyph& picture);
  /// The rows that changed since the last call, which must be uploaded.
  Rows take_changed();

 private:
  /// Pictures of about the same height, side by side.
  struct Shelf {
    int top = 0;
    int height = 0;
    int used = 0;  ///< pixels from the left
  };
  struct Free {
    void operator()(unsigned char* memory) const;
  };
  Shelf* shelf_for(int width, int height);

  int side_;
  std::unique_ptr<unsigned char[], Free> pixels_;  ///< zeros, which take no memory until they are written
  std::vector<Shelf> shelves_;
  Rows changed_;
};

}  // namespace headlight
