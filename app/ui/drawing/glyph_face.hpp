// Reads a font file with FreeType: its metrics and the pictures of its glyphs. A face without a file draws them itself.
#pragma once

#include "app/shaping/font_face.hpp"

struct FT_LibraryRec_;
struct FT_FaceRec_;

namespace headlight {

/// The size of a line in pixels: its height above the baseline, and its whole height.
struct LineMetrics {
  float ascent = 0;
  float height = 0;
};

class GlyphFace {
 public:
  /// The file or the drawer must outlive the face. Throws std::runtime_error if it is not a font.
  explicit GlyphFace(const FontFace& face);
  ~GlyphFace();
  GlyphFace(const GlyphFace&) = delete;
  GlyphFace& operator=(const GlyphFace&) = delete;

  bool has(unsigned character) const { return index_of(character) != 0; }
  /// The glyph of a character; 0, the font's sign for "missing", if it has none.
  unsigned index_of(unsigned character) const;
  /// The width of the character in em, unhinted.
  float advance_in_em(unsigned character) const;
  LineMetrics line(float em_pixels);
  /// Lightly hinted: sharp vertically, with unchanged widths. A picture in colour becomes one of shades: the darker it
  /// is, the more it covers.
  DrawnGlyph glyph(unsigned index, float em_pixels);

 private:
  void set_size(float em_pixels);
  DrawnGlyph outline(unsigned index);
  DrawnGlyph picture(unsigned index, float em_pixels);

  GlyphDrawer* drawer_ = nullptr;
  FT_LibraryRec_* library_ = nullptr;
  FT_FaceRec_* face_ = nullptr;
  float em_pixels_ = 0;
};

}  // namespace headlight
