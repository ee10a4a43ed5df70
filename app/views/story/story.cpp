#include "app/views/story/story.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/text/markdown.hpp"
#include "app/ui/ui.hpp"
#include "core/formats/script/draw_code.hpp"
#include "core/stages/table.hpp"

namespace headlight {
namespace {

constexpr float code_line = 18;

struct Story {
  std::string caption;
  std::string title;
  Markdown words;
  std::string code;
  Badge badge;
  bool elsewhere = false;  ///< the lecture's step talks about another stage
};

/// What the stage does, for somebody without a lecture.
std::string words_of(const Stage& stage, TensorId tensor) {
  return fmt::format("{}\n\n{}", info(tensor).about, stage.formula);
}

std::string code_of(const Session& session, const Stage& stage) {
  const Selection& selection = session.selection();
  const Setup& setup = session.setup();
  if (stage.code == nullptr) return draw_code(setup, selection.tensor, selection.head);
  const bool torch = setup.random.generator == GeneratorKind::torch;
  std::string text;
  for (const CodeLine& line : stage.code({setup, torch ? Framework::torch : Framework::numpy}))
    if (!line.is_setting) text += line.code + "\n";
  return text;
}

Story step_story(const Session& session, const Step& step, const Stage& stage) {
  return {fmt::format("Step {} of {}", session.state().step + 1, session.step_count()), step.title,
          parse_markdown(step.narration), step.code.empty() ? code_of(session, stage) : step.code, session.badge()};
}

Story story_of(const Session& session) {
  const TensorId tensor = session.selection().tensor;
  const Stage& own = stage_of(tensor);
  const Step* step = session.step();
  if (step != nullptr && stage_of(step->look_at.tensor).title == own.title) return step_story(session, *step, own);
  Story story;
  story.caption = std::string(name(tensor));
  story.title = std::string(own.title);
  story.words = parse_markdown(words_of(own, tensor));
  story.code = code_of(session, own);
  story.elsewhere = step != nullptr;
  return story;
}

std::vector<std::string_view> code_lines(const Canvas& canvas, const std::string& code, float width) {
  std::string_view text = code;
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return canvas.wrapped(text, TextStyle::code, width - 12);
}

float draw_code(const Canvas& canvas, const Rect& area, const std::string& code, bool draw) {
  const auto lines = code_lines(canvas, code, area.w);
  const float height = code_line * static_cast<float>(lines.size()) + 4;
  if (!draw) return height;
  canvas.fill({area.x, area.y, 2, height}, canvas.theme().line_strong);
  float baseline = area.y + 15;
  for (std::string_view line : lines) {
    canvas.text({area.x + 12, baseline}, line, TextStyle::code, canvas.theme().text);
    baseline += code_line;
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

float draw_words(const Canvas& canvas, const Rect& area, const Story& story, bool draw) {
  float height = draw_markdown(canvas, area, story.words, draw);
  if (story.code.empty()) return height;
  height += 10;
  return height + draw_code(canvas, {area.x, area.y + height, area.w, 0}, story.code, draw);
}

float draw_badge_below(const Canvas& canvas, const Rect& area, float y, const Story& story, bool draw) {
  if (story.badge.kind == Badge::Kind::none) return 0;
  return 12 + draw_badge(canvas, {area.x, area.y + y + 12, area.w, 0}, story.badge, draw);
}

/// Draws the story from the top of the area down, or only measures it; returns its height.
float lay_out(const Canvas& canvas, const Rect& area, const Story& story, bool draw) {
  float height = draw_heading(canvas, area, story, draw) + 6;
  height += draw_words(canvas, {area.x, area.y + height, area.w, 0}, story, draw);
  height += draw_badge_below(canvas, area, height, story, draw);
  return story.elsewhere ? height + 40 : height;
}

/// Does the same as a band: two columns, the title at the left and the words at the right.
float lay_out_band(const Canvas& canvas, const Rect& area, const Story& story, bool draw) {
  Rect words = area;
  Rect heading = words.cut_left(std::clamp(0.36f * area.w, 150.0f, 300.0f));
  heading.w -= 20;
  float left = draw_heading(canvas, heading, story, draw);
  left += draw_badge_below(canvas, heading, left - 6, story, draw);
  if (story.elsewhere) left += 40;
  return std::max(left, 4 + draw_words(canvas, {words.x, words.y + 4, words.w, 0}, story, draw));
}

using LayOut = float (*)(const Canvas&, const Rect&, const Story&, bool draw);

constexpr float scroll_bar = 12;

void draw_scrolled(ViewContext& context, const Rect& area, const Story& story, LayOut lay) {
  const Canvas canvas = context.ui.canvas();
  const float width = area.w - scroll_bar;
  const float height = lay(canvas, {0, 0, width, 0}, story, false);
  const ScrollArea scroll(context.ui, "story", area, height, canvas.theme().canvas);
  const Rect content{area.x, scroll.content().y, width, height};
  lay(canvas, content, story, true);
  if (!story.elsewhere) return;
  const std::string label = fmt::format("Back to step {}", context.session.state().step + 1);
  if (button(context.ui, "back", {content.x, content.bottom() - 30, canvas.width(label, TextStyle::control) + 28, 28},
             label))
    context.session.go_to_step(context.session.state().step);
}

}  // namespace

float story_height(ViewContext& context, float width) {
  if (context.still) return 0;
  return lay_out(context.ui.canvas(), {0, 0, width, 0}, story_of(context.session), false);
}

void draw_story(ViewContext& context, const Rect& area) {
  if (context.still || area.w < 40 || area.h < 40) return;
  draw_scrolled(context, area, story_of(context.session), lay_out);
}

float story_band_height(ViewContext& context, float width) {
  return lay_out_band(context.ui.canvas(), {0, 0, width - scroll_bar, 0}, story_of(context.session), false);
}

void draw_story_band(ViewContext& context, const Rect& area) {
  draw_scrolled(context, area, story_of(context.session), lay_out_band);
}

void cut_lecture_band(ViewContext& context, Rect& area, float share) {
  const Session& session = context.session;
  if (session.step() == nullptr || context.still) return;
  const Canvas canvas = context.ui.canvas();
  const Story story = step_story(session, *session.step(), stage_of(session.step()->look_at.tensor));
  const float wanted = lay_out_band(canvas, {0, 0, area.w - scroll_bar, 0}, story, false);
  area.cut_top(10);
  const Rect band = area.cut_top(std::min(wanted, share * area.h));
  area.cut_top(10);
  canvas.fill({area.x, area.y, area.w, 1}, canvas.theme().line);
  draw_scrolled(context, band, story, lay_out_band);
}

}  // namespace headlight
