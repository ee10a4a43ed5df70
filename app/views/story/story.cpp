#include "app/views/story/story.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/lesson.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/text/markdown.hpp"
#include "app/ui/ui.hpp"
#include "app/views/story/linked_words.hpp"
#include "app/words.hpp"
#include "core/formats/lecture/live_text_reader.hpp"
#include "core/formats/script/draw_code.hpp"
#include "core/stages/gradient.hpp"
#include "core/stages/table.hpp"

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

/// Where a gradient comes back from.
std::string words_of_gradient(TensorId gradient, const Setup& setup) {
  std::vector<std::string> from;
  for (const GradientPath& way : gradient_paths(without_gradient(gradient), setup))
    from.emplace_back(name(way.through->result));
  std::string words = fmt::format("{}.", info(gradient).about);
  words.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(words.front())));
  if (!from.empty()) words += fmt::format(" It comes back from {}.", listed(from, " and "));
  return words + "\n\nDashed is a gradient, solid the tensor that it belongs to. Both show the same cell.";
}

/// What the stage does, for somebody without a lecture.
std::string words_of(const StageText& text, TensorId tensor, const Setup& setup) {
  if (is_gradient(tensor)) return words_of_gradient(tensor, setup);
  return fmt::format("{}\n\n{}", info(tensor).about, text.formula);
}

/// The line of code of a stage, which is written for tokens in rows: where they stand in columns there is none.
std::string code_of(const Session& session, const Stage& stage) {
  const Selection& selection = session.selection();
  const Setup& setup = session.setup();
  if (stage.kind == StageKind::drawn) return draw_code(setup, selection.tensor, selection.head);
  if (setup.attention.token_axis == TokenAxis::columns) return {};
  const bool torch = setup.random.generator == GeneratorKind::torch;
  std::string text;
  for (const CodeLine& line : stage.code({setup, torch ? Framework::torch : Framework::numpy}))
    if (!line.is_setting) text += line.code + "\n";
  return text;
}

/// On a stage the words are what is presented.
bool is_folded(const Session& session) { return words_folded(session) && !session.display().presentation.presenting; }

/// A part of the words of a step, which lives as long as they do.
template <class Part>
std::shared_ptr<const Part> part_of(const std::shared_ptr<const StepWords>& words, const Part& part) {
  return {words, &part};
}

Story story_of_step(const Session& session, const Step& step) {
  const auto words = words_of_step(session);
  Story story{.caption = fmt::format("Step {} of {}", session.lesson().at.index + 1, session.lesson().step_count()),
              .title = step.title,
              .words = part_of(words, words->narration),
              .code = step.code,
              .badge = badge_of(session),
              .folded = is_folded(session)};
  // A class is told what the lecture is for; its screen is for the picture.
  if (!words->goals.empty() && !session.display().presentation.presenting) story.goals = part_of(words, words->goals);
  if (words->question) story.asked = part_of(words, *words->question);
  return story;
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
    line.remove_prefix(first.size() + 1);  // with the blank at which it breaks
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

/// The words, and the goals or the question below them.
float lay_out_words(const Canvas& canvas, ViewContext* context, const Rect& area, const Story& story,
                    const MarkdownType& type) {
  float height = linked_words(canvas, context, area, *story.words, type);
  if (story.goals)
    height +=
        10 + draw_markdown(canvas, {area.x, area.y + height + 10, area.w, 0}, *story.goals, context != nullptr, type);
  if (!story.asked) return height;
  const float above = height + 10;
  return above + question_card(canvas, context, {area.x, area.y + above, area.w, 0}, *story.asked, type);
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

constexpr float folded_height = 28;

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
  return lay_out_words(canvas, context, area, story, font.words);
}

constexpr float scroll_bar = 12;

bool breaks_code(const Canvas& canvas, const Arrangement& arrangement, const Story& story, const StoryFont& font) {
  const float whole = arrangement.story.w - scroll_bar;
  const float width = arrangement.form == StoryForm::band ? whole - heading_width(whole) : whole;
  const auto rows = code_rows(canvas, story.code, width, font.code);
  return std::ranges::any_of(rows, [](const CodeRow& row) { return row.goes_on; });
}

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
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  if (item.hovered) canvas.fill(line, theme.hover, 6);
  if (item.focused) canvas.focus_ring(line.inset(2));
  context.ui.tooltip(item, "Show the words", "W");
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

/// The control that folds the words away, at the end of the story's first line.
void draw_fold(ViewContext& context, const Rect& content, StoryForm form) {
  const float right = form == StoryForm::band ? heading_width(content.w) - 20 : content.w;
  if (icon_button(context.ui, "fold", {content.x + right - 22, content.y - 3, 22, 22}, Icon::chevron_down,
                  {.kind = ButtonKind::quiet, .tooltip = "Fold the words away", .keys = "W"}))
    Lesson(context.session).fold_words(true);
}

constexpr float below_words = 12;
constexpr float beside_words = 24;
constexpr float widest_column = 300;

}  // namespace

