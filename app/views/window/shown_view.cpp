#include "app/views/window/shown_view.hpp"

#include <array>

#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/views.hpp"
#include "app/views/compare/check_view.hpp"
#include "app/views/setup/setup_panel.hpp"

namespace headlight {
namespace {

constexpr float slide_bleed = 10;

struct ViewDrawing {
  DrawArea centre;
  DrawArea beside;  ///< the panel on the right
};
constexpr std::array<ViewDrawing, view_count> drawings{{
#define HEADLIGHT_VIEW(word, centre, beside, ...) {centre, beside},
#include "app/view_table.inc"
#undef HEADLIGHT_VIEW
}};

const ViewDrawing& drawing_of(View view) { return drawings[static_cast<std::size_t>(view)]; }

}  // namespace

void draw_view(ViewContext& context, const Rect& area, View view) {
  // Bands and rings are a little outside of the cells; the margin of a slide has room for them.
  const ViewDrawing& drawing = drawing_of(view);
  if (area.empty()) return;
  context.ui.push_id("centre");
  context.ui.push_clip(context.presenting ? area.outset(slide_bleed) : area);
  drawing.centre(context, area);
  context.ui.pop_clip();
  context.ui.pop_id();
}

DrawArea side_panel(const ViewContext& context, SidePanel panel) {
  const View view = context.session.display().view;
  if (panel == SidePanel::inspector) return drawing_of(view).beside;
  const bool checks = view == View::compare && context.session.state().checking.work().shown;
  return checks ? draw_check_panel : draw_setup_panel;
}

}  // namespace headlight
