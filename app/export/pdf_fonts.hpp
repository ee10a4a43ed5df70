// Draws text with the program's fonts through Cairo.
#pragma once

#include <cairo.h>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "app/ui/drawing/display_list.hpp"

namespace headlight {

class PdfFont;

class PdfFonts {
 public:
  PdfFonts();
  ~PdfFonts();
  PdfFonts(const PdfFonts&) = delete;
  PdfFonts& operator=(const PdfFonts&) = delete;

  /// Draws the text on the page in the current colour, with the character widths of the screen. The PDF keeps its
  /// characters, so that it can be selected and searched.
  void show(cairo_t* page, const TextShape& text);

 private:
  PdfFont& font(const FontFace& face);
  std::vector<ShapedGlyph> glyphs_of(std::string_view text, const FontFace& own);

  Shaper shaper_;
  std::map<const FontFace*, std::unique_ptr<PdfFont>> fonts_;
};

}  // namespace headlight
