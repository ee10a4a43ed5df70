#include "app/views/window/present_view.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/session/actions/actions.hpp"
#include "app/session/lesson.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/motion.hpp"
#include "app/views/play/play.hpp"
#include "app/views/story/arrangement.hpp"
#include "app/views/story/over.hpp"
#include "app/views/story/story.hpp"
#include "app/views/window/shown_view.hpp"

namespace headlight {
namespace {

constexpr float margin = 28;
constexpr float edge = 3;          ///< the steps along the top
constexpr float current_edge = 5;  ///< the current one
constexpr float edge_reach = 12;   ///< how far down they can be clicked
constexpr float title_line = 28;

/// The title of a slide that shows a view.
std::string title_of(const Session& session, View view) {
  if (info(view).of_text && session.lesson().lecture() == nullptr) return "A model that writes";
  if (info(view).of_task && session.lesson().lecture() == nullptr) return "How the layer learns";
  return story_title(session);
}

/// The steps along the top edge of the screen; a click goes to one.
void draw_steps(ViewContext& context) {
  Ui& ui = context.ui;
  Session& session = context.session;
  const std::size_t count = session.lesson().step_count();
  if (count == 0) return;
  const Canvas canvas = ui.canvas();
  const Theme& theme = ui.theme();
  const float width = ui.surface().w / static_cast<float>(count);
  const std::size_t current = session.lesson().at.index;
  ui.push_id("steps");
  for (std::size_t i = 0; i < count; ++i) {
    const float x = width * static_cast<float>(i);
    ui.push_id(static_cast<int>(i));
    const Item item = ui.item("step", {x, 0, width, edge_reach}, {.focusable = false});
    ui.pop_id();
    const bool here = i == current;
    const Color color = here ? theme.lamp : i < current || item.hovered ? theme.text3 : theme.line_strong;
    canvas.fill({x, 0, width - 1, here || item.hovered ? current_edge : edge}, color);
    if (item.clicked && !item.dragged) Lesson(session).go_to(i);
    scrub_steps(context, item, 0, width);
  }
  ui.pop_id();
}

constexpr float beside_counter = 12;

/// Draws the title, and cuts its line off the area. Returns the place of the button that shows the code.
Rect draw_title(ViewContext& context, Rect& area, const std::string& title) {
  const Canvas canvas = context.ui.canvas();
  const float end = area.right() - draw_step_counter(context, {area.x, area.y, area.w, title_line}) - beside_counter;
  const Rect code{end - over_button_width(Over::code), area.y, over_button_width(Over::code), title_line};
  const bool has_code = action_named("step.code")->enabled(context.session);
  const float width = (has_code ? code.x - beside_counter : end) - area.x;
  for (std::string_view line : canvas.wrapped(title, TextStyle::title, width)) {
    const Rect row = area.cut_top(title_line);
    canvas.text({row.x, canvas.centered_baseline(row, TextStyle::title)}, line, TextStyle::title,
                context.ui.theme().text);
  }
  area.cut_top(6);
  return code;
}

/// The speaker's notes, over the lower part of the slide.
void draw_notes(ViewContext& context) {
  const Step* const step = context.session.lesson().step();
  if (step == nullptr) return;
  const Canvas canvas = context.ui.canvas();
  const auto words = context.session.step_words();
  const Markdown none{{BlockKind::paragraph, "", 0, {{"This step has no notes."}}}};
  const Markdown& notes = step->notes.empty() ? none : words->notes;
  const MarkdownType type{TextStyle::control, TextStyle::control_strong, TextStyle::code, 19};
  Rect area = context.ui.surface();
  const float height = markdown_height(canvas, area.w - 2 * margin, notes, type);
  area = area.cut_bottom(std::min(area.h / 2, height + 20));
  canvas.fill(area, canvas.theme().raised);
  canvas.fill({area.x, area.y, area.w, 1.5f}, canvas.theme().control);
  draw_markdown(canvas, {area.x + margin, area.y + 10, area.w - 2 * margin, 0}, notes, true, type);
}

/// The end, the presenter's window, the pen: seen while the pointer is near the corner, or the keyboard on one of them.
void draw_corner(ViewContext& context) {
  struct Tool {
    std::string_view id;
    Icon icon;
    std::string_view words;
    std::string_view action;
    std::string_view state = {};
  };
  const bool draws = context.session.display().presentation.pen;
  const Tool tools[] = {{"leave", Icon::cross, "Stop presenting", "present.leave"},
                        {"presenter", Icon::presentation, "Presenter's window", "presenter"},
                        {"pen", Icon::pen, "Draw with the pointer", "present.pen", draws ? "on" : "off"},
                        {"wipe", Icon::eraser, "Erase the drawing", "present.wipe"}};
  constexpr float near = 120;
  Ui& ui = context.ui;
  const Theme& theme = ui.theme();
  const Point corner{ui.surface().right(), 0};
  const Point away = ui.mouse() - corner;
  const bool is_near = std::max(std::abs(away.x), std::abs(away.y)) <= near;
  Rect r{corner.x - 26, 14 + title_line, 22, 22};  // below the number of the step
  for (const Tool& tool : tools) {
    const Action& action = *action_named(tool.action);
    if (!action.enabled(context.session)) continue;
    const Item item = ui.item(tool.id, r);
    if (is_near || item.focused) {
      ui.canvas().fill(r.outset(2), theme.canvas, 4);
      ui.canvas().icon_centered(tool.icon, r, item.hovered || item.focused ? theme.text : theme.text3);
    }
    if (item.focused) ui.canvas().focus_ring(r, 4);
    ui.tooltip(item, tool.words, action.keys());
    ui.say_control(item, tool.words, "button", tool.state);
    if (item.clicked) run(action, context.session);
    r = r.moved(-26, 0);
  }
}

void draw_pointer_circle(const ViewContext& context) {
  constexpr float radius = 24;
  const Canvas over = context.ui.overlay();
  const Point mouse = context.ui.mouse();
  if (!context.ui.surface().contains(mouse)) return;
  over.disc(mouse, radius, faded(over.theme().output, 0.2f));
  over.circle(mouse, radius, over.theme().output, 2.5f);
}

/// What the pen has drawn.
void draw_ink(const ViewContext& context) {
  constexpr float width = 2.5f;  // 5 pixels on 1280
  const Canvas canvas = context.ui.canvas();
  for (const Stroke& stroke : context.session.state().ink) {
    std::vector<Point> points;
    for (const InkPoint& point : stroke.points) points.push_back({point.x, point.y});
    const Color color = pen_color(stroke.colour, canvas.theme());
    if (points.size() == 1) canvas.disc(points.front(), width, color);
    else canvas.polyline(points, color, width);
  }
}

/// The pointer draws, and reaches nothing on the slide.
void draw_with_pen(ViewContext& context) {
  constexpr float least_move = 0.5f;
  Ui& ui = context.ui;
  const Layer layer(ui, "ink", ui.surface());
  draw_corner(context);  // before the paper, which reaches under it
  const Item paper = ui.item("paper", ui.surface(), {.focusable = false});
  ui.claim_drag(paper);
  const PenColour colour = context.session.display().presentation.pen_colour;
  const InkPoint here{ui.mouse().x, ui.mouse().y};
  if (paper.pressed_now || paper.held) {
    Ink ink = context.session.state().ink;
    if (paper.pressed_now || ink.empty()) ink.push_back({colour, {here}});
    const InkPoint last = ink.back().points.back();
    if (std::hypot(here.x - last.x, here.y - last.y) >= least_move) ink.back().points.push_back(here);
    context.session.set_ink(std::move(ink));
  }
  draw_ink(context);
  if (!paper.hovered) return;
  const Canvas canvas = ui.canvas();
  const Color color = pen_color(colour, canvas.theme());
  canvas.disc(ui.mouse(), 2.5f, color);
  canvas.circle(ui.mouse(), 5, color, 1);
}

}  // namespace

float draw_step_counter(ViewContext& context, const Rect& row) {
  const Session& session = context.session;
  if (session.lesson().step_count() == 0) return 0;
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  const Review* const review = review_of(session);
  const std::string step = fmt::format("{}", (review ? review->at : session.lesson().at.index) + 1);
  const std::string of = fmt::format(" / {}", review ? review->items.size() : session.lesson().step_count());
  const Run runs[] = {{step, TextStyle::number_strong, theme.text}, {of, TextStyle::number, theme.text2}};
  canvas.rich({row.right(), canvas.centered_baseline(row, TextStyle::number)}, runs, Align::right);
  return canvas.width(runs);
}

Color pen_color(PenColour colour, const Theme& theme) {
  switch (colour) {
    case PenColour::red: return {0xC8, 0x10, 0x2E, 255};
    case PenColour::ink: return theme.text;
    case PenColour::blue: return {0x1F, 0x5F, 0xBF, 255};
  }
  return theme.text;
}

void draw_slide(ViewContext& context) {
  Ui& ui = context.ui;
  const Presentation& presentation = context.session.display().presentation;
  const Rect surface = ui.surface();
  if (presentation.black) {
    ui.canvas().fill(surface, {0, 0, 0, 255});
    return;
  }
  ui.canvas().fill(surface, ui.theme().canvas);
  const View view = context.session.display().view;
  Rect area{margin, 14, surface.w - 2 * margin, surface.h - 14 - 16};
  const Rect code = draw_title(context, area, title_of(context.session, view));
  draw_steps(context);
  context.plays = is_playing_number(context);
  draw_play(context, area);
  draw_view(context, area, view);
  if (leaves_out_code(context)) draw_over_button(context, Over::code, code);
  draw_over(context, surface);
  if (presentation.notes && !presentation.presenter) draw_notes(context);
  if (presentation.pen) {
    draw_with_pen(context);
  } else {
    draw_ink(context);
    draw_corner(context);
  }
  if (presentation.pointer_circle) draw_pointer_circle(context);
}

}  // namespace headlight
