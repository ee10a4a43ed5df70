#include "app/views/tensors/picture_cells.hpp"

#include <algorithm>
#include <array>
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
#include "app/views/tensors/mask_brush.hpp"
#include "core/model/tensor.hpp"
#include "core/text/word_pieces.hpp"

namespace headlight {
namespace {

constexpr float least_quiet_cell = 16 * 16;
constexpr float fade_seconds = 0.08f;

/// Losing colour guides the eye between cells that are looked at one by one. A picture of smaller cells is its colours.
bool is_dense(const HeatmapLayout& layout) { return layout.pitch_x() * layout.pitch_y() < least_quiet_cell; }

/// The corner of a cell for its pin: the first one without a sign.
Point corner_for_pin(const Rect& cell, const std::vector<CornerSign>& signs) {
  constexpr float apart = 18;
  const Rect around = cell.outset(2);
  const std::array corners{Point{around.right(), around.y}, around.min(), Point{around.x, around.bottom()},
                           around.max()};
  const auto is_free = [&](const Point& corner) {
    return std::ranges::none_of(signs, [&](const CornerSign& sign) {
      return std::hypot(sign.corner.x - corner.x, sign.corner.y - corner.y) < apart;
    });
  };
  const auto free = std::ranges::find_if(corners, is_free);
  return free == corners.end() ? corners.front() : *free;
}

}  // namespace

void draw_ring(const ViewContext& context, const HeatmapLayout& layout, const PictureLight& light) {
  if (!light.ring || context.memory.get<Motion>().gliding()) return;
  const GridBlock visible = layout.visible();
  if (!visible.rows.contains(light.ring->row) || !visible.columns.contains(light.ring->column)) return;
  const Canvas canvas = context.ui.canvas();
  const Rect ringed = layout.rect_of(*light.ring);
  context.memory.get<FrameMemory>().lit_cell = ringed;
  const bool small = std::min(ringed.w, ringed.h) < 20;
  canvas.ring(ringed, small ? 1.0f : 4.0f, context.presenting ? 2.5f : small ? 2.0f : 3.0f);
  draw_signs_over(context, ringed);
  if (!context.session.state().pinned || small || context.still) return;
  const Point corner = corner_for_pin(ringed, context.memory.get<FrameMemory>().signs);
  canvas.disc(corner, 8, canvas.theme().lamp);
  canvas.icon(Icon::pin, {corner.x - 5, corner.y - 5}, canvas.theme().lamp_ink, 2, 10);
}

namespace {

/// Each cell has an id of its own, so that moving on to the next cell closes the tip.
void draw_tip(ViewContext& context, Item item, const TensorPicture& picture, const Heatmap& heatmap, GridCell at,
              const CellsOptions& options) {
  if (context.reads) return;
  Ui& ui = context.ui;
  item.id = ui.id_of(fmt::format("{},{}", at.row, at.column));
  item.r = heatmap.layout.rect_of(at);
  const GridBlock pixel = heatmap.layout.block_at(ui.mouse()).value_or(GridBlock{});
  const bool hidden = options.asked && context.session.lesson().hides(picture.cell_at(at, context.session.setup()),
                                                                      context.session.setup());
  ui.tooltip(item,
             hidden ? std::string("What do you think?") : cell_tip(picture, at, pixel, options.of, context.session));
}

/// Puts cells that are on their way where they are in this frame, in the colours that they have there.
void move_cells(ViewContext& context, const TensorPicture& picture, Heatmap& heatmap, const CellsOptions& options) {
  Motion& motion = context.memory.get<Motion>();
  if (options.glides)
    heatmap.layout =
        heatmap.layout.over(motion.glided(picture.tensor, picture.head, options.of, heatmap.layout.area()));
  if (!heatmap.shade)
    heatmap.shade = motion.morphed(context.session, picture.tensor, picture.batch, picture.head, picture.slice);
}

/// The numbers of the state before the user played, as a stripe at the foot of each cell that is large enough to be
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
    draw_asked_cells(context, {.tensor = picture.tensor, .batch = picture.batch, .head = picture.head}, picture.origin,
                     heatmap.layout);
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

PlacedPicture placed(const Canvas& canvas, const TensorPicture& picture, const Heatmap& heatmap, ZoomAxes axes) {
  return {picture, heatmap, axes, shared_power(canvas, heatmap)};
}

Item draw_cells(ViewContext& context, std::string_view id, const PlacedPicture& placed, const PictureLight& light,
                CellsOptions options) {
  options.power = placed.power;
  return draw_cells(context, id, placed.picture, placed.heatmap, light, options);
}

void zoom_with_mouse(ViewContext& context, const Item& item, const PlacedPicture& placed, Zoom& zoom) {
  zoom_with_mouse(context, item, placed.heatmap, placed.picture.tensor, zoom, placed.axes);
}

// --- Tooltips --------------------------------------------------------------------------------------------------------

namespace {

std::string tokens_of(const Cell& cell, const Session& session) {
  std::string tokens;
  for (const bool last : {false, true}) {
    const int from_end = last ? 0 : 1;
    if (cell.index.rank() <= from_end) continue;
    std::string token = axis_label(cell.tensor, last, cell.index.back(from_end), session).token;
    if (token.empty()) continue;
    const auto axis = matrix_axis(cell.tensor, last);
    if (const std::string written = written_token(axis, cell.index.back(from_end), session.setup()); !written.empty())
      token += fmt::format(" (\"{}\")", written);
    tokens += (tokens.empty() ? "" : " · ") + token;
  }
  return tokens;
}

Index cells_in(const GridBlock& block) { return block.rows.size() * block.columns.size(); }

}  // namespace

std::string cell_tip(const TensorPicture& picture, GridCell at, const GridBlock& pixel, std::string_view of,
                     const Session& session) {
  const Cell cell = picture.cell_at(at, session.setup());
  const std::string number =
      picture.slice.kind(at.row, at.column) == CellKind::masked && !info(picture.tensor).hides_as_infinity()
          ? "0, masked"
          : exact_text(picture.slice.value(at.row, at.column), picture.slice.values.precision());
  std::string tip = fmt::format("{}{}{} = {}", of, of.empty() ? "" : " ", text_of(cell, session.setup()), number);
  if (const std::string tokens = tokens_of(cell, session); !tokens.empty()) tip += "\n" + tokens;
  if (picture.shade && picture.slice.kind(at.row, at.column) == CellKind::number)
    tip += fmt::format("\n{:.3g} times even attention", picture.shade->value(at.row, at.column));
  if (const Index cells = cells_in(pixel); cells > 1)
    tip += fmt::format("\nthe largest of the {} cells in this pixel", cells);
  return tip;
}

// --- Labels ----------------------------------------------------------------------------------------------------------

namespace {

/// A bar beside each row whose numbers the shown answer has changed, where the step wants to have them marked.
void mark_changed_rows(const ViewContext& context, const TensorPicture& picture, const HeatmapLayout& layout,
                       const Rect& strip) {
  const Session& session = context.session;
  if (!matrix_choices(session, picture.tensor).marks_changed || !session.lesson().answer_state().shown) return;
  const auto before = session.state().checking.reference_at(session.setup().layer);
  if (!before || !before->has(picture.tensor)) return;
  const Slice then = slice_of(*before, picture.tensor, picture.batch, picture.head);
  const Slice& now = picture.slice;
  if (now.values.shape() != then.values.shape()) return;
  const auto is_changed = [&](Index row) {
    for (Index column = 0; column < then.columns(); ++column)
      if (then.value(row, column) != now.value(row, column)) return true;
    return false;
  };
  const Canvas canvas = context.ui.canvas();
  const IndexRange rows = layout.visible().rows;
  for (Index row = rows.begin; row < rows.end; ++row) {
    if (!is_changed(row)) continue;
    const Rect cell = layout.rect_of(GridCell{row, 0});
    canvas.fill({strip.x, cell.y, 5, cell.h}, canvas.theme().changed, 2);
  }
}

}  // namespace

void draw_labels(ViewContext& context, const TensorPicture& picture, const HeatmapLayout& layout,
                 const PictureLight& light, const LabelStrip& strip) {
  if (strip.area.empty()) return;
  const Canvas canvas = context.ui.canvas();
  const bool last = strip.across != picture.transposed;
  const AxisLabels labels =
      axis_labels(canvas.theme(), picture.tensor, last, context.session, last ? light.column : light.row);
  if (strip.across) draw_labels_across(canvas, layout, strip.area, labels, strip.beyond);
  else draw_labels_down(canvas, layout, strip.area, labels, strip.align);
  if (!strip.across && !last) mark_changed_rows(context, picture, layout, strip.area);
  attend_to_tokens(context, picture.tensor, layout, strip.area, strip.across);
}

void attend_to_tokens(ViewContext& context, TensorId tensor, const HeatmapLayout& layout, const Rect& strip,
                      bool across) {
  if (strip.empty() || !context.ui.mouse_over(strip)) return;
  const bool last = across != layout.shape().transposed;
  const auto axis = matrix_axis(tensor, last);
  if (axis != Axis::query && axis != Axis::key && axis != Axis::token) return;
  const Point mouse = context.ui.mouse();
  const Rect& cells = layout.area();
  const auto cell = layout.cell_at(across ? Point{mouse.x, cells.center().y} : Point{cells.center().x, mouse.y});
  if (!cell) return;
  const Index index = last ? cell->column : cell->row;
  tell_written_token(context, written_token(axis, index, context.session.setup()), strip);
  if (!context.ui.right_clicked()) return;
  // A position of X is that of a query, unless it is past: then only keys are made from it.
  const Index past = axis == Axis::token ? context.session.setup().past() : 0;
  const bool as_key = axis == Axis::key || index < past;
  offer_menu(context, strip, token_target(context.session, as_key ? index : index - past, as_key));
}

std::string written_token(std::optional<Axis> axis, Index index, const Setup& setup) {
  if (axis == Axis::key && setup.is_cross()) return written_token(setup.key_tokens, static_cast<std::size_t>(index));
  if (axis != Axis::query && axis != Axis::key && axis != Axis::token && axis != Axis::position) return {};
  return written_token(setup.tokens, static_cast<std::size_t>(axis == Axis::query ? setup.past() + index : index));
}

void tell_written_token(ViewContext& context, const std::string& written, const Rect& about) {
  if (written.empty()) return;
  Item item;
  item.id = context.ui.id_of(written);  // another token's tip opens anew
  item.r = about;
  item.hovered = true;
  context.ui.tooltip(item, fmt::format("The token is \"{}\"", written));
}

// --- Bands -----------------------------------------------------------------------------------------------------------

float band_width(const ViewContext& context) { return context.presenting ? 1.5f : 2.0f; }

void draw_tints(const Canvas& canvas, const std::vector<Band>& bands) {
  for (const Band& band : bands) canvas.band_tint(band.rect, band.identity);
}

void draw_outlines(const ViewContext& context, const std::vector<Band>& bands) {
  if (context.memory.get<Motion>().gliding()) return;
  const Canvas canvas = context.ui.canvas();
  for (const Band& band : bands) canvas.band_outline(band.rect, band.identity, band_width(context));
}

}  // namespace headlight
