#include "app/views/window/app_view.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/session/actions/actions.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/text/markdown.hpp"
#include "app/ui/ui.hpp"
#include "app/view_table.hpp"
#include "app/views/base/frame_memory.hpp"
#include "app/views/base/panels.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/base/views.hpp"
#include "app/views/menus/context_menu.hpp"
#include "app/views/play/play.hpp"
#include "app/views/story/code_over.hpp"
#include "app/views/story/draw_story.hpp"
#include "app/views/story/linked_words.hpp"
#include "app/views/story/question_card.hpp"
#include "app/views/story/story.hpp"
#include "app/views/window/present_view.hpp"
#include "app/views/window/shown_view.hpp"

namespace headlight {
namespace {

constexpr float column_margin = 16;
constexpr float head_height = 56;
constexpr float head_margin = 6;  ///< its icons have one of their own
constexpr float steps_height = 5;
constexpr float foot_height = 84;
constexpr float foot_button = 52;
constexpr float title_height = 28;
constexpr float between_parts = 16;
constexpr float picture_share = 0.42f;   ///< of the window's height
constexpr float highest_picture = 1.1f;  ///< in widths of the column
constexpr float sheet_share = 0.62f;
/// Sideways: the buttons are in the head, and the words beside the picture.
constexpr float sideways_width = 600;
constexpr float buttons_sideways = 320;
constexpr float least_words = 340;
constexpr float most_words = 420;
constexpr float words_share = 0.45f;
const MarkdownType reading_type{TextStyle::reading, TextStyle::reading_strong, TextStyle::number, 25};

struct ColumnMemory {
  float height = 0;  ///< of everything that scrolls, in the last frame
  float pulled = 0;  ///< how far a finger has pulled the sheet down
};

/// Whether there is more room beside the words than below them, as on a phone held sideways.
bool is_sideways(const Rect& surface) { return surface.w >= sideways_width && surface.w > 1.5f * surface.h; }

float words_width(const Rect& surface) { return std::clamp(words_share * surface.w, least_words, most_words); }

void act_afterwards(ViewContext& context, std::function<void(Session&)> act) {
  context.memory.get<FrameMemory>().after_frame = std::move(act);
}

/// The steps along the top edge; too thin for a finger, so they only show.
void draw_progress(const ViewContext& context, const Rect& edge) {
  const std::size_t count = context.session.lesson().step_count();
  const std::size_t here = context.session.lesson().at.index;
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  const float width = edge.w / static_cast<float>(std::max<std::size_t>(count, 1));
  for (std::size_t i = 0; i < count; ++i)
    canvas.fill({edge.x + width * static_cast<float>(i), edge.y, width - 1, i == here ? edge.h : edge.h - 1.5f},
                i == here  ? theme.text
                : i < here ? theme.text3
                           : theme.line_strong);
}

/// The actions that the column has no room for: opening other views, and more. The palette finds the rest.
std::vector<const Action*> menu_entries(const Session& session) {
  constexpr std::array<std::string_view, 12> ids{"panel.setup", "panel.inspector", "file.start", "lecture.restart",
                                                 "file.open",   "edit.undo",       "edit.redo",  "export",
                                                 "present",     "theme.toggle",    "appearance", "palette"};
  std::vector<const Action*> entries;
  for (const ViewInfo& view : view_table)
    if (const Action* const show = action_named(fmt::format("view.{}", view.word));
        view.id != session.display().view && show->enabled(session))
      entries.push_back(show);
  for (const std::string_view id : ids) entries.push_back(action_named(id));
  return entries;
}

struct NextPress {
  std::string label;
  bool enabled = true;
  std::function<void(Session&)> act;
};

/// What the large button does: the answer comes before the next step.
NextPress next_press(const Session& session) {
  const LessonState& lesson = session.lesson();
  if (lesson.asks())
    return {lesson.answer_state().guess ? "Check" : "Show the answer", true,
            [](Session& s) { Lesson(s).check_guess(); }};
  const bool at_end = lesson.lecture() != nullptr && lesson.at.index + 1 == lesson.step_count();
  if (const Lecture* const next = at_end ? lecture_beside(session, 1) : nullptr)
    return {"Next: " + next->title, true, [](Session& s) { run(*action_named("lecture.next"), s); }};
  return {lesson.lecture() != nullptr ? "Next step" : "Next tensor", can_step(session, 1),
          [](Session& s) { Lesson(s).step_by(1); }};
}

/// Back, the large button, and on, in a row of this height.
void draw_step_buttons(ViewContext& context, Rect row) {
  constexpr float arrow = 60;
  const auto step = [&](std::string_view id, const Rect& r, Icon icon, int by) {
    if (icon_button(context.ui, id, r, icon,
                    {.enabled = can_step(context.session, by), .tooltip = by < 0 ? "Back" : "On"}))
      act_afterwards(context, [by](Session& session) { Lesson(session).step_by(by); });
  };
  step("back", row.cut_left(arrow), Icon::previous, -1);
  step("on", row.cut_right(arrow), Icon::next, 1);
  NextPress press = next_press(context.session);
  const Rect middle = row.inset(12, 0);
  Ui& ui = context.ui;
  const bool entered =
      context.session.lesson().asks() && !ui.memory().focus_visible && !ui.typing() && ui.take_key(Key::enter);
  if (button(ui, "press", middle, ui.canvas().ellipsized(press.label, TextStyle::control_strong, middle.w - 24),
             {.kind = ButtonKind::primary, .enabled = press.enabled}) ||
      entered)
    act_afterwards(context, std::move(press.act));
}

/// The way to everything else, the lecture's title, the step's number, and a link to share; sideways the buttons, too.
void draw_column_head(ViewContext& context, Rect row) {
  Session& session = context.session;
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  const auto tool = [&](std::string_view id, const Rect& r, Icon icon, std::string_view words) {
    const Rect box{r.x, row.center().y - fingertip / 2, fingertip, fingertip};
    return icon_button(context.ui, id, box, icon, {.kind = ButtonKind::quiet, .tooltip = words});
  };
  const Rect menu = row.cut_left(fingertip);
  if (tool("menu", menu, Icon::menu, "Everything else")) open_menu(context, menu, menu_entries(session));
  const Action& link = *action_named("file.copy_link");
  if (is_sideways(context.ui.surface())) {
    row.cut_right(column_margin - head_margin);
    draw_step_buttons(context, row.cut_right(buttons_sideways).inset(0, (row.h - fingertip) / 2));
    row.cut_right(head_margin);
  }
  if (tool("share", row.cut_right(fingertip), Icon::link, link.title))
    act_afterwards(context, [&link](Session& s) { run(link, s); });
  row = row.inset(6, 0);
  if (const float counter = draw_step_counter(context, row); counter > 0) row.cut_right(counter + 12);
  const Lecture* const lecture = session.lesson().lecture();
  const std::string title = lecture ? lecture->title : session.setup().title;
  canvas.text_in(row, title.empty() ? "Headlight" : title, TextStyle::body_strong, theme.text);
}

/// As on a slide: nothing but the picture, whose words are above or beside it.
void draw_picture(const ViewContext& context, const Rect& area) {
  ViewContext alone = context;
  alone.presenting = true;
  alone.wordless = true;
  draw_view(alone, area, context.session.display().view);
}

/// Everything of the step, from the top of `area` down; returns the height.
class ColumnParts {
 public:
  ColumnParts(ViewContext& context, const Rect& area) : context_(context), canvas_(context.ui.canvas()), area_(area) {}

