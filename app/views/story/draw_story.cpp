#include "app/views/story/draw_story.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/session/actions/actions.hpp"
#include "app/session/lesson.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/text/markdown.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/frame_memory.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/story/linked_words.hpp"
#include "app/views/story/over.hpp"

namespace headlight {
namespace {

/// The type of a size.
struct StoryFont {
  MarkdownType words;
  TextStyle code = TextStyle::code;
  float code_line = 18;
};

StoryFont font_of(StoryType type) {
  switch (type) {
    case StoryType::large: break;
    case StoryType::medium:
      return {{TextStyle::control, TextStyle::control_strong, TextStyle::code, 19}, TextStyle::code, 17};
    case StoryType::small:
      return {{TextStyle::caption, TextStyle::caption_strong, TextStyle::code, 17}, TextStyle::code, 16};
  }
  return {};
}

constexpr float code_indent = 12;     ///< behind the bar at the left
constexpr float further_indent = 16;  ///< of what goes on from the row above

struct CodeRow {
  std::string_view text;
  bool goes_on = false;  ///< it belongs to the line of the row above
};

/// The rows of the code in this width.
std::vector<CodeRow> code_rows(const Canvas& canvas, std::string_view code, float width, TextStyle style) {
  while (!code.empty() && code.back() == '\n') code.remove_suffix(1);
  std::vector<CodeRow> rows;
  for (bool more = !code.empty(); more;) {
    const std::size_t end = code.find('\n');
    std::string_view line = code.substr(0, end);
    more = end != std::string_view::npos;
    if (more) code.remove_prefix(end + 1);
    const auto whole = canvas.wrapped(line, style, width - code_indent);
    const std::string_view first = whole.empty() ? line : whole.front();
    rows.push_back({first});
    if (whole.size() <= 1) continue;
    line.remove_prefix(static_cast<std::size_t>(whole[1].data() - line.data()));
    for (std::string_view rest : canvas.wrapped(line, style, width - code_indent - further_indent))
      rows.push_back({rest, true});
  }
  return rows;
}

float draw_code(const Canvas& canvas, const Rect& area, const std::string& code, const StoryFont& font, bool draw) {
  const auto rows = code_rows(canvas, code, area.w, font.code);
  const float height = font.code_line * static_cast<float>(rows.size()) + 4;
  if (!draw) return height;
  canvas.fill({area.x, area.y, 2, height}, canvas.theme().line_strong);
  float baseline = area.y + font.code_line - 3;
  for (const CodeRow& row : rows) {
    const float left = area.x + code_indent + (row.goes_on ? further_indent : 0);
    canvas.text({left, baseline}, row.text, font.code, canvas.theme().text);
    baseline += font.code_line;
  }
  return height;
}

struct BadgeLook {
  Icon icon;
  Color color;
};

BadgeLook look_of(const Badge& badge, const Theme& theme) {
  switch (badge.kind) {
    case Badge::Kind::matches: return {Icon::check, theme.ok};
    case Badge::Kind::differs: return {Icon::cross, theme.error};
    case Badge::Kind::setup_differs: return {Icon::swap, theme.changed};
    default: return {Icon::help, theme.text3};
  }
}

float draw_badge(const Canvas& canvas, const Rect& area, const Badge& badge, bool draw) {
  constexpr float line = 17;
  const Theme& theme = canvas.theme();
  const auto words = canvas.wrapped(badge.text, TextStyle::caption, area.w - 20);
  const auto note = canvas.wrapped(badge.note, TextStyle::caption, area.w - 20);
  const std::size_t lines = words.size() + (badge.note.empty() ? 0 : note.size());
  if (draw) {
    const BadgeLook look = look_of(badge, theme);
    canvas.icon(look.icon, {area.x, area.y}, look.color, 2, 14);
    const float next =
        canvas.paragraph({area.x + 20, area.y + 12}, badge.text, TextStyle::caption, theme.text2, area.w - 20, line);
    if (!badge.note.empty())
      canvas.paragraph({area.x + 20, next}, badge.note, TextStyle::caption, theme.text3, area.w - 20, line);
  }
  return line * static_cast<float>(lines);
}

float draw_heading(const Canvas& canvas, const Rect& area, const Story& story, bool draw) {
  const Theme& theme = canvas.theme();
  float y = area.y;
  if (draw) canvas.text({area.x, y + 12}, story.caption, TextStyle::control, theme.text3);
  y += 20;
  for (std::string_view line : canvas.wrapped(story.title, TextStyle::title, area.w)) {
    if (draw) canvas.text({area.x, y + 22}, line, TextStyle::title, theme.text);
    y += 28;
  }
  return y - area.y;
}

/// How the lecture went, and the way to the next one.
float lay_out_end(const Canvas& canvas, ViewContext* context, const Rect& area, const LectureEnd& end,
                  const MarkdownType& type) {
  float y = area.y;
  for (std::string_view line : canvas.wrapped(end.words, type.plain, area.w)) {
    y += type.line_height;
    if (context != nullptr) canvas.text({area.x, y - 6}, line, type.plain, canvas.theme().text2);
  }
  if (end.next.empty()) return y - area.y;
  y += 4;
  const std::string label = fmt::format("Next: {}", end.next);
  const Rect row{area.x, y, std::min(area.w, canvas.width(label, TextStyle::control_strong) + 32), 28};
  const Action& next = *action_named("lecture.next");
  if (context != nullptr && button(context->ui, "next-lecture", row, label,
                                   {.kind = ButtonKind::primary, .tooltip = next.title, .keys = next.keys()}))
    context->memory.get<FrameMemory>().after_frame = [&next](Session& session) { run(next, session); };
  return row.bottom() - area.y;
}

/// The words, and the goals or the question below them.
float lay_out_words(const Canvas& canvas, ViewContext* context, const Rect& area, const Story& story,
                    const MarkdownType& type) {
  float height = linked_words(canvas, context, area, *story.words, type);
  if (story.goals)
    height +=
        10 + draw_markdown(canvas, {area.x, area.y + height + 10, area.w, 0}, *story.goals, context != nullptr, type);
  if (story.asked) {
    height += 10;
    height += question_card(canvas, context, {area.x, area.y + height, area.w, 0}, *story.asked, type, story.card);
  }
  if (!story.end) return height;
  height += 10;
  return height + lay_out_end(canvas, context, {area.x, area.y + height, area.w, 0}, *story.end, type);
}

float draw_words(const Canvas& canvas, ViewContext* context, const Rect& area, const Story& story,
                 const StoryFont& font) {
  float height = lay_out_words(canvas, context, area, story, font.words);
  if (story.code.empty()) return height;
  height += 10;
  return height + draw_code(canvas, {area.x, area.y + height, area.w, 0}, story.code, font, context != nullptr);
}

float draw_badge_below(const Canvas& canvas, const Rect& area, float y, const Story& story, bool draw) {
  if (story.badge.kind == Badge::Kind::none) return 0;
  return 12 + draw_badge(canvas, {area.x, area.y + y + 12, area.w, 0}, story.badge, draw);
}

/// Draws the story from the top of the area down, or only measures it; returns its height.
float lay_out_column(const Canvas& canvas, ViewContext* context, const Rect& area, const Story& story,
                     const StoryFont& font) {
  const bool draw = context != nullptr;
  float height = draw_heading(canvas, area, story, draw) + 6;
  height += draw_words(canvas, context, {area.x, area.y + height, area.w, 0}, story, font);
  height += draw_badge_below(canvas, area, height, story, draw);
  return story.elsewhere ? height + 40 : height;
}

/// The width of a band's left column, with the title.
float heading_width(float width) { return std::clamp(0.36f * width, 150.0f, 300.0f); }

/// Does the same as a band: two columns, the title at the left and the words at the right.
float lay_out_band(const Canvas& canvas, ViewContext* context, const Rect& area, const Story& story,
                   const StoryFont& font) {
  const bool draw = context != nullptr;
  Rect words = area;
  Rect heading = words.cut_left(heading_width(area.w));
  heading.w -= 20;
  float left = draw_heading(canvas, heading, story, draw);
  left += draw_badge_below(canvas, heading, left - 6, story, draw);
  if (story.elsewhere) left += 40;
  return std::max(left, 4 + draw_words(canvas, context, {words.x, words.y + 4, words.w, 0}, story, font));
}

/// Draws where there is a context; returns the height.
float lay_out(const Canvas& canvas, ViewContext* context, const Rect& area, const Story& story, StoryForm form,
              StoryType type) {
  const StoryFont font = font_of(type);
  switch (form) {
    case StoryForm::column: return lay_out_column(canvas, context, area, story, font);
    case StoryForm::band: return lay_out_band(canvas, context, area, story, font);
    case StoryForm::line: return folded_height;
    case StoryForm::words: break;
  }
  return draw_words(canvas, context, area, story, font);
}

constexpr float scroll_bar = 12;

std::string back_label(const Session& session) { return fmt::format("Back to step {}", session.lesson().at.index + 1); }

/// The button that leads back to the lecture's step; its lower right corner is at `corner`, or its lower left one.
void draw_back(ViewContext& context, Point corner, bool at_right) {
  const std::string label = back_label(context.session);
  const float width = context.ui.canvas().width(label, TextStyle::control) + 28;
  if (button(context.ui, "back", {corner.x - (at_right ? width : 0), corner.y - 28, width, 28}, label))
    Lesson(context.session).go_to(context.session.lesson().at.index);
}

/// A folded story. A click anywhere on it unfolds it.
void draw_folded(ViewContext& context, Rect line, const Story& story) {
  if (story.elsewhere) {
    draw_back(context, line.max(), true);
    line.cut_right(context.ui.canvas().width(back_label(context.session), TextStyle::control) + 40);
  }
  const Item item = context.ui.item("unfold", line);
  context.ui.say_control(item, "Show the words", "button");
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  if (item.hovered) canvas.fill(line, theme.hover, 6);
  if (item.focused) canvas.focus_ring(line.inset(2));
  context.ui.tooltip(item, "Show the words", action_named("words.fold")->keys());
  if (item.clicked) Lesson(context.session).fold_words(false);
  canvas.icon(Icon::chevron_right, {line.x + 4, line.center().y - 8}, theme.text2);
  line.cut_left(26);
  const auto put = [&](std::string_view words, TextStyle style, Color ink) {
    const std::string shown = canvas.ellipsized(words, style, line.w);
    canvas.text_in(line, shown, style, ink);
    line.cut_left(std::min(line.w, canvas.width(shown, style) + 12));
  };
  put(story.caption, TextStyle::control, theme.text3);
  put(story.title, TextStyle::control_strong, theme.text);
  if (story.badge.kind == Badge::Kind::none || line.w < 60) return;
  const BadgeLook look = look_of(story.badge, theme);
  canvas.icon(look.icon, {line.x, line.center().y - 7}, look.color, 2, 14);
  line.cut_left(20);
  put(story.badge.text, TextStyle::caption, theme.text2);
}

constexpr float small_button = 22;

/// How wide the story's first line is.
float first_line(float width, StoryForm form) { return form == StoryForm::band ? heading_width(width) - 20 : width; }

/// What has a button beside the caption. Where there is no room for it and for what brings the lesson's numbers back,
/// that comes first: code and more have a key, too.
struct RowButtons {
  bool code = false;
  bool more = false;

