#include "app/ui/drawing/display_list.hpp"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

Rect bounds(const BoxShape& box) { return box.r.outset(box.width / 2); }

Rect bounds(const PathShape& path) {
  Point low = path.points.front();
  Point high = low;
  for (Point p : path.points) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
  }
  return Rect{low.x, low.y, high.x - low.x, high.y - low.y}.outset(path.width / 2);
}

Rect bounds(const CircleShape& circle) {
  return Rect{circle.center.x, circle.center.y, 0, 0}.outset(circle.radius + circle.width / 2);
}

Rect bounds(const TextShape& text) {
  const float size = text_size(text.style, text.script);
  if (text.turn == 0) return {text.baseline.x, text.baseline.y - size, text.width, 1.3f * size};
  const float cosine = std::cos(text.turn);
  const float sine = std::sin(text.turn);
  PathShape corners;
  for (const Point p : {Point{0, -size}, {text.width, -size}, {0, 0.3f * size}, {text.width, 0.3f * size}})
    corners.points.push_back(text.baseline + Point{cosine * p.x + sine * p.y, cosine * p.y - sine * p.x});
  return bounds(corners);
}

Rect bounds(const HatchShape& hatch) {
  Rect all;
  for (const Rect& r : hatch.rects) all = all.joined(r);
  return all;
}

Rect bounds(const StripShape& strip) { return strip.r; }

Rect bounds(const CellsShape& cells) {
  Rect all;
  for (const CellsShape::Cell& cell : cells.cells) all = all.joined(cell.r);
  return all;
}

Rect bounds(const PixelsShape& pixels) { return pixels.r; }

}  // namespace

Rect bounds_of(const Shape2d& shape) {
  return std::visit([](const auto& s) { return bounds(s); }, shape);
}

}  // namespace headlight
