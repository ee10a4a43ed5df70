// A drawing as SVG: real shapes, real text, and the glyphs that it needs.
#pragma once

#include <string>

#include "app/export/page.hpp"
#include "app/ui/drawing/display_list.hpp"

namespace headlight {

/// The SVG document (1.1, with the text properties of SVG 2 that every browser knows). Text is `<text>` in the families
/// of the screen with generic ones behind them; its `textLength` keeps it in place in any font, and the characters that
/// are used come along as subsets of the program's fonts for readers of `@font-face`. The cells of a heatmap are
/// rectangles, or one PNG of a pixel each where there are more than most_cell_shapes.
std::string to_svg(const DisplayList& drawing, const VectorOptions& options);

}  // namespace headlight
