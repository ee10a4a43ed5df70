#include "app/views/window/app_view.hpp"

#include <utility>

#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/frame_memory.hpp"
#include "app/views/base/layout.hpp"
#include "app/views/base/motion.hpp"
#include "app/views/base/panels.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/compare/practice_card.hpp"
#include "app/views/equation/buildup.hpp"
#include "app/views/map/pipeline_map.hpp"
#include "app/views/menus/context_menu.hpp"
#include "app/views/menus/history_list.hpp"
#include "app/views/overlays/overlays.hpp"
#include "app/views/pictures/step_pictures.hpp"
#include "app/views/play/play.hpp"
#include "app/views/setup/sentence_bar.hpp"
#include "app/views/setup/setup_panel.hpp"
#include "app/views/story/over.hpp"
#include "app/views/tensors/cell_edit.hpp"
#include "app/views/tensors/mask_brush.hpp"
#include "app/views/tensors/tensor_scale.hpp"
#include "app/views/window/present_view.hpp"
#include "app/views/window/shown_view.hpp"
#include "app/views/window/start_page.hpp"

namespace headlight {

namespace {

/// The backgrounds of the areas and the lines between them; views draw on top.
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

/// Draws a view clipped to its area, with ids of its own.
void draw_in(ViewContext& context, const char* id, const Rect& area, DrawArea draw) {
  if (area.empty()) return;
  context.ui.begin_part();
  context.ui.push_id(id);
  context.ui.push_clip(area);
  draw(context, area);
  context.ui.pop_clip();
  context.ui.pop_id();
}

/// Records whether the mouse has moved since the step changed. Without a lecture every tensor is a step.
void watch_mouse(ViewContext& context) {
  RestingMouse& before = context.memory.get<FrameMemory>().resting;
  const SessionState& state = context.session.state();
  RestingMouse now{state.lesson.lecture(), state.lesson.at.index, state.selection.tensor, context.ui.mouse()};
  const bool steps_are_tensors = now.lecture == nullptr;
  const bool another =
      now.lecture != before.lecture || now.step != before.step || (steps_are_tensors && now.tensor != before.tensor);
  const bool moved = now.mouse.x != before.mouse.x || now.mouse.y != before.mouse.y;
  now.resting = !moved && (another || before.resting);
  before = now;
}

/// Clears the hovered cell when the mouse has left all cells.
void end_hovering(ViewContext& context) {
  if (context.memory.get<FrameMemory>().hover_claimed || !context.session.state().hovered) return;
  Selecting(context.session).hover(std::nullopt);
  context.ui.request_frame();
}

/// The window is as large as a tablet's, which is held nearer to the eye than a screen stands.
void serve_finger_in_usual_type(Ui& ui) {
  const float type = ui.least_type();
  ui.serve_finger();
  ui.enlarge_type(type);
}

/// The window with its panels and bars.
void draw_frame(ViewContext& context) {
  if (context.ui.input().by_finger) serve_finger_in_usual_type(context.ui);
  const View view = context.session.display().view;
  const Layout layout = current_layout(context);
  draw_ground(context.ui.canvas(), layout);
  draw_in(context, "top bar", layout.top_bar, draw_top_bar);
  draw_in(context, "setup", layout.setup,
          layout.setup_folded ? draw_setup_rail : side_panel(context, SidePanel::setup));
  draw_in(context, "map", layout.map, draw_pipeline_map);
  context.ui.begin_part();
  Rect centre = layout.centre;
  draw_play(context, centre);
  if (view == View::tokens || view == View::heads) draw_sentence_bar(context, centre);
  draw_view(context, centre, view);
  draw_over(context, centre);
  draw_in(context, "right", layout.inspector,
          layout.inspector_folded ? draw_inspector_rail : side_panel(context, SidePanel::inspector));
  draw_panel_edges(context, layout);
  draw_in(context, "status", layout.status, draw_status_bar);
}

/// What is open: a figure in someone else's page, a slide, a lesson, or the window with all its parts.
void draw_shown(ViewContext& context) {
  if (context.session.display().embedded != Embedded::none) draw_embedded(context);
  else if (context.presenting) draw_slide(context);
  else if (has_sheets(context)) draw_lesson(context);
  else draw_frame(context);
}

/// There are no numbers to show while the very first ones are computed.
void draw_blank(ViewContext& context) {
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  const Rect surface = context.ui.surface();
  canvas.fill(surface, theme.canvas);
  Rect lines{surface.x, surface.center().y - 34, surface.w, 68};
  canvas.text_in(lines.cut_top(30), "Computing the first numbers", TextStyle::heading, theme.text, Align::center);
  const Rect bar{surface.center().x - 120, lines.y + 4, 240, 3};
  canvas.fill(bar, theme.line_strong, 1.5f);
  canvas.fill({bar.x, bar.y, bar.w * static_cast<float>(context.session.progress()), bar.h}, theme.lamp, 1.5f);
  canvas.text_in({lines.x, lines.y + 14, lines.w, 24}, "Esc stops", TextStyle::caption, theme.text3, Align::center);
}

}  // namespace

void draw_app(ViewContext& context) {
  if (context.session.state().blank) return draw_blank(context);
  watch_mouse(context);
  context.memory.get<Motion>().start_frame(context.session, context.ui,
                                           build_seconds(context.session) + picture_seconds(context.session));
  context.memory.get<FrameMemory>().hover_claimed = false;
  context.memory.get<FrameMemory>().lit_cell.reset();
  context.memory.get<FrameMemory>().signs.clear();
  context.memory.get<StatisticsCache>().keep(
      context.session.trace(), context.session.state().checking.reference_at(context.session.setup().layer).get(),
      context.session.summary());
  context.presenting = context.session.display().presentation.presenting;
  if (!draw_start_page(context)) draw_shown(context);
  judge_practice(context);
  draw_overlays(context);
  draw_context_menu(context);
  draw_history_list(context);
  finish_brushing(context);
  finish_cell_edit(context);
  finish_lesson(context);
  end_hovering(context);
  if (const auto act = std::exchange(context.memory.get<FrameMemory>().after_frame, nullptr)) {
    act(context.session);
    context.ui.request_frame();
  }
}

}  // namespace headlight
