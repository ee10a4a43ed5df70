// Writes a drawing as SVG: vector shapes, text, and the glyphs that the text needs.
#pragma once

#include <string>

#include "app/export/page.hpp"
#include "app/ui/drawing/display_list.hpp"

namespace headlight {

/// The SVG file (1.1, with the text properties of SVG 2 that every browser knows). Text is `<text>` in the font
/// families of the screen, with generic families behind them. Its `textLength` keeps its width in any font, and the
/// characters used are embedded as subsets of the program's fonts for viewers that know `@font-face`. The cells of a
/// heatmap are rectangles, or one PNG with a pixel for each cell if there are more than most_cell_shapes.
std::string to_svg(const DisplayList& drawing, const VectorOptions& options);

}  // namespace headlight
