// Writes a drawing as SVG or PDF: vector shapes and text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/ui/drawing/display_list.hpp"

namespace headlight {

enum class LengthUnit : std::uint8_t { pixels, centimetres };

/// The size of a picture on a page or screen. A pixel is CSS's: 1/96 inch.
struct PageSize {
  double width = 0;
  double height = 0;
  LengthUnit unit = LengthUnit::pixels;
};

/// What the writer of a vector picture needs besides the drawing.
struct VectorOptions {
  PageSize size;
  std::string title;  ///< stored in the file for viewers and catalogues; not drawn
};

/// The SVG file (1.1, with the text properties of SVG 2 that every browser knows). Text is `<text>` in the font
/// families of the screen, with generic families behind them. Its `textLength` keeps its width in any font, and the
/// characters used are embedded as subsets of the program's fonts for viewers that know `@font-face`. The cells of a
/// heatmap are rectangles, or one PNG with a pixel for each cell if there are more than most_cell_shapes.
std::string to_svg(const DisplayList& drawing, const VectorOptions& options);

/// The same as an element for a page of HTML, without fonts: font_styles gives those of all its pictures at once.
/// `prefix` sets its ids apart from those of the others.
std::string to_svg_element(const DisplayList& drawing, const VectorOptions& options, std::string_view prefix);

/// CSS rules with the characters of the program's fonts that the texts need.
std::string font_styles(const DisplayList& drawing);

/// The PDF file: one page of the given size (96 pixels to the inch), with text that can be selected. Only the
/// characters that are used are embedded from the fonts. The same drawing gives the same bytes. Throws
/// std::runtime_error if Cairo fails.
std::string to_pdf(const DisplayList& drawing, const VectorOptions& options);

}  // namespace headlight
