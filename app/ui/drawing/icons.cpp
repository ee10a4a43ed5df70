#include "app/ui/drawing/icons.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>

#include "app/ui/drawing/imgui_seam.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

/// A path in the notation of SVG's `d` attribute, with the commands M L H V C A Z, absolute and relative; arcs are
/// circular.
struct IconPaths {
  std::string_view stroked;
  std::string_view filled;
};

IconPaths paths(Icon icon) {
  switch (icon) {
    case Icon::previous: return {"M4 3.5v9", "M12 3.2v9.6L5.6 8z"};
    case Icon::next: return {"M12 3.5v9", "M4 3.2v9.6L10.4 8z"};
    case Icon::play: return {"", "M4.2 2.6v10.8L13 8z"};
    case Icon::pause: return {"", "M4 3h3v10H4zM9 3h3v10H9z"};
    case Icon::moon: return {"M13 9.6A5.6 5.6 0 0 1 6.4 3a5.6 5.6 0 1 0 6.6 6.6z", ""};
    case Icon::sun:
      return {"M8 5.2a2.8 2.8 0 1 0 .01 0zM8 1v1.4M8 13.6V15M1 8h1.4M13.6 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
              ""};
    case Icon::camera: return {"M2 5.2h2.6L6 3.2h4l1.4 2H14v7.6H2zM8 6.6a2.3 2.3 0 1 0 .01 0z", ""};
    case Icon::help:
      return {"M8 1.8a6.2 6.2 0 1 0 .01 0zM6.2 6.3c0-2.3 3.7-2.3 3.7 0c0 1.4-1.9 1.5-1.9 3", "M7.2 10.6h1.6v1.6H7.2z"};
    case Icon::chevron_down: return {"M4.5 6.3L8 9.8l3.5-3.5", ""};
    case Icon::chevron_right: return {"M6.3 4.5L9.8 8l-3.5 3.5", ""};
    case Icon::chevron_left: return {"M9.7 4.5L6.2 8l3.5 3.5", ""};
    case Icon::check: return {"M3.2 8.4l3.2 3.2 6.4-7", ""};
    case Icon::cross: return {"M4 4l8 8M12 4l-8 8", ""};
    case Icon::dice: return {"M3 3h10v10H3z", "M5 5h1.8v1.8H5zM9.2 9.2H11V11H9.2zM9.2 5H11v1.8H9.2zM5 9.2h1.8V11H5z"};
    case Icon::link: return {"M6.8 4.6H5a3.4 3.4 0 0 0 0 6.8h1.8M9.2 4.6H11a3.4 3.4 0 0 1 0 6.8H9.2M5.6 8h4.8", ""};
    case Icon::unlink: return {"M6.8 4.6H5a3.4 3.4 0 0 0 0 6.8h1.8M9.2 4.6H11a3.4 3.4 0 0 1 0 6.8H9.2M2 14L14 2", ""};
    case Icon::plus: return {"M8 3.5v9M3.5 8h9", ""};
    case Icon::minus: return {"M3.5 8h9", ""};
    case Icon::pin: return {"M6 2h4l-.6 4.4 2.4 2.4H4.2l2.4-2.4zM8 8.8V14", ""};
    case Icon::reset: return {"M3.2 8a4.8 4.8 0 1 0 1.6-3.6M3 2.6v2.8h2.8", ""};
    case Icon::copy: return {"M5.5 5.5h7v7h-7zM3.5 10.5v-7h7", ""};
    case Icon::file: return {"M4 2h5l3 3v9H4zM9 2v3h3", ""};
    case Icon::tokens: return {"M2 6h5v4H2zM9 6h5v4H9z", ""};
    case Icon::sizes: return {"M2.5 2.5h11v11h-11zM2.5 6.2h11M6.2 2.5v11", ""};
    case Icon::mask: return {"M2.5 2.5h11v11h-11zM2.5 2.5l11 11M7 2.6l6.4 6.4", ""};
    case Icon::scale: return {"M2 11h3l2 3 3.5-11H14", ""};
    case Icon::position: return {"M2 12.4h12M3.2 12.4V9.6M6.4 12.4v-4.4M9.6 12.4V6.4M12.8 12.4V4.4", ""};
    case Icon::sort: return {"M4 3v10M4 13l-2-2.2M4 13l2-2.2M8.5 4h5.5M8.5 8h4M8.5 12h2.5", ""};
    case Icon::undo: return {"M6 3L3 6l3 3M3 6h6.4a3.4 3.4 0 0 1 0 6.8H6", ""};
    case Icon::redo: return {"M10 3l3 3-3 3M13 6H6.6a3.4 3.4 0 0 0 0 6.8H10", ""};
    case Icon::search: return {"M7 2.6a4.4 4.4 0 1 0 .01 0zM10.2 10.2L13.6 13.6", ""};
    case Icon::save: return {"M8 2.4v7.4M4.8 6.8L8 10l3.2-3.2M2.8 11.4v2h10.4v-2", ""};
    case Icon::eye: return {"M1.6 8C4 3.4 12 3.4 14.4 8C12 12.6 4 12.6 1.6 8zM8 6.2a1.8 1.8 0 1 0 .01 0z", ""};
    case Icon::eye_off: return {"M1.6 8C4 3.4 12 3.4 14.4 8C12 12.6 4 12.6 1.6 8zM3 13.4L13 2.6", ""};
    case Icon::menu: return {"M2.5 4.2h11M2.5 8h11M2.5 11.8h11", ""};
    case Icon::presentation: return {"M2 3h12M3 3v7.5h10V3M8 10.5v3M5.4 14h5.2", ""};
    case Icon::folder: return {"M2 4h4.2l1.6 2H14v7H2z", ""};
    case Icon::disk: return {"M2.8 2.8h8l2.4 2.4v8H2.8zM5.2 2.8v3.4h4.6V2.8M5 13.2V9.4h6v3.8", ""};
    case Icon::export_: return {"M8 9.8V2.4M4.8 5.4L8 2.4l3.2 3M2.8 9v4.4h10.4V9", ""};
    case Icon::learn: return {"M2.6 2.4v11h11M4.6 3.6C5.4 9 8 10.6 13 11", ""};
    case Icon::forward: return {"M2.6 8h10.4M9.4 4.4L13 8l-3.6 3.6", ""};
    case Icon::backward: return {"M13.4 8H3M6.6 4.4L3 8l3.6 3.6", ""};
    case Icon::pen: return {"M3 12.8l.6-3L10.4 3l2.6 2.6-6.8 6.8zM8.9 4.5l2.6 2.6", ""};
    case Icon::eraser: return {"M6 13h7.5M3 9.8L9 3.8l4 4L7.8 13H6z", ""};
    case Icon::pointer: return {"M4 2.4v10.2l2.6-2.2 1.7 3.6 1.6-.8-1.7-3.5 3.4-.3z", ""};
    case Icon::blank: return {"", "M2 3h12v9H2z"};
    case Icon::screen: return {"M2 3h12v7.6H2zM8 10.6v2.8M5 13.4h6", ""};
    case Icon::swap: return {"M3 5.4h9.4M9.8 2.8l2.6 2.6-2.6 2.6M13 10.6H3.6M6.2 8L3.6 10.6l2.6 2.6", ""};
  }
  return {"", ""};
}

