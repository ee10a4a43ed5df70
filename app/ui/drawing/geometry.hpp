// Points and rectangles in design pixels, the unit of all lengths in views. The canvas converts them to device pixels.
#pragma once

#include <algorithm>

namespace headlight {

struct Point {
  float x = 0;
  float y = 0;

  friend Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
  friend Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
  friend Point operator*(Point a, float s) { return {a.x * s, a.y * s}; }
  friend bool operator==(const Point&, const Point&) = default;
};

struct Rect {
  float x = 0;
  float y = 0;
  float w = 0;
  float h = 0;

  float right() const { return x + w; }
  float bottom() const { return y + h; }
  Point min() const { return {x, y}; }
  Point max() const { return {right(), bottom()}; }
  Point center() const { return {x + w / 2, y + h / 2}; }
  bool empty() const { return w <= 0 || h <= 0; }
  bool contains(Point p) const { return p.x >= x && p.y >= y && p.x < right() && p.y < bottom(); }

  Rect inset(float d) const { return inset(d, d); }
  Rect inset(float dx, float dy) const { return {x + dx, y + dy, w - 2 * dx, h - 2 * dy}; }
  Rect outset(float d) const { return inset(-d, -d); }
  Rect moved(float dx, float dy) const { return {x + dx, y + dy, w, h}; }
  /// The smallest rectangle around both; empty ones are ignored.
  Rect joined(const Rect& o) const {
    if (empty()) return o;
    if (o.empty()) return *this;
    const float left = std::min(x, o.x);
    const float top = std::min(y, o.y);
    return {left, top, std::max(right(), o.right()) - left, std::max(bottom(), o.bottom()) - top};
  }
  Rect intersected(const Rect& o) const {
    const float left = std::max(x, o.x);
    const float top = std::max(y, o.y);
    return {left, top, std::min(right(), o.right()) - left, std::min(bottom(), o.bottom()) - top};
  }

  /// These cut a strip off this rectangle and return it, for example a row of a panel.
  Rect cut_left(float d) {
    const Rect strip{x, y, d, h};
    x += d;
    w -= d;
    return strip;
  }
  Rect cut_right(float d) {
    w -= d;
    return {right(), y, d, h};
  }
  Rect cut_top(float d) {
    const Rect strip{x, y, w, d};
    y += d;
    h -= d;
    return strip;
  }
  Rect cut_bottom(float d) {
    h -= d;
    return {x, bottom(), w, d};
  }

  friend bool operator==(const Rect&, const Rect&) = default;
};

}  // namespace headlight
