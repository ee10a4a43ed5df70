#include "app/views/tensors/whole_picture.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "app/heatmap/numbers.hpp"
#include "app/session/session.hpp"
#include "app/views/base/motion.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/tensors/asked_cells.hpp"
#include "app/views/tensors/axis_labels.hpp"
#include "app/views/tensors/range_bar.hpp"

namespace headlight {
namespace {

constexpr float title_height = 26;
constexpr float bar_height = 38;

struct Strips {
  Rect cells;
  Rect across;           ///< labels above the cells; empty if there are none
  Rect down;             ///< labels left of the cells; empty if there are none
  bool slanted = false;  ///< those above the cells
};

Strips strips_of(const Canvas& canvas, Rect area, const TensorPicture& picture, const TensorPictureOptions& options,
                 const Session& session) {
  const CellsAtFirst at_first = cells_at_first(session, picture);
  const bool has_labels_above = picture.transposed ? options.row_labels : options.column_labels;
  const bool labels_left = picture.transposed ? options.column_labels : options.row_labels;
  Strips strips;
  if (labels_left) strips.down = area.cut_left(labels_width(canvas, picture, session));
  const auto columns = static_cast<float>(at_first.columns);
  area.w = std::min(area.w, options.widest_pitch * columns);
  if (has_labels_above) {
    const auto [height, slanted] = labels_above(canvas, picture, session, {at_first.columns, area.w / columns});
    strips.across = area.cut_top(height);
    strips.slanted = slanted;
  }
  area.h = std::min(area.h, options.highest_pitch * static_cast<float>(at_first.rows));
  strips.cells = area;
  if (has_labels_above) strips.across = {area.x, strips.across.y, area.w, strips.across.h};
  if (labels_left) strips.down = {strips.down.x, area.y, strips.down.w, area.h};
  return strips;
}

/// From the label through the cells, 2 px outside them. It keeps clear of slanted labels, which would cross it.
Rect band_of(const Strips& strips, const Rect& cells, bool across) {
  if (is_thin(cells)) return cells.outset(3);
  if (across) {
    const float left = strips.down.empty() ? cells.x : strips.down.x + 2;
    return Rect{left, cells.y, cells.right() - left, cells.h}.outset(3);
  }
  const float top = strips.across.empty() || strips.slanted ? cells.y : strips.across.y + 2;
  return Rect{cells.x, top, cells.w, cells.bottom() - top}.outset(3);
}

std::vector<Band> bands_of(const Theme& theme, const TensorPicture& picture, const HeatmapLayout& layout,
                           const Strips& strips, const PictureLight& light) {
  std::vector<Band> bands;
  const auto add = [&](Index index, bool across, bool last) {
    const Rect line = across ? layout.line_across(index) : layout.line_down(index);
    if (line.empty()) return;
    bands.push_back({band_of(strips, line, across), theme.identity(axis_role(picture.tensor, last))});
  };
  if (light.row && picture.slice.rows() > 1) add(*light.row, !picture.transposed, false);
  if (light.column) add(*light.column, picture.transposed, true);
  return bands;
}

/// The title and, where both have room, the shape.
void draw_title(const Canvas& canvas, const Rect& row, const TensorPicture& picture, std::string_view title,
                int power) {
  const std::string shape = Shape{picture.rows_on_screen(), picture.columns_on_screen()}.to_string();
  const float wide = canvas.width(shape, TextStyle::code);
  const std::string words = power == 0 ? std::string(title) : fmt::format("{} {}", title, power_words(power));
  canvas.text_in(row, words, TextStyle::heading, canvas.theme().text);
  if (canvas.width(words, TextStyle::heading) + 8 + wide <= row.w)
    canvas.text_in(row, shape, TextStyle::code, canvas.theme().text3, Align::right);
}

}  // namespace

Rect cells_of_picture(const ViewContext& context, const Rect& area, const TensorPicture& picture,
                      const TensorPictureOptions& options) {
  Rect rest = area;
  if (!options.title.empty()) rest.cut_top(title_height);
  if (options.color_bar) rest.h -= bar_height;
  return strips_of(context.ui.canvas(), rest, picture, options, context.session).cells;
}

PlacedCells draw_tensor_picture(ViewContext& context, std::string_view id, const Rect& area,
                                const TensorPicture& picture, const TensorPictureOptions& options) {
  const Canvas canvas = context.ui.canvas();
  const PictureLight light = light_of(context, picture, true);
  Rect rest = area;
  const Rect title = options.title.empty() ? Rect{} : rest.cut_top(title_height);
  if (options.color_bar) rest.h -= bar_height;
  const Strips strips = strips_of(canvas, rest, picture, options, context.session);
  if (strips.cells.w < 4 || strips.cells.h < 4) return {strips.cells, false};
  const Heatmap heatmap = options.zoom ? zoomed_heatmap(picture, strips.cells, canvas.scale(), *options.zoom)
                                       : picture.heatmap(strips.cells, canvas.scale());
  const int power = options.power || !options.title.empty() ? shared_power(canvas, heatmap) : 0;
  if (!options.title.empty())
    draw_title(canvas, {title.x, title.y, strips.cells.right() - title.x, title.h}, picture, options.title, power);
  const bool banded = options.bands && !context.memory.get<Motion>().gliding();
  const auto bands = banded ? bands_of(canvas.theme(), picture, heatmap.layout, strips, light) : std::vector<Band>{};
  draw_tints(canvas, bands);
  draw_labels(context, picture, heatmap.layout, light, {strips.across});
  draw_labels(context, picture, heatmap.layout, light, {strips.down, false});
  CellsOptions cells = options.cells;
  cells.ring = false;
  cells.power = power;
  const Item item = draw_cells(context, id, picture, heatmap, light, cells);
  if (options.zoom) zoom_with_mouse(context, item, heatmap, picture.tensor, *options.zoom);
  draw_outlines(context, bands);
  if (options.cells.ring) draw_ring(context, heatmap.layout, light);
  if (!options.color_bar) return {strips.cells, heatmap.layout.reduced(), power};
  const Rect bar{strips.cells.x, strips.cells.bottom() + 8, strips.cells.w, 30};
  if (asks_about(context.session, picture.tensor)) draw_color_bar(canvas, {bar.x, bar.y, bar.w, 10}, picture.scale);
  else draw_color_bar_with_range(canvas, bar, picture.scale);
  return {strips.cells, heatmap.layout.reduced(), power};
}

}  // namespace headlight