  float width() const {
    return (code ? over_button_width(Over::code) : 0) + (more ? over_button_width(Over::more) : 0);
  }
};

RowButtons row_buttons(const ViewContext& context, float width, const Story& story, StoryForm form) {
  const float caption = context.ui.canvas().width(story.caption, TextStyle::control) + 8;
  const bool differs = differs_from_step(context.session);
  const float room = first_line(width, form) - 26 - caption - (differs ? small_button : 0);
  RowButtons buttons;
  buttons.code = story.code_left_out && (!differs || room >= over_button_width(Over::code));
  buttons.more = story.more != nullptr && room >= buttons.width() + over_button_width(Over::more);
  return buttons;
}

/// The control that folds the words away, at the end of the story's first line, and the one that shows what is missing.
void draw_fold(ViewContext& context, const Rect& content, const Story& story, StoryForm form) {
  const float right = first_line(content.w, form);
  const RowButtons buttons = row_buttons(context, content.w, story, form);
  Rect row{content.x, content.y - 3, right - 26, small_button};
  if (buttons.code) draw_over_button(context, Over::code, row.cut_right(over_button_width(Over::code)));
  if (buttons.more) draw_over_button(context, Over::more, row.cut_right(over_button_width(Over::more)));
  if (icon_button(context.ui, "fold", {content.x + right - 22, content.y - 3, 22, 22}, Icon::chevron_down,
                  {.kind = ButtonKind::quiet, .tooltip = "Hide the words", .keys = action_named("words.fold")->keys()}))
    Lesson(context.session).fold_words(true);
}

/// What brings the lesson's numbers back once something differs. It is beside the caption, where it takes no room from
/// the words: nothing moves when it comes.
void draw_reset(ViewContext& context, const Rect& content, const Story& story, StoryForm form) {
  constexpr std::string_view words = "Back to the lesson's numbers";
  if (!differs_from_step(context.session)) return;
  const Canvas canvas = context.ui.canvas();
  const float end = content.x + first_line(content.w, form) - 26 - row_buttons(context, content.w, story, form).width();
  const float start = content.x + canvas.width(story.caption, TextStyle::control) + 8;
  const Action& reset = *action_named("lecture.reset");
  const float width = canvas.width(words, TextStyle::control) + 20;
  const bool fits = start + width <= end;
  const Rect box{start, content.y - 3, fits ? width : small_button, small_button};
  const std::string keys = reset.keys();
  const ButtonOptions options{.kind = ButtonKind::quiet, .tooltip = fits ? std::string_view{} : words, .keys = keys};
  if (fits ? button(context.ui, "reset", box, words, options)
           : icon_button(context.ui, "reset", box, Icon::reset, options))
    context.memory.get<FrameMemory>().after_frame = [&reset](Session& session) { run(reset, session); };
}

}  // namespace

float story_height(const Canvas& canvas, float width, const Story& story, StoryForm form, StoryType type) {
  const auto height = [&](const Story& one) {
    return lay_out(canvas, nullptr, {0, 0, width - scroll_bar, 0}, one, form, type);
  };
  if (story.possible == nullptr) return height(story);
  float highest = 0;
  Story one = story;
  for (const AskedQuestion& asked : *story.possible) {
    one.asked = {story.possible, &asked};
    highest = std::max(highest, height(one));
  }
  return highest;
}

bool breaks_code(const Canvas& canvas, float width, const Story& story, StoryForm form, StoryType type) {
  if (form == StoryForm::line) return false;
  const float whole = width - scroll_bar;
  const auto rows =
      code_rows(canvas, story.code, form == StoryForm::band ? whole - heading_width(whole) : whole, font_of(type).code);
  if (form != StoryForm::words) return std::ranges::any_of(rows, [](const CodeRow& row) { return row.goes_on; });
  const TextStyle style = font_of(type).code;
  const float room = whole - code_indent - further_indent;
  return std::ranges::any_of(rows, [&](const CodeRow& row) { return canvas.width(row.text, style) > room; });
}

void draw_story(ViewContext& context, const Rect& area, const Story& story, StoryForm form, StoryType type) {
  if (context.still || area.w < 40 || area.h < 12) return;
  if (form == StoryForm::line) return draw_folded(context, area, story);
  const Canvas canvas = context.ui.canvas();
  const float height = story_height(canvas, area.w, story, form, type);
  const ScrollArea scroll(context.ui, "story", area, height, canvas.theme().canvas);
  const Rect content{area.x, scroll.content().y, area.w - scroll_bar, height};
  lay_out(canvas, &context, content, story, form, type);
  if (form == StoryForm::words) return;
  draw_fold(context, content, story, form);
  draw_reset(context, content, story, form);
  if (story.elsewhere) draw_back(context, {content.x, content.bottom() - 2}, false);
}

}  // namespace headlight
