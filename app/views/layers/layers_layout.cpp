#include "app/views/layers/layers_layout.hpp"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

constexpr float labels_width = 76;
constexpr float narrow_labels = 60;
constexpr Index many_heads = 20;  ///< whose pictures need all the width
constexpr float least_picture = 16;
constexpr float largest_picture = 200;
constexpr float good_picture = 72;  ///< below it, rows that don't fit scroll
constexpr float row_padding = 4;    ///< between the rows' pictures and captions
constexpr float good_gap = 40;      ///< between pictures, where the width allows
constexpr float good_caption = 112;

/// As wide that each cell takes a whole number of device pixels, if there is one for each.
float whole_cells(float picture, Index cells, float canvas_scale) {
  const float pixels = std::floor(picture * canvas_scale / static_cast<float>(cells));
  return pixels < 1 ? picture : pixels * static_cast<float>(cells) / canvas_scale;
}

}  // namespace

Rect LayersGrid::row(Point origin, float width, std::size_t layer) const {
  return {origin.x, origin.y + down * static_cast<float>(layer), width, down};
}

Rect LayersGrid::square(Point origin, std::size_t layer, Index column) const {
  return {origin.x + labels + across * static_cast<float>(column),
          origin.y + down * static_cast<float>(layer) + row_padding / 2, picture, picture};
}

LayersGrid layers_grid(float width, float height, std::size_t layers, Index heads, Index cells, float canvas_scale) {
  LayersGrid grid{.layers = layers, .heads = heads};
  grid.labels = heads > many_heads ? narrow_labels : labels_width;
  const float column_width = (width - grid.labels) / static_cast<float>(heads);
  const float gap = heads > many_heads ? 1 : std::clamp(column_width * 0.12f, 2.0f, 24.0f);
  const float by_width = std::clamp(column_width - gap, least_picture, largest_picture);
  const float of_row = height / static_cast<float>(std::max<std::size_t>(layers, 1));
  const float by_height = std::max(of_row - head_caption - row_padding, std::min(good_picture, by_width));
  grid.picture = whole_cells(std::min(by_width, by_height), cells, canvas_scale);
  grid.across = std::min(std::max(column_width, grid.picture + gap), std::max(grid.picture + good_gap, good_caption));
  grid.down = grid.picture + row_padding + (grid.captioned() ? head_caption : 0);
  return grid;
}

}  // namespace headlight
