// A font: a file in memory, or one that someone else draws with for us.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace headlight {

/// A picture of a glyph: the offset from the pen on the baseline to its upper left corner in pixels, positive
/// downwards, and its coverage from 0 to 255, row after row from the top.
struct DrawnGlyph {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
  std::vector<unsigned char> coverage;
};

/// Draws with a font that is no file here, as a browser does. A glyph of it is a whole text: a grapheme, or letters
/// that join.
class GlyphDrawer {
 public:
  virtual ~GlyphDrawer() = default;
  /// The number of the glyph for a text: always the same, and not 0.
  virtual unsigned glyph_of(std::string_view text) = 0;
  virtual float advance_in_em(unsigned glyph) = 0;
  virtual DrawnGlyph draw(unsigned glyph, float em_pixels) = 0;
};

struct FontFace {
  std::string_view family;  ///< "Inter"
  int weight = 400;         ///< 400 regular, 500 medium, 600 semibold
  bool monospaced = false;
  std::span<const unsigned char> file;
  int index = 0;                  ///< of the face in a file that holds several
  GlyphDrawer* drawer = nullptr;  ///< in place of a file
};

}  // namespace headlight