Story story_of(const Session& session) {
  const TensorId tensor = session.selection().tensor;
  const Stage& own = stage_of(tensor);
  const Step* step = session.lesson().step();
  if (step != nullptr && stage_of(step->look_at.tensor).title == own.title) return story_of_step(session, *step);
  Story story;
  story.caption = std::string(name(tensor));
  const StageText text = text_of(tensor, session.setup());
  story.title =
      is_gradient(tensor) ? fmt::format("Back to {}", info(without_gradient(tensor)).symbol) : std::string(text.title);
  story.words = std::make_shared<const Markdown>(parse_markdown(words_of(text, tensor, session.setup())));
  story.code = code_of(session, own);
  story.elsewhere = step != nullptr;
  story.folded = is_folded(session);
  return story;
}

Story step_story(const Session& session) {
  const Step* const step = session.lesson().step();
  return step ? story_of_step(session, *step) : story_of(session);
}

float story_height(const Canvas& canvas, float width, const Story& story, StoryForm form, StoryType type) {
  return lay_out(canvas, nullptr, {0, 0, width - scroll_bar, 0}, story, form, type);
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
  draw_fold(context, content, form);
  if (story.elsewhere) draw_back(context, {content.x, content.bottom() - 2}, false);
}

std::vector<Arrangement> arrangements(const ViewContext& context, const Rect& area, const Story& story) {
  const Canvas canvas = context.ui.canvas();
  std::vector<Arrangement> all;
  if (story.folded) {
    Rect rest = area;
    const Rect line = rest.cut_top(folded_height);
    rest.cut_top(below_words);
    return {{StoryForm::line, StoryType::large, line, rest}};
  }
  for (StoryType type : story_types) {
    const auto above = [&](StoryForm form) {
      Rect rest = area;
      const Rect words = rest.cut_top(story_height(canvas, area.w, story, form, type));
      rest.cut_top(below_words);
      all.push_back({form, type, words, rest});
    };
    const auto beside = [&](StoryForm form, float width) {
      Rect rest = area;
      const Rect words = rest.cut_left(width);
      rest.cut_left(beside_words);
      all.push_back({form, type, words, rest});
    };
    if (context.on_stage) {
      above(StoryForm::words);
      for (float share : {0.26f, 0.3f, 0.36f, 0.42f, 0.48f}) beside(StoryForm::words, share * area.w);
    } else {
      above(StoryForm::band);
      beside(StoryForm::column, std::min(widest_column, 0.5f * area.w));
      if (area.w > 2 * widest_column) beside(StoryForm::column, std::min(1.5f * widest_column, 0.42f * area.w));
    }
  }
  return all;
}

float story_score(const ViewContext& context, const Arrangement& arrangement, const Story& story) {
  const Rect& area = arrangement.story;
  const float height = story_height(context.ui.canvas(), area.w, story, arrangement.form, arrangement.type);
  const float missing = std::max(0.0f, height - area.h - 0.5f);
  const float whole = missing > 0 ? -missing : 1000;
  const bool broken = arrangement.form != StoryForm::words && arrangement.form != StoryForm::line &&
                      breaks_code(context.ui.canvas(), arrangement, story, font_of(arrangement.type));
  return whole - 30 * static_cast<float>(arrangement.type) - (broken ? 40.0f : 0.0f) -
         (arrangement.picture.h < 60 ? 1000.0f : 0.0f);
}

void cut_lecture_story(ViewContext& context, Rect& area, float share,
                       const std::function<float(const Rect& picture)>& picture_score) {
  if (context.still || (context.session.lesson().step() == nullptr && !context.on_stage)) return;
  const Canvas canvas = context.ui.canvas();
  Story story = step_story(context.session);
  if (!context.on_stage) {
    if (story_height(canvas, area.w, story, StoryForm::band, StoryType::small) > share * area.h) story.goals.reset();
    area.cut_top(10);
    if (story.folded) {
      draw_folded(context, area.cut_top(folded_height), story);
      area.cut_top(4);
      canvas.fill({area.x, area.y, area.w, 1}, canvas.theme().line);
      return;
    }
    StoryType type = StoryType::large;
    while (type != StoryType::small && story_height(canvas, area.w, story, StoryForm::band, type) > share * area.h)
      type = static_cast<StoryType>(static_cast<int>(type) + 1);
    const float wanted = story_height(canvas, area.w, story, StoryForm::band, type);
    const Rect band = area.cut_top(std::min(wanted, share * area.h));
    area.cut_top(10);
    canvas.fill({area.x, area.y, area.w, 1}, canvas.theme().line);
    draw_story(context, band, story, StoryForm::band, type);
    return;
  }
  const auto score = [&](const Arrangement& one) {
    const float room = std::min(one.picture.w / 2, one.picture.h);
    return story_score(context, one, story) + (picture_score ? picture_score(one.picture) : room);
  };
  const auto all = arrangements(context, area, story);
  const auto best = std::max_element(all.begin(), all.end(),
                                     [&](const Arrangement& a, const Arrangement& b) { return score(a) < score(b); });
  draw_story(context, best->story, story, best->form, best->type);
  area = best->picture;
}

}  // namespace headlight
