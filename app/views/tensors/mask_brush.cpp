#include "app/views/tensors/mask_brush.hpp"

#include <algorithm>
#include <cmath>

#include "app/session/actions/actions.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/views/base/view_memory.hpp"
#include "core/setup/edits.hpp"

namespace headlight {
namespace {

using Pairs = std::vector<std::pair<Index, Index>>;

/// The nearest point within the area.
Point inside(const Rect& area, Point p) {
  constexpr float edge = 0.01f;
  return {std::clamp(p.x, area.x, area.right() - edge), std::clamp(p.y, area.y, area.bottom() - edge)};
}

void add_pairs(const GridBlock& block, Pairs& pairs) {
  for (Index query = block.rows.begin; query < block.rows.end; ++query)
    for (Index key = block.columns.begin; key < block.columns.end; ++key) pairs.emplace_back(query, key);
}

/// Whether every cell of the block is hidden by the custom mask, and that mask is in use.
bool is_painted(const Setup& setup, const GridBlock& block) {
  Pairs pairs;
  add_pairs(block, pairs);
  return setup.mask.has(MaskKind::custom) && std::all_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
           return is_blocked(setup, pair.first, pair.second);
         });
}

/// The cells on the pointer's way, looked up at every device pixel: a fast mouse would skip some.
Pairs pairs_between(const HeatmapLayout& layout, Point from, Point to) {
  const Point way = to - from;
  const int steps =
      std::max(1, static_cast<int>(std::ceil(std::max(std::abs(way.x), std::abs(way.y)) * layout.scale())));
  Pairs pairs;
  std::optional<GridBlock> before;
  for (int step = 0; step <= steps; ++step) {
    const float share = static_cast<float>(step) / static_cast<float>(steps);
    const auto block = layout.block_at(inside(layout.area(), from + way * share));
    if (!block || block == before) continue;
    add_pairs(*block, pairs);
    before = block;
  }
  return pairs;
}

}  // namespace

bool paints(const ViewContext& context, TensorId tensor) {
  return context.session.display().painting && info(tensor).masked;
}

void brush_cells(ViewContext& context, const Item& item, const Heatmap& heatmap) {
  MaskBrush& brush = context.memory.get<MaskBrush>();
  context.ui.claim_edit(item);
  const Point at = inside(heatmap.layout.area(), context.ui.mouse());
  if (item.pressed_now) {
    const auto first = heatmap.layout.block_at(at);
    if (!first) return;
    context.session.end_gesture();
    brush.stroke = {!is_painted(context.session.wanted(), *first), at};
  }
  if (!brush.stroke) return;
  if (item.held && (item.pressed_now || !(at == brush.stroke->at))) {
    for (const auto& pair : pairs_between(heatmap.layout, brush.stroke->at, at)) brush.touched.push_back(pair);
    brush.stroke->at = at;
  }
}

void finish_brushing(ViewContext& context) {
  MaskBrush& brush = context.memory.get<MaskBrush>();
  if (!brush.stroke) return;
  Session& session = context.session;
  if (!brush.touched.empty()) {
    session.edit(with_blocked(session.wanted(), std::exchange(brush.touched, {}), brush.stroke->hides), "paint mask");
    context.ui.request_frame();
  }
  if (context.ui.mouse_down() && session.display().painting) return;
  brush.stroke.reset();
  session.end_gesture();
}

void draw_paint_button(ViewContext& context, const Rect& r) {
  const Action& action = *action_named("mask.paint");
  const bool on = context.session.display().painting;
  if (button(context.ui, "paint mask", r, on ? "Painting" : "Paint mask",
             {.selected = on,
              .tooltip = on ? "Drag over cells to hide or show keys. Press to stop painting."
                            : "Hide keys from queries by hand, in the picture",
              .keys = keys_now(action, context.session)}))
    run(action, context.session);
}

void draw_paint_frame(const Canvas& canvas, const Rect& cells) {
  canvas.dashed(cells.outset(4), canvas.theme().lamp, 1.5f, 4);
}

}  // namespace headlight
