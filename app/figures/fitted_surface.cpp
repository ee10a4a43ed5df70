#include "app/figures/fitted_surface.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/session/export/export_choices.hpp"
#include "app/session/export/export_job.hpp"

namespace headlight {
namespace {

constexpr double pixels_per_inch = 96;  // design pixels per inch, as in CSS
constexpr float margin = 20;

/// The size in which a figure is laid out at first, in design pixels: it has room for the tensors of a lecture at full
/// size.
Extent usual(ExportWhat what) {
  switch (what) {
    case ExportWhat::view:
    case ExportWhat::heads: return {1080, 760};
    case ExportWhat::heatmap: return {800, 800};
    case ExportWhat::equation: return {960, 760};
    case ExportWhat::tokens: return {760, 640};
    case ExportWhat::explanation: return {400, 640};
    case ExportWhat::sources: return {760, 480};
    case ExportWhat::head_sources: return {760, 640};
    case ExportWhat::curve: return {800, 260};
    case ExportWhat::play: return {560, 300};
    case ExportWhat::slide: return {static_cast<float>(slide_pixels[0]), static_cast<float>(slide_pixels[1])};
    default: return {1440, 900};  // a window
  }
}

/// An extent of the same area, with the aspect ratio of the figure's size. The explanation keeps its width, because its
/// text is set for it.
Extent shaped(const Extent& extent, const Figure& figure) {
  if (!figure.size || figure.what == ExportWhat::explanation) return extent;
  const double aspect = std::clamp(figure.size->width / figure.size->height, 0.4, 3.0);
  const double area = static_cast<double>(extent.width) * static_cast<double>(extent.height);
  return {static_cast<float>(std::sqrt(area * aspect)), static_cast<float>(std::sqrt(area / aspect))};
}

int to_pixels(double length) {
  return static_cast<int>(std::lround(std::clamp(length, figure_pixels.low, figure_pixels.high)));
}

/// Device pixels per unit of the figure's size: per pixel or per centimetre.
double pixels_per_unit(const Figure& figure) {
  const bool printed = figure.size && figure.size->unit == LengthUnit::centimetres;
  return printed ? figure.dpi / centimetres_per_inch : 1;
}

/// Device pixels per design pixel for the figure of the window.
double window_scale(const Figure& figure) {
  const bool printed = figure.size && figure.size->unit == LengthUnit::centimetres;
  return printed ? figure.scale * figure.dpi / pixels_per_inch : figure.scale;
}

/// A stretch of the vertical axis. largest_gap is the height of the widest band that no interval covers.
struct Interval {
  float from;
  float to;
};
float largest_gap(std::vector<Interval> covered) {
  std::sort(covered.begin(), covered.end(), [](const Interval& a, const Interval& b) { return a.from < b.from; });
  float reached = covered.empty() ? 0 : covered.front().to;
  float gap = 0;
  for (const Interval& interval : covered) {
    gap = std::max(gap, interval.from - reached);
    reached = std::max(reached, interval.to);
  }
  return gap;
}

/// The extent that is left after removing the widest empty band across the drawing and the empty space at its right and
/// bottom. Shapes almost as wide as the drawing do not count for its right edge, since they follow any width.
Extent trimmed(const DisplayList& drawing, const Extent& extent) {
  constexpr float spared = 24;
  std::vector<Interval> rows;
  float right = 0;
  float bottom = 0;
  for (const Drawn& drawn : drawing.drawn) {
    const Rect shown = bounds_of(drawn.shape).intersected(drawn.clip);
    if (shown.w <= 0 && shown.h <= 0) continue;
    rows.push_back({shown.y, shown.bottom()});
    bottom = std::max(bottom, shown.bottom());
    if (shown.w < 0.85f * extent.width) right = std::max(right, shown.right());
  }
  const float spare = std::max(0.0f, largest_gap(rows) - spared);
  const float below = std::max(0.0f, extent.height - bottom - margin);
  return {std::min(extent.width, std::ceil(right) + margin), std::ceil(extent.height - spare - below)};
}

}  // namespace

FittedSurface::FittedSurface(Session& session, const Figure& figure)
    : app_(session, figure, 1), surface_(app_, to_pixels(0), to_pixels(0)) {
  const Extent room = figure.room
                          ? Extent{static_cast<float>(figure.room->width), static_cast<float>(figure.room->height)}
                          : shaped(usual(figure.what), figure);
  const auto scale = static_cast<float>(is_window(figure.what) ? 1 : figure.size ? figure.scale : 1);
  const Extent roomy{room.width / scale, room.height / scale};
  fill(figure, is_window(figure.what) ? usual(figure.what) : lay_out(roomy));
}

bool FittedSurface::all_shows() {
  surface_.frames(3);
  return app_.hidden() <= 1;
}

Extent FittedSurface::lay_out(Extent extent) {
  constexpr int most_tries = 12;
  const auto place = [&] {
    app_.set_extent(extent);
    surface_.resize(to_pixels(static_cast<double>(extent.width)), to_pixels(static_cast<double>(extent.height)));
  };
  place();
  const float aspect = extent.width / extent.height;
  for (int tries = 0; tries < most_tries && !all_shows(); ++tries) {
    extent.height += std::max(app_.hidden() / 2, 8.0f);
    if (!app_.wide_enough()) extent.width = extent.height * aspect;
    place();
  }
  const Extent before = extent;
  extent = trimmed(surface_.settled_drawing(true), extent);
  place();
  if (all_shows()) return extent;
  extent = before;
  app_.set_extent(extent);
  return extent;
}

void FittedSurface::fill(const Figure& figure, const Extent& extent) {
  const auto width = static_cast<double>(extent.width);
  const auto height = static_cast<double>(extent.height);
  if (figure.size) {
    page_ = *figure.size;
    const double wide = page_.width * pixels_per_unit(figure);
    const double high = page_.height * pixels_per_unit(figure);
    app_.set_scale(is_window(figure.what) ? window_scale(figure) : std::min(wide / width, high / height));
    surface_.resize(to_pixels(wide), to_pixels(high));
  } else {
    app_.set_scale(figure.scale);
    surface_.resize(to_pixels(width * figure.scale), to_pixels(height * figure.scale));
    page_ = {width * figure.scale, height * figure.scale, LengthUnit::pixels};
  }
}

}  // namespace headlight
