// Writes a drawing as SVG: vector shapes, text, and the glyphs that the text needs.
#pragma once

#include <string>
#include <string_view>

#include "app/export/page.hpp"
#include "app/ui/drawing/display_list.hpp"

namespace headlight {

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

}  // namespace headlight