  /// Without a `picture_height` the picture is elsewhere.
  float draw(const Story& story, std::optional<float> picture_height) {
    title(story.title);
    words(*story.words);
    if (story.goals) words(*story.goals);
    if (picture_height) picture(*picture_height);
    if (story.asked) {
      gap();
      y_ += question_card(canvas_, &context_, rest(), *story.asked, reading_type, CardForm::column);
    }
    if (story.end) paragraph(story.end->words);
    code(story.code);
    paragraph(story.badge.text);
    return y_;
  }

 private:
  Rect rest() const { return {area_.x, area_.y + y_, area_.w, 0}; }
  void gap() { y_ += between_parts; }

  void title(const std::string& text) {
    for (const std::string_view line : canvas_.wrapped(text, TextStyle::title, area_.w)) {
      y_ += title_height;
      canvas_.text({area_.x, area_.y + y_ - 6}, line, TextStyle::title, canvas_.theme().text);
    }
    y_ += 6;
  }

  void words(const Markdown& text) {
    context_.ui.push_id("words");
    y_ += linked_words(canvas_, &context_, rest(), text, reading_type);
    context_.ui.pop_id();
  }

  void picture(float height) {
    gap();
    draw_picture(context_, {area_.x, area_.y + y_, area_.w, height});
    y_ += height;
  }

