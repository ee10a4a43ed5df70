// The drawing of a canvas as a value: shapes and text, the lowest first. The same code draws pixels and this list, from
// which vector formats are written.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/ui/drawing/color.hpp"
#include "app/ui/drawing/fonts.hpp"
#include "app/ui/drawing/geometry.hpp"

namespace headlight {

enum class Align : std::uint8_t { left, center, right };

/// A rectangle: filled, or if `width` > 0 a line of that width along its edge, half of it on either side.
struct BoxShape {
  Rect r;
  Color color;
  float radius = 0;
  float width = 0;
};

/// Points joined by straight lines, filled or stroked like a box; or one cubic curve from the first to the last of four
/// points.
struct PathShape {
  std::vector<Point> points;
  Color color;
  float width = 0;
  bool closed = false;
  bool curve = false;
};

struct CircleShape {
  Point center;
  float radius = 0;
  Color color;
  float width = 0;
};

/// One line of text, which starts at `baseline`. `align` is the end that stays fixed if the text has another width in
/// another font.
struct TextShape {
  Point baseline;
  float width = 0;
  std::string text;
  TextStyle style = TextStyle::control;
  Script script = Script::normal;
  Align align = Align::left;
  Color color;
  float turn = 0;  ///< radians, anticlockwise about the start of the baseline
};

/// Rectangles filled with `ground` and hatched with the lines x + y = k · spacing · √2, so that neighbours match up.
struct HatchShape {
  std::vector<Rect> rects;
  float radius = 0;
  float spacing = 8;
  float line_width = 1;
  Color ground;
  Color ink;
};

/// Strips of equal width from left to right: a colour bar.
struct StripShape {
  Rect r;
  std::vector<Color> colors;
};

/// The cells of a heatmap, one rectangle each.
struct CellsShape {
  struct Cell {
    Rect r;
    Color color;
  };
  std::vector<Cell> cells;
  float radius = 0;
};

/// Pixels stretched over a rectangle with sharp edges between them, the top row first.
struct PixelsShape {
  Rect r;
  int columns = 0;
  int rows = 0;
  std::vector<Color> colors;
};

using Shape2d =
    std::variant<BoxShape, PathShape, CircleShape, TextShape, HatchShape, StripShape, CellsShape, PixelsShape>;

/// A shape, and the part of the surface that it is clipped to.
struct Drawn {
  Rect clip;
  Shape2d shape;
};

struct DisplayList {
  float width = 0;  ///< of the surface, in design pixels
  float height = 0;
  std::optional<Color> ground;  ///< the background; nothing: transparent
  std::vector<Drawn> drawn;
  bool outlines = false;  ///< only positions are needed, so pictures may be without colours
};

/// A rectangle around all of the shape. For text, room for its highest and lowest letters.
Rect bounds_of(const Shape2d& shape);

}  // namespace headlight
