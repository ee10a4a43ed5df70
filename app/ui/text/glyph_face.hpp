// A font file read with FreeType: its measures and the pictures of its glyphs.
#pragma once

#include <optional>
#include <span>

#include "app/ui/text/glyph_atlas.hpp"

struct FT_LibraryRec_;
struct FT_FaceRec_;

namespace headlight {

/// Pixels from the baseline: how far a line of a font reaches up, and how far down.
struct LineMetrics {
  float ascent = 0;
  float height = 0;
};

/// A character at one size. `left` and `top` lead from the pen on the baseline to the picture's corner, down being
/// positive.
struct Glyph {
  int left = 0;
  int top = 0;
  GlyphPicture picture;
};

class GlyphFace {
 public:
  /// The file stays where it is as long as the face does. Throws std::runtime_error where it is no font.
  explicit GlyphFace(std::span<const unsigned char> file);
  ~GlyphFace();
  GlyphFace(const GlyphFace&) = delete;
  GlyphFace& operator=(const GlyphFace&) = delete;

  bool has(unsigned character) const;
  /// How far the character moves the pen, as the design has it.
  float advance_in_em(unsigned character) const;
  LineMetrics line(float em_pixels);
  /// Lightly hinted: sharp across, and as wide as the design. Of a character that the font has not, its sign for that.
  Glyph glyph(unsigned character, float em_pixels);

 private:
  void set_size(float em_pixels);

  FT_LibraryRec_* library_ = nullptr;
  FT_FaceRec_* face_ = nullptr;
  float em_pixels_ = 0;
};

}  // namespace headlight