  void paragraph(const std::string& text) {
    if (text.empty()) return;
    gap();
    for (const std::string_view line : canvas_.wrapped(text, TextStyle::body, area_.w)) {
      y_ += 21;
      canvas_.text({area_.x, area_.y + y_ - 6}, line, TextStyle::body, canvas_.theme().text2);
    }
  }

  void code(const std::string& text) {
    if (text.empty()) return;
    gap();
    const float height = slide_code_height(canvas_, area_.w, text);
    draw_slide_code(canvas_, {area_.x, area_.y + y_, area_.w, height}, text);
    y_ += height;
  }

  ViewContext& context_;
  Canvas canvas_;
  Rect area_;
  float y_ = 0;
};

void draw_parts(ViewContext& context, Rect area) {
  auto& memory = context.memory.get<ColumnMemory>();
  const Session& session = context.session;
  const Story story = shown_story(session);
  std::optional<float> picture_height;
  if (is_sideways(context.ui.surface())) {
    const Rect words = area.cut_left(words_width(context.ui.surface()));
    draw_picture(context, area.inset(column_margin, 8));
    area = words;
  } else {
    const float width = area.w - 2 * column_margin;
    picture_height = std::round(std::min(picture_share * context.ui.surface().h, highest_picture * width));
  }
  // Each step begins at its top.
  const std::string id = fmt::format("step {}", session.lesson().at.index);
  const ScrollArea scroll(context.ui, id, area, memory.height, context.ui.theme().canvas);
  const Rect content = scroll.content().inset(column_margin, 0);
  const float height = ColumnParts(context, content).draw(story, picture_height);
  if (std::abs(height + between_parts - memory.height) > 0.5f) context.ui.request_frame();
  memory.height = height + between_parts;
}

void draw_foot(ViewContext& context, const Rect& foot) {
  const Canvas canvas = context.ui.canvas();
  canvas.fill(foot, canvas.theme().panel);
  canvas.fill({foot.x, foot.y, foot.w, 1}, canvas.theme().line);
  draw_step_buttons(context, {foot.x + column_margin, foot.y + 12, foot.w - 2 * column_margin, foot_button});
}

/// A panel that comes up over the column from below, or sideways over the words alone, and dims the rest.
class ColumnSheet {
 public:
  ColumnSheet(ViewContext& context, std::string_view id, float share)
      : ui_(context.ui), pulled_(context.memory.get<ColumnMemory>().pulled), layer_(ui_, id, ui_.surface()) {
    ui_.cover();
    const Rect surface = ui_.surface();
    const bool beside = is_sideways(surface);
    const Canvas canvas = ui_.canvas();
    rest_ = surface;
    area_ = beside ? rest_.cut_left(words_width(surface)) : surface;
    const Rect above = area_.cut_top(std::min(surface.h, (beside ? 0 : std::round((1 - share) * surface.h)) + pulled_));
    if (!beside) rest_ = above;
    canvas.fill(surface, faded(canvas.theme().canvas, 0.6f));
    canvas.fill(area_, canvas.theme().panel);
    canvas.fill({area_.x, area_.y, area_.w, 1.5f}, canvas.theme().control);
    const Rect handle{area_.center().x - 18, area_.y + 5, 36, 4};
    canvas.fill(handle, canvas.theme().line_strong, 2);
    area_.cut_top(8);
  }
  ColumnSheet(const ColumnSheet&) = delete;
  ColumnSheet& operator=(const ColumnSheet&) = delete;