/// Follows a path, adds its points to the draw list's current path, and calls `finish(closed)` after each subpath.
class PathWalker {
 public:
  PathWalker(ImDrawList& list, std::string_view path, Point origin, float unit)
      : list_(list), at_(path.data()), end_(path.data() + path.size()), origin_(origin), unit_(unit) {}

  template <class Finish>
  void walk(Finish&& finish) {
    bool open = false;
    char command = 0;
    while (skip_separators()) {
      if (std::isalpha(static_cast<unsigned char>(*at_))) command = *at_++;
      const Point base = std::islower(static_cast<unsigned char>(command)) ? pen_ : Point{};
      switch (std::tolower(command)) {
        case 'm':
          if (open) finish(false);
          start_ = point(base);
          add(start_);
          open = true;
          command = command == 'm' ? 'l' : 'L';
          break;
        case 'l': add(point(base)); break;
        case 'h': add({base.x + number(), pen_.y}); break;
        case 'v': add({pen_.x, base.y + number()}); break;
        case 'c': curve(base); break;
        case 'a': arc(base); break;
        case 'z':
          finish(true);
          open = false;
          pen_ = start_;
          break;
        default: return;
      }
    }
    if (open) finish(false);
  }

 private:
  bool skip_separators() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == ',')) ++at_;
    return at_ < end_;
  }
  float number() {
    skip_separators();
    // Numbers may touch, as in "2.2-2.4": take one sign, digits and at most one dot.
    const char* const from = at_;
    if (at_ < end_ && *at_ == '-') ++at_;
    bool dot = false;
    while (at_ < end_ && (std::isdigit(static_cast<unsigned char>(*at_)) || (*at_ == '.' && !dot)))
      dot |= *at_++ == '.';
    return number_from<float>({from, at_}).value_or(0);
  }
  Point point(Point base) {
    const float x = number();
    const float y = number();
    return base + Point{x, y};
  }
  ImVec2 device(Point p) const { return as_vec2(origin_ + p * unit_); }
  void add(Point p) {
    list_.PathLineTo(device(p));
    pen_ = p;
  }
  void curve(Point base) {
    const Point a = point(base);
    const Point b = point(base);
    const Point end = point(base);
    list_.PathBezierCubicCurveTo(device(a), device(b), device(end), 12);
    pen_ = end;
  }
  void arc(Point base) {
    const float radius = number();
    number();  // the second radius equals the first
    number();  // a circle has no rotation
    const bool large = number() > 0.5f;
    const bool clockwise = number() > 0.5f;
    const Point end = point(base);
    const Point chord = end - pen_;
    const float length = std::hypot(chord.x, chord.y);
    const float r = std::max(radius, length / 2);
    const float height = std::sqrt(r * r - length * length / 4);
    const float side = large == clockwise ? -1.0f : 1.0f;
    const Point middle = (pen_ + end) * 0.5f;
    const Point center{middle.x - side * height * chord.y / length, middle.y + side * height * chord.x / length};
    constexpr float turn = 6.2831853f;
    const float from = std::atan2(pen_.y - center.y, pen_.x - center.x);
    float to = std::atan2(end.y - center.y, end.x - center.x);
    if (clockwise && to < from) to += turn;
    if (!clockwise && to > from) to -= turn;
    list_.PathArcTo(device(center), r * unit_, from, to, 24);
    pen_ = end;
  }

  ImDrawList& list_;
  const char* at_;
  const char* end_;
  Point origin_;
  float unit_;
  Point pen_;
  Point start_;
};

/// The draw list's antialiasing expects clockwise outlines (on a screen, y down).
void make_clockwise(ImVector<ImVec2>& points) {
  float doubled_area = 0;
  for (int i = 0; i < points.Size; ++i) {
    const ImVec2& a = points[i];
    const ImVec2& b = points[(i + 1) % points.Size];
    doubled_area += a.x * b.y - b.x * a.y;
  }
  if (doubled_area < 0) std::reverse(points.begin(), points.end());
}

}  // namespace

void draw_icon(ImDrawList& list, Icon icon, Point top_left, float unit, const FinishOutline& finish) {
  const IconPaths icon_paths = paths(icon);
  PathWalker(list, icon_paths.filled, top_left, unit).walk([&](bool closed) {
    make_clockwise(list._Path);
    finish(true, closed);
  });
  PathWalker(list, icon_paths.stroked, top_left, unit).walk([&](bool closed) { finish(false, closed); });
}

}  // namespace headlight
