#include "app/views/tensors/tensor_picture.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "app/heatmap/heatmap_renderer.hpp"
#include "app/heatmap/numbers.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/views/base/frame_memory.hpp"
#include "app/views/base/motion.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/menus/context_menu.hpp"
#include "app/views/tensors/asked_cells.hpp"
#include "app/views/tensors/axis_labels.hpp"
#include "app/views/tensors/cell_edit.hpp"
#include "app/views/tensors/cell_tip.hpp"
#include "app/views/tensors/labelled_picture.hpp"
#include "app/views/tensors/mask_brush.hpp"
#include "app/views/tensors/range_bar.hpp"
#include "app/views/tensors/tensor_scale.hpp"
#include "app/views/tensors/zoom.hpp"

namespace headlight {
namespace {

constexpr float title_height = 26;
constexpr float bar_height = 38;
constexpr float least_quiet_cell = 16 * 16;
constexpr float fade_seconds = 0.08f;

struct Strips {
  Rect cells;
  Rect across;           ///< labels above the cells; empty if there are none
  Rect down;             ///< labels left of the cells; empty if there are none
  bool slanted = false;  ///< those above the cells
};

/// Losing colour guides the eye between cells that are looked at one by one. A picture of smaller cells is its colours.
bool is_dense(const HeatmapLayout& layout) { return layout.pitch_x() * layout.pitch_y() < least_quiet_cell; }

/// Whether the tensor's last axis runs across the screen: it does unless the picture is transposed.
bool last_runs_across(const TensorPicture& picture) { return !picture.transposed; }

Strips strips_of(const Canvas& canvas, Rect area, const TensorPicture& picture, const TensorPictureOptions& options,
                 const Session& session) {
  const LabelSource words(session);
  const CellsAtFirst at_first = cells_at_first(session, picture);
  const bool last_across = last_runs_across(picture);
  const bool has_labels_above = last_across ? options.column_labels : options.row_labels;
  const bool labels_left = last_across ? options.row_labels : options.column_labels;
  Strips strips;
  if (labels_left) {
    const AxisLabels labels = axis_labels(canvas.theme(), picture.tensor, !last_across, words, {});
    strips.down = area.cut_left(labels_width(canvas, labels, picture.rows_on_screen()));
  }
  const auto columns = static_cast<float>(at_first.columns);
  area.w = std::min(area.w, options.widest_pitch * columns);
  if (has_labels_above) {
    const auto [height, slanted] =
        labels_above(canvas, picture.tensor, last_across, words, {at_first.columns, area.w / columns});
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

struct Band {
  Rect rect;
  Color identity;
};

std::vector<Band> bands_of(const Theme& theme, const TensorPicture& picture, const HeatmapLayout& layout,
                           const Strips& strips, const PictureLight& light) {
  std::vector<Band> bands;
  const auto add = [&](Index place, bool across, bool last) {
    const Rect line = across ? layout.line_across(place) : layout.line_down(place);
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

Cell TensorPicture::cell_at(GridCell place, const Setup& setup) const {
  return cell_of(Selection{tensor, batch, head, origin.row + place.row, origin.column + place.column}, setup);
}

Heatmap TensorPicture::heatmap(const Rect& area, float canvas_scale) const {
  Heatmap heatmap = make_heatmap(slice, scale, area, canvas_scale, transposed);
  heatmap.reduction = reduction;
  heatmap.shade = shade;
  heatmap.decimals = decimals;
  heatmap.large_type = large_type;
  return heatmap;
}

TensorPicture picture_in(const ViewContext& context, const Trace& trace, const Selection& place,
                         const ColorScale& scale) {
  TensorPicture picture{
      .tensor = place.tensor,
      .batch = place.batch,
      .head = place.head,
      .slice = without_asked(context.session, place, slice_of(trace, place.tensor, place.batch, place.head)),
      .scale = scale,
      .transposed = shown_turned(place.tensor, trace.setup),
      .reduction =
          context.session.display().heatmap(place.tensor).mean ? Reduction::mean : Reduction::largest_magnitude,
      .decimals = matrix_choices(context.session).decimals,
      .large_type = context.presenting};
  if (!scale.multiples) return picture;
  const Tensor multiples =
      context.memory.get<StatisticsCache>().multiples_of(*context.session.threads(), trace, place.tensor);
  picture.shade = picture.slice;
  picture.shade->values = multiples.selected(1, place.head).selected(0, place.batch);
  return picture;
}

TensorPicture picture_of(const ViewContext& context, TensorId tensor, Index batch, Index head) {
  const Session& session = context.session;
  return picture_in(context, session.trace(), {.tensor = tensor, .batch = batch, .head = head},
                    color_scale_of(session, context.memory.get<StatisticsCache>(), tensor, head));
}

TensorPicture part_of(TensorPicture picture, const GridBlock& part) {
  const auto cut = [&](Tensor& window) {
    if (window.empty()) return;
    window = window.narrowed(0, part.rows.begin, part.rows.size()).narrowed(1, part.columns.begin, part.columns.size());
  };
  cut(picture.slice.values);
  cut(picture.slice.hidden);
  if (picture.shade) {
    cut(picture.shade->values);
    cut(picture.shade->hidden);
  }
  picture.origin = {picture.origin.row + part.rows.begin, picture.origin.column + part.columns.begin};
  return picture;
}

std::string_view words_of(Reduction reduction) {
  return reduction == Reduction::mean ? "mean per pixel" : "max |v| per pixel";
}

Emphasis PictureLight::emphasis(float strength) const {
  Emphasis emphasis;
  if (row) emphasis.rows = IndexRange::one(*row);
  if (column) emphasis.columns = IndexRange::one(*column);
  emphasis.strength = strength;
  return emphasis;
}

PictureLight light_of(const ViewContext& context, const TensorPicture& picture) {
  const Session& session = context.session;
  const Cell cell = session.cell();
  if (cell.tensor != picture.tensor || points_at_answer(session)) return {};
  const Selection place = at_cell(session.selection(), cell, session.setup());
  if (info(cell.tensor).has_batch() && place.batch != picture.batch) return {};
  if (context.still && !session.state().pinned) return {};
  const bool quiet = !context.presenting && (session.state().pinned || session.state().hovered == cell);
  const GridCell at{place.row - picture.origin.row, place.column - picture.origin.column};
  const bool has_row = at.row >= 0 && at.row < picture.slice.rows();
  const bool has_column = at.column >= 0 && at.column < picture.slice.columns();
  PictureLight light{.row = {}, .column = {}, .ring = {}, .quiet = quiet};
  if (has_row) light.row = at.row;
  if (has_column) light.column = at.column;
  if (has_row && has_column) light.ring = at;
  return light;
}

float band_width(const ViewContext& context) { return context.presenting ? 1.5f : 2.0f; }

void draw_ring(const ViewContext& context, const HeatmapLayout& layout, const PictureLight& light) {
  if (!light.ring || context.memory.get<Motion>().gliding()) return;
  const GridBlock visible = layout.visible();
  if (!visible.rows.contains(light.ring->row) || !visible.columns.contains(light.ring->column)) return;
  const Canvas canvas = context.ui.canvas();
  const Rect ringed = layout.rect_of(*light.ring);
  context.memory.get<FrameMemory>().lit_cell = ringed;
  const bool small = std::min(ringed.w, ringed.h) < 20;
  canvas.ring(ringed, small ? 1.0f : 4.0f, context.presenting ? 2.5f : small ? 2.0f : 3.0f);
  if (!context.session.state().pinned || small || context.still) return;
  const Point corner{ringed.right() + 2, ringed.y - 2};
  canvas.disc(corner, 8, canvas.theme().lamp);
  canvas.icon(Icon::pin, {corner.x - 5, corner.y - 5}, canvas.theme().lamp_ink, 2, 10);
}

namespace {

/// Each cell has an id of its own, so that moving on to the next cell closes the tip.
void draw_tip(ViewContext& context, Item item, const TensorPicture& picture, const Heatmap& heatmap, GridCell place,
              const CellsOptions& options) {
  Ui& ui = context.ui;
  item.id = ui.id_of(fmt::format("{},{}", place.row, place.column));
  const GridBlock pixel = heatmap.layout.block_at(ui.mouse()).value_or(GridBlock{});
  const bool hidden = options.asked && context.session.lesson().hides(picture.cell_at(place, context.session.setup()),
                                                                      context.session.setup());
  ui.tooltip(item,
             hidden ? std::string("What do you think?") : cell_tip(picture, place, pixel, options.of, context.session));
}

}  // namespace

namespace {

/// Puts cells that are on their way where they are in this frame, in the colours that they have there.
void move_cells(ViewContext& context, const TensorPicture& picture, Heatmap& heatmap, const CellsOptions& options) {
  Motion& motion = context.memory.get<Motion>();
  if (options.glides)
    heatmap.layout =
        heatmap.layout.over(motion.glided(picture.tensor, picture.head, options.of, heatmap.layout.area()));
  if (!heatmap.shade)
    heatmap.shade = motion.morphed(context.session, picture.tensor, picture.batch, picture.head, picture.slice);
}

/// The numbers of the state before somebody played, as a stripe at the foot of each cell that is large enough to be
/// read.
void draw_ghost(ViewContext& context, const TensorPicture& picture, const Heatmap& heatmap) {
  constexpr float share = 0.14f;
  const std::shared_ptr<const Trace>& ghost = context.memory.get<Ghost>().before;
  const Trace& now = context.session.trace();
  if (!ghost || ghost.get() == &now || !ghost->has(picture.tensor)) return;
  const Canvas canvas = context.ui.canvas();
  if (characters_that_fit(canvas, heatmap.layout) == 0) return;
  if ((*ghost)[picture.tensor].shape() != now[picture.tensor].shape()) return;
  if (!picture.slice.same_window(slice_of(now, picture.tensor, picture.batch, picture.head))) return;
  const Slice before = slice_of(*ghost, picture.tensor, picture.batch, picture.head);
  const GridBlock shown = heatmap.layout.visible();
  for (Index row = shown.rows.begin; row < shown.rows.end; ++row)
    for (Index column = shown.columns.begin; column < shown.columns.end; ++column) {
      if (before.kind(row, column) != CellKind::number) continue;
      const Rect cell = heatmap.layout.rect_of(GridCell{row, column});
      const Rect stripe{cell.x, cell.bottom() - share * cell.h, cell.w, share * cell.h};
      canvas.fill(stripe, heatmap.scale.color(canvas.theme(), before.value(row, column)), 2);
    }
}

}  // namespace

Item draw_cells(ViewContext& context, std::string_view id, const TensorPicture& picture, Heatmap heatmap,
                const PictureLight& light, const CellsOptions& options) {
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  ui.push_id(id);
  const bool painting = options.interactive && options.paints && paints(context, picture.tensor);
  const bool quiet = light.quiet && !painting && !is_dense(heatmap.layout);
  heatmap.emphasis = light.emphasis(ui.eased("quiet", quiet ? 1.0f : 0.0f, fade_seconds));
  if (options.interactive) move_cells(context, picture, heatmap, options);
  context.heatmaps.draw(canvas, heatmap);
  if (options.interactive && options.numbers && !picture.shade) draw_ghost(context, picture, heatmap);
  const bool says_numbers = options.numbers && draw_numbers(canvas, heatmap, options.power);
  if (context.printed && !says_numbers) draw_signs(canvas, heatmap);
  const SessionState& state = context.session.state();
  if (options.asked && (options.paints || context.session.lesson().asks() || state.checking.is_of_step()))
    draw_asked_cells(context, picture, heatmap.layout);
  if (painting) draw_paint_frame(canvas, heatmap.layout.area());
  if (options.ring) draw_ring(context, heatmap.layout, light);
  Item item;
  if (options.interactive) {
    item = ui.item("cells", heatmap.layout.area(), {.focusable = false});
    const std::optional<Reduced> under = item.hovered ? heatmap.at(ui.mouse()) : std::nullopt;
    if (under) {
      const Cell cell = picture.cell_at(under->cell, context.session.setup());
      hover_cell(context, drags_cell(context, item) ? context.memory.get<CellEditMemory>().edit->cell : cell);
      if (item.clicked && !item.dragged && !painting) Selecting(context.session).pin(cell);
      offer_menu(context, heatmap.layout.area(),
                 {TargetKind::cell, at_cell(context.session.selection(), cell, context.session.setup())});
      if (!painting && !drags_cell(context, item)) draw_tip(context, item, picture, heatmap, under->cell, options);
    }
    if (painting) brush_cells(context, item, heatmap);
    else if (options.paints) edit_cells(context, item, picture, heatmap);
  }
  ui.pop_id();
  return item;
}

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
  const PictureLight light = light_of(context, picture);
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
  for (const Band& band : bands) canvas.band_tint(band.rect, band.identity);
  draw_labels(context, picture, heatmap.layout, light, {strips.across});
  draw_labels(context, picture, heatmap.layout, light, {strips.down, false});
  CellsOptions cells = options.cells;
  cells.ring = false;
  cells.power = power;
  const Item item = draw_cells(context, id, picture, heatmap, light, cells);
  if (options.zoom) zoom_with_mouse(context, item, heatmap, picture.tensor, *options.zoom);
  for (const Band& band : bands) canvas.band_outline(band.rect, band.identity, band_width(context));
  if (options.cells.ring) draw_ring(context, heatmap.layout, light);
  if (!options.color_bar) return {strips.cells, heatmap.layout.reduced(), power};
  const Rect bar{strips.cells.x, strips.cells.bottom() + 8, strips.cells.w, 30};
  if (asks_about(context.session, picture.tensor)) draw_color_bar(canvas, {bar.x, bar.y, bar.w, 10}, picture.scale);
  else draw_color_bar_with_range(canvas, bar, picture.scale);
  return {strips.cells, heatmap.layout.reduced(), power};
}

}  // namespace headlight
