// Reads a font file with FreeType: its metrics and the pictures of its glyphs.
#pragma once

#include <optional>
#include <span>

#include "app/ui/text/glyph_atlas.hpp"

struct FT_LibraryRec_;
struct FT_FaceRec_;

namespace headlight {

/// The size of a line in pixels: its height above the baseline, and its whole height.
struct LineMetrics {
  float ascent = 0;
  float height = 0;
};

/// A character at one size. `left` and `top` are the offset from the pen on the baseline to the upper left corner of
/// the picture, in pixels, positive downwards.
struct Glyph {
  int left = 0;
  int top = 0;
  GlyphPicture picture;
};

class GlyphFace {
 public:
  /// `file` must outlive the face. Throws std::runtime_error if it is not a font.
  explicit GlyphFace(std::span<const unsigned char> file);
  ~GlyphFace();
  GlyphFace(const GlyphFace&) = delete;
  GlyphFace& operator=(const GlyphFace&) = delete;

  bool has(unsigned character) const;
  /// The width of the character in em, unhinted.
  float advance_in_em(unsigned character) const;
  LineMetrics line(float em_pixels);
  /// Lightly hinted: sharp vertically, with unchanged widths. A missing character gives the font's sign for "missing".
  Glyph glyph(unsigned character, float em_pixels);

 private:
  void set_size(float em_pixels);

  FT_LibraryRec_* library_ = nullptr;
  FT_FaceRec_* face_ = nullptr;
  float em_pixels_ = 0;
};

}  // namespace headlight