  const Rect& area() const { return area_; }

  /// Call it when the sheet's content is drawn. Whether its cross or the area beside it was tapped, or its head was
  /// pulled down far enough.
  bool closed() {
    constexpr float far_enough = 80;
    bool closes = !rest_.empty() && ui_.item("rest", rest_, {.focusable = false}).clicked;
    const Rect cross{area_.right() - fingertip - 6, area_.y + 1, fingertip, fingertip};
    ui_.canvas().fill(cross, ui_.theme().panel);
    closes |= icon_button(ui_, "close", cross, Icon::cross, {.kind = ButtonKind::quiet, .tooltip = "Close"});
    const Item head = ui_.item("head", {area_.x, area_.y - 8, cross.x - area_.x, fingertip + 8}, {.focusable = false});
    ui_.claim_drag(head);
    closes |= head.released_now && pulled_ > far_enough;
    pulled_ = head.held ? std::max(0.0f, ui_.mouse().y - ui_.pressed_at().y) : 0;
    if (head.held || head.released_now) ui_.request_frame();
    return closes;
  }

 private:
  Ui& ui_;
  float& pulled_;
  Layer layer_;
  Rect rest_;
  Rect area_;
};

void close_sheet(ViewContext& context) {
  context.memory.get<PanelsMemory>().sheet.reset();
  act_afterwards(context, [](Session& session) { Selecting(session).release(); });
}

/// The panel that was asked for, or the explanation of the pinned number.
void draw_sheet(ViewContext& context) {
  const std::optional<SidePanel> asked = context.memory.get<PanelsMemory>().sheet;
  const bool pinned = context.session.state().pinned;
  if (asked == SidePanel::setup) {
    ColumnSheet sheet(context, "setup sheet", 1);
    side_panel(context, SidePanel::setup)(context, sheet.area());
    if (sheet.closed()) context.memory.get<PanelsMemory>().sheet.reset();
  } else if (asked || pinned) {
    ColumnSheet sheet(context, "explanation", sheet_share);
    if (pinned) draw_inspector(context, sheet.area());
    else side_panel(context, SidePanel::inspector)(context, sheet.area());
    if (sheet.closed()) close_sheet(context);
  }
}

}  // namespace

void draw_column(ViewContext& context) {
  Ui& ui = context.ui;
  ui.serve_finger();
  Rect area = ui.surface();
  ui.canvas().fill(area, ui.theme().canvas);
  draw_progress(context, area.cut_top(steps_height));
  ui.push_id("column");
  draw_column_head(context, area.cut_top(head_height).inset(head_margin, 0));
  if (!is_sideways(ui.surface())) draw_foot(context, area.cut_bottom(foot_height));
  draw_play(context, area);
  draw_parts(context, area);
  ui.pop_id();
  draw_sheet(context);
}

void finish_column(ViewContext& context) {
  std::optional<SidePanel>& sheet = context.memory.get<PanelsMemory>().sheet;
  if (context.presenting || !is_small_window(context) || !sheet || !context.ui.take_key(Key::escape)) return;
  sheet.reset();
  context.ui.request_frame();
}

}  // namespace headlight
