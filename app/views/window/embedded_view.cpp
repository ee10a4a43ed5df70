#include "app/views/window/app_view.hpp"

#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/ui.hpp"
#include "app/views/equation/heatmap_figure.hpp"
#include "app/views/window/shown_view.hpp"

namespace headlight {
namespace {

constexpr float around_figure = 12;

/// The way out, while the pointer is near the corner: the whole window in the same frame.
void draw_window_button(ViewContext& context) {
  constexpr float near_corner = 120;
  constexpr float size = 28;
  Ui& ui = context.ui;
  const Rect surface = ui.surface();
  if (!Rect{surface.right() - near_corner, 0, near_corner, near_corner}.contains(ui.mouse())) return;
  if (!icon_button(ui, "whole", {surface.right() - size - 6, 6, size, size}, Icon::screen,
                   {.tooltip = "Show the whole window"}))
    return;
  context.session.edit_display([](Display& d) { d.embedded = Embedded::none; });
}

}  // namespace

void draw_embedded(ViewContext& context) {
  const Rect surface = context.ui.surface();
  const Rect area = surface.inset(around_figure);
  context.ui.canvas().fill(surface, context.ui.theme().canvas);
  // As on a slide, whose title and words are in the page around it.
  context.presenting = true;
  context.wordless = true;
  if (context.session.display().embedded == Embedded::heatmap) draw_heatmap_figure(context, area);
  else draw_view(context, area, context.session.display().view);
  draw_window_button(context);
}

}  // namespace headlight
