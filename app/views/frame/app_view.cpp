#include "app/views/frame/app_view.hpp"

#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/compare/compare_view.hpp"
#include "app/views/equation/equation_view.hpp"
#include "app/views/frame/layout.hpp"
#include "app/views/frame/panels.hpp"
#include "app/views/frame/status_bar.hpp"
#include "app/views/frame/top_bar.hpp"
#include "app/views/frame/view_memory.hpp"
#include "app/views/heads/heads_panel.hpp"
#include "app/views/heads/heads_view.hpp"
#include "app/views/inspector/inspector.hpp"
#include "app/views/map/pipeline_map.hpp"
#include "app/views/overlays/overlays.hpp"
#include "app/views/setup/setup_panel.hpp"
#include "app/views/tensors/mask_brush.hpp"
#include "app/views/tokens/tokens_view.hpp"

namespace headlight {
namespace {

/// The grounds and the rules between them; views draw on top.
void draw_ground(const Canvas& canvas, const Layout& layout) {
  const Theme& theme = canvas.theme();
  canvas.fill(layout.centre, theme.canvas);
  for (const Rect& panel : {layout.top_bar, layout.setup, layout.map, layout.inspector, layout.status})
    if (!panel.empty()) canvas.fill(panel, theme.panel);
  const auto rule = [&](Point a, Point b) { canvas.fill({a.x, a.y, b.x - a.x, b.y - a.y}, theme.line); };
  const Rect& top = layout.top_bar;
  rule({top.x, top.bottom() - 1}, top.max());
  rule(layout.status.min(), {layout.status.right(), layout.status.y + 1});
  rule({layout.setup.right() - 1, layout.setup.y}, layout.setup.max());
  rule(layout.inspector.min(), {layout.inspector.x + 1, layout.inspector.bottom()});
  if (!layout.map.empty()) rule({layout.map.x, layout.map.bottom() - 1}, layout.map.max());
}

using DrawView = void (*)(ViewContext&, Rect);

/// A view in its area: clipped to it, with ids of its own.
void place(ViewContext& context, const char* id, const Rect& area, DrawView draw) {
  if (area.empty()) return;
  context.ui.push_id(id);
  context.ui.push_clip(area);
  draw(context, area);
  context.ui.pop_clip();
  context.ui.pop_id();
}

DrawView centre_of(View view) {
  switch (view) {
    case View::pipeline: return draw_equation_view;
    case View::heads: return draw_heads_view;
    case View::tokens: return draw_tokens_view;
    case View::compare: return draw_compare_view;
  }
  return draw_equation_view;
}

DrawView right_panel_of(View view, bool folded) {
  if (folded) return draw_inspector_rail;
  return view == View::heads ? draw_heads_panel : draw_inspector;
}

/// The mouse left the cells.
void end_hovering(ViewContext& context) {
  if (context.memory.hover_claimed || !context.session.state().hovered) return;
  context.session.hover(std::nullopt);
  context.ui.request_frame();
}

}  // namespace

void draw_view(ViewContext& context, const Rect& area, View view) { place(context, "centre", area, centre_of(view)); }

void draw_app(ViewContext& context) {
  context.memory.hover_claimed = false;
  context.memory.statistics.keep(context.session.trace(), context.session.state().reference.get(),
                                 context.session.summary().statistics);
  const View view = context.session.display().view;
  const Layout layout = current_layout(context);
  draw_ground(context.ui.canvas(), layout);
  place(context, "top bar", layout.top_bar, draw_top_bar);
  place(context, "setup", layout.setup, layout.setup_folded ? draw_setup_rail : draw_setup_panel);
  place(context, "map", layout.map, draw_pipeline_map);
  draw_view(context, layout.centre, view);
  place(context, "right", layout.inspector, right_panel_of(view, layout.inspector_folded));
  draw_panel_edges(context, layout);
  place(context, "status", layout.status, draw_status_bar);
  draw_overlays(context);
  finish_brushing(context);
  end_hovering(context);
}

}  // namespace headlight
