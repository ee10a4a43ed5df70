// The program's fonts as Cairo wants them, and lines of text as glyphs.
#pragma once

#include <cairo.h>
#include <map>
#include <memory>

#include "app/ui/drawing/display_list.hpp"

namespace headlight {

class PdfFont;

class PdfFonts {
 public:
  PdfFonts();
  ~PdfFonts();
  PdfFonts(const PdfFonts&) = delete;
  PdfFonts& operator=(const PdfFonts&) = delete;

  /// Shows the text with the screen's advances, in the source that is set; readers find its characters.
  void show(cairo_t* page, const TextShape& text);

 private:
  PdfFont& font(const FontFace& face);

  std::map<const FontFace*, std::unique_ptr<PdfFont>> fonts_;
};

}  // namespace headlight
