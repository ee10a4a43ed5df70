#include "app/figures/figure_app.hpp"

#include <algorithm>

#include "app/session/export/export_choices.hpp"
#include "app/session/lesson.hpp"
#include "app/session/sentence.hpp"
#include "app/views/base/motion.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/base/views.hpp"
#include "app/views/equation/heatmap_figure.hpp"
#include "app/views/learn/timeline.hpp"
#include "app/views/pictures/sources_picture.hpp"
#include "app/views/play/play.hpp"
#include "app/views/tensors/zoom.hpp"
#include "app/views/window/app_view.hpp"
#include "app/views/window/present_view.hpp"
#include "app/views/window/shown_view.hpp"
#include "core/lecture/pace.hpp"

namespace headlight {
namespace {

constexpr float heatmap_margin = 20;
constexpr float below_views =
    8;  ///< views leave no margin below, because on the screen a panel or the status bar follows

Rect middle(const Rect& surface, const Extent& extent) {
  return {std::max(0.0f, surface.center().x - extent.width / 2), std::max(0.0f, surface.center().y - extent.height / 2),
          extent.width, extent.height};
}

/// The time of a talk that reaches this step exactly as planned.
TalkTime time_on_plan(const Session& session) {
  const LessonState& lesson = session.lesson();
  const Pace pace = lesson.lecture() ? pace_of(*lesson.lecture()) : Pace{};
  TalkTime time;
  if (!pace.empty()) time.elapsed = 60 * pace.starts[lesson.at.index];
  if (lesson.asks()) time.asked_for = 0;
  return time;
}

/// The slides have the figure's theme.
void present(Session& session, ThemeName theme, bool with_presenter) {
  Display display = with_presenting(session.display(), true);
  display.appearance.theme = theme;
  display.presentation.presenter = with_presenter;
  session.set_display(display);
}

}  // namespace

FigureApp::FigureApp(Session& session, const Figure& figure, double scale)
    : session_(session),
      presenter_(session, {.time = [&session](double) { return time_on_plan(session); }}),
      figure_(figure),
      scale_(scale) {
  presenter_.draw_at_once();
  // Pictures show the workbench unless they are asked for the lesson.
  if (session.display().mode == WindowMode::automatic)
    session.edit_display([](Display& display) { display.mode = WindowMode::workbench; });
  const bool speaks = figure.what == ExportWhat::presenter;
  if (speaks || figure.what == ExportWhat::slide) present(session, figure.theme, speaks);
  memory_.get<Motion>().build_to(figure.built);
  for (std::size_t axis = 0; axis < figure.zoom.size(); ++axis) {
    if (!figure.zoom[axis]) continue;
    const AxisView view{figure.zoom[axis]->from, figure.zoom[axis]->to - figure.zoom[axis]->from};
    for (Zoom& zoom : memory_.get<Zooms>().of_views) zoom.views[axis] = view;
  }
}

SurfaceLook FigureApp::look() const {
  SurfaceLook look{figure_.theme, static_cast<float>(scale_), true, figure_.transparent};
  const bool windows = figure_.what == ExportWhat::window || figure_.what == ExportWhat::slide;
  const bool presents = windows && session_.display().presentation.presenting;
  if (presents) look.fitted = slide_size;
  const bool is_page = in_lesson_mode(session_) || on_sentence_page(session_);
  if (figure_.what == ExportWhat::window && is_page) look.roomy = lesson_room;
  return look;
}

void FigureApp::frame(FrameContext& frame) {
  if (figure_.what == ExportWhat::presenter) return presenter_.frame(frame);
  ViewContext context{frame.ui, frame.heatmaps, session_, memory_, !is_window(figure_.what), figure_.printed};
  const Rect surface = frame.ui.surface();
  draw(context, extent_ ? middle(surface, *extent_) : surface);
  hidden_ = frame.ui.memory().most_hidden;
}

void FigureApp::draw(ViewContext& context, const Rect& whole) {
  const Rect area{whole.x, whole.y, whole.w, whole.h - below_views};
  switch (figure_.what) {
    case ExportWhat::window:
    case ExportWhat::slide: return draw_app(context);
    case ExportWhat::view: return draw_view(context, area, session_.display().view);
    case ExportWhat::heatmap: return draw_heatmap_figure(context, whole.inset(heatmap_margin));
    case ExportWhat::heads: return draw_view(context, area, View::heads);
    case ExportWhat::equation: return draw_view(context, area, View::pipeline);
    case ExportWhat::tokens: return draw_view(context, area, View::tokens);
    case ExportWhat::explanation: return draw_inspector(context, whole);
    case ExportWhat::sources: return draw_sources_figure(context, whole.inset(heatmap_margin));
    case ExportWhat::head_sources: return draw_head_sources_figure(context, whole.inset(heatmap_margin));
    case ExportWhat::curve: return draw_timeline(context, whole.inset(heatmap_margin));
    case ExportWhat::play:
      return draw_play_curve(context, whole.inset(heatmap_margin), parse_play(session_.trace(), figure_.played),
                             figure_.measure, nullptr);
    default: return;  // the presenter's window, which draws its frames itself
  }
}

}  // namespace headlight
