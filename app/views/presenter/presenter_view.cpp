#include "app/views/presenter/presenter_view.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "app/session/actions/actions.hpp"
#include "app/session/lesson.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/text/markdown.hpp"
#include "app/ui/ui.hpp"
#include "app/views/story/story.hpp"
#include "app/views/window/present_view.hpp"
#include "core/lecture/pace.hpp"

namespace headlight {
namespace {

constexpr float header_height = 64;
constexpr float caption_row = 36;  ///< above each slide
constexpr float foot = 24;         ///< the keys
constexpr float gap = 24;
constexpr float card_gap = 16;
constexpr float tool_height = 48;
constexpr float card_radius = 8;
constexpr float least_right = 300;

Pace pace_of_talk(const Session& session) {
  const Lecture* const lecture = session.lesson().lecture();
  return lecture ? pace_of(*lecture) : Pace{};
}

struct PresenterAreas {
  Rect header;
  PresenterSlides slides;
  Rect tools;
  Rect pace;  ///< empty without a plan
  Rect side;  ///< below the next slide: question and notes
  Rect foot;
};

/// On whole pixels, so that the slides are as sharp as they are drawn.
Rect whole(const Rect& r) { return {std::round(r.x), std::round(r.y), std::round(r.w), std::round(r.h)}; }

/// Two thirds for what the class sees, one third for what comes; less where the window is too low for that.
PresenterAreas areas_of(const Rect& surface, float aspect, const Session& session) {
  constexpr float lowest_for_titles = 760;
  Rect rest = surface;
  PresenterAreas areas;
  areas.header = rest.cut_top(header_height);
  areas.foot = rest.cut_bottom(foot);
  rest = {rest.x + gap, rest.y + caption_row, rest.w - 2 * gap, rest.h - caption_row - card_gap};
  const bool planned = !pace_of_talk(session).empty();
  const float pace = !planned ? 0 : surface.h < lowest_for_titles ? 104.0f : 168.0f;
  const float below = card_gap + tool_height + (planned ? card_gap + pace : 0);
  const float widest = std::max(100.0f, std::min((rest.w - gap) * 0.645f, rest.w - gap - least_right));
  const float height = std::max(60.0f, std::min(widest / aspect, rest.h - below));
  const Rect now{rest.x, rest.y, height * aspect, height};
  // A slide that is cut short by the height leaves its column to the notes, as far as its tools allow.
  const float column = std::max(now.w, std::min(widest, 600.0f));
  areas.slides.now = whole(now.moved((column - now.w) / 2, 0));
  areas.tools = {rest.x, now.bottom() + card_gap, column, tool_height};
  areas.pace = {rest.x, areas.tools.bottom() + card_gap, column, pace};
  Rect right{rest.x + column + gap, rest.y, rest.w - column - gap, rest.h};
  const float next_height = std::min(right.w / aspect, right.h * 0.4f);
  areas.slides.next = whole({right.x, right.y, next_height * aspect, next_height});
  right.cut_top(next_height + card_gap);
  areas.side = right;
  return areas;
}

void run_named(ViewContext& context, std::string_view action) { run(*action_named(action), context.session); }

std::string keys_of(std::string_view action) { return action_named(action)->keys(); }

// --- Header ----------------------------------------------------------------------------------------------------------

/// Which monitor the class sees, and a button that changes it.
void draw_monitor(ViewContext& context, float right, const Rect& row, const PresenterShown& shown) {
  if (shown.monitors.size() < 2) return;
  constexpr float button_width = 84;
  Ui& ui = context.ui;
  const Rect change{right - button_width, row.y + 18, button_width, 28};
  if (button(ui, "change", change, "Change", {.tooltip = "Show the class's slides on the next monitor"})) {
    context.session.edit_display(
        [&](Display& d) { d.appearance.class_monitor = shown.monitors[(shown.monitor + 1) % shown.monitors.size()]; });
  }
  const std::string words = fmt::format("Class on display {}", shown.monitor + 1);
  const Canvas canvas = ui.canvas();
  const float width = canvas.width(words, TextStyle::control);
  canvas.text_in({change.x - 14 - width, row.y, width + 1, row.h}, words, TextStyle::control, canvas.theme().text2);
  canvas.icon(Icon::screen, {change.x - 14 - width - 22, row.y + 24}, canvas.theme().text2);
}

/// Time first: it is what a speaker looks up for. A click on it begins again.
bool draw_time(ViewContext& context, const Rect& area, const PresenterShown& shown) {
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Theme& theme = canvas.theme();
  const float baseline = area.y + 42;
  const Rect close{area.right() - 28, area.y + 18, 28, 28};
  if (icon_button(
          ui, "close", close, Icon::cross,
          {.kind = ButtonKind::quiet, .tooltip = "Close this window; the talk goes on", .keys = keys_of("presenter")}))
    run_named(context, "presenter");
  float right = close.x - 16;
  if (!shown.time.clock.empty()) {
    canvas.text({right, baseline}, shown.time.clock, TextStyle::big_value, theme.text2, Align::right);
    right -= canvas.width(shown.time.clock, TextStyle::big_value) + 16;
  }
  const std::string elapsed = minutes_and_seconds(shown.time.elapsed);
  const float wide = canvas.width(elapsed, TextStyle::big_value);
  const Pace pace = pace_of_talk(context.session);
  const std::string of =
      pace.empty() ? "since the start" : fmt::format("of {}, since the start", minutes_and_seconds(pace.total * 60));
  const Item item = ui.item("elapsed", {area.x - 6, area.y + 12, wide + 12, 40});
  if (item.hovered) canvas.fill({area.x - 6, area.y + 12, wide + 12, 40}, theme.hover, 6);
  if (item.focused) canvas.focus_ring({area.x - 6, area.y + 12, wide + 12, 40});
  canvas.text({area.x, baseline}, elapsed, TextStyle::big_value, theme.text);
  canvas.text_in({area.x + wide + 12, area.y + 2, right - area.x - wide - 24, area.h}, of, TextStyle::body,
                 theme.text2);
  ui.tooltip(item, "Begin again at 0:00");
  ui.say_control(item, "Begin again at 0:00", "button", elapsed);
  return item.clicked;
}

bool draw_header(ViewContext& context, const PresenterAreas& areas, const PresenterShown& shown) {
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  const Rect& row = areas.header;
  canvas.fill(row, theme.panel);
  canvas.fill({row.x, row.bottom() - 1, row.w, 1}, theme.line);
  canvas.mark({row.x + gap, row.y + 22}, theme.lamp);
  const LessonState& lesson = context.session.lesson();
  const float right = areas.side.x - gap;
  const std::string title = lesson.lecture() ? lesson.lecture()->title : context.session.setup().title;
  const std::string step =
      lesson.lecture() ? fmt::format("Step {} of {}", lesson.at.index + 1, lesson.step_count()) : std::string();
  const float x = row.x + gap + 42;
  const float room = right - x - (shown.monitors.size() < 2 ? 0.0f : 260.0f) - canvas.width(step, TextStyle::body) - 14;
  const std::string fitting_title = canvas.ellipsized(title, TextStyle::heading, std::max(40.0f, room));
  const float after = canvas.text({x, row.y + 37}, fitting_title, TextStyle::heading, theme.text);
  canvas.text({x + after + 14, row.y + 37}, step, TextStyle::body, theme.text2);
  draw_monitor(context, right, row, shown);
  return draw_time(context, {areas.side.x, row.y, areas.side.w, row.h}, shown);
}

// --- The slides ------------------------------------------------------------------------------------------------------

/// "New neighbours, the question": what the session shows.
std::string title_of_step(const Session& session) {
  const Step* const step = session.lesson().step();
  const std::string title = step != nullptr ? step->title : story_title(session);
  return session.lesson().asks() ? title + ", the question" : title;
}

struct NextPress {
  std::string does;  ///< "shows the answer"
  std::string then;  ///< "then step 8, From sharp to flat"
  std::string button;
};

NextPress next_press_of(const Session& session) {
  const LessonState& lesson = session.lesson();
  const Lecture* const lecture = lesson.lecture();
  if (lecture == nullptr) return {can_step(session, 1) ? "shows the next tensor" : "shows nothing new", "", "Next"};
  const std::size_t next = lesson.at.index + 1;
  const std::string step =
      next < lecture->steps.size() ? fmt::format("step {}, {}", next + 1, lecture->steps[next].title) : std::string();
  if (lesson.asks()) return {"shows the answer", step.empty() ? "then the end" : "then " + step, "Show the answer"};
  if (step.empty()) return {"nothing: this is the last step", "", "Next step"};
  return {"shows " + step, "", "Next step"};
}

void draw_captions(const ViewContext& context, const PresenterSlides& slides, float right, const NextPress& next) {
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  const auto caption = [&](const Rect& slide, float end, std::string_view title, std::string_view words) {
    const float baseline = slide.y - 12;
    const float after = canvas.text({slide.x, baseline}, title, TextStyle::control_strong, theme.text) + 12;
    const std::string cut = canvas.ellipsized(words, TextStyle::control, std::max(0.0f, end - slide.x - after));
    return slide.x + after + canvas.text({slide.x + after, baseline}, cut, TextStyle::control, theme.text2);
  };
  caption(slides.now, slides.now.right(), "The class sees",
          context.session.display().presentation.black ? "a black screen" : title_of_step(context.session));
  const float used = caption(slides.next, right, "The next press", next.does);
  const std::string then = canvas.ellipsized(next.then, TextStyle::control, std::max(0.0f, right - used - 24));
  if (then.size() > 4) canvas.text({right, slides.next.y - 12}, then, TextStyle::control, theme.text2, Align::right);
}

/// The slide of the class, which the pointer reaches through this one.
void draw_now(ViewContext& context, const Rect& slide, void* texture, PresenterDone& done) {
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  if (texture != nullptr) canvas.picture(texture, slide);
  canvas.stroke(slide.outset(2), canvas.theme().lamp, 2, 3);
  const Item item = ui.item("slide", slide, {.focusable = false});
  if (!item.hovered && !item.held) return;
  const Point at = ui.mouse() - slide.min();
  done.pointed = Point{std::clamp(at.x / slide.w, 0.0f, 1.0f), std::clamp(at.y / slide.h, 0.0f, 1.0f)};
  done.pressed = item.held;
}

void draw_next(const ViewContext& context, const Rect& slide, const PresenterShown& shown) {
  const Canvas canvas = context.ui.canvas();
  if (shown.next != nullptr) canvas.picture(shown.next, slide);
  else {
    canvas.fill(slide, canvas.theme().panel);
    canvas.text_in(slide, shown.computes ? "Computing" : "Nothing follows", TextStyle::body, canvas.theme().text2,
                   Align::center);
  }
  canvas.stroke(slide.outset(1), canvas.theme().outline, 1, 3);
}

// --- The tools -------------------------------------------------------------------------------------------------------

/// A button of the tools: an icon, and where there is room a word and its key.
struct Tool {
  std::string_view id;
  Icon icon;
  std::string_view word;
  std::string_view action;
  std::optional<bool> on = {};  ///< of one that stays on
};

void draw_tool(ViewContext& context, const Rect& r, const Tool& tool, bool words) {
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Theme& theme = canvas.theme();
  const Action& action = *action_named(tool.action);
  const bool enabled = action.enabled(context.session);
  const Item item = ui.item(tool.id, r, {.enabled = enabled});
  const bool on = tool.on.value_or(false);
  canvas.fill(r, on || item.hovered ? theme.hover : theme.raised, card_radius);
  canvas.stroke(r, on ? theme.lamp : theme.control, on ? 2.0f : 1.0f, card_radius);
  if (item.focused) canvas.focus_ring(r, card_radius);
  const Color color = !enabled ? theme.text3 : on ? theme.text : theme.text2;
  const TextStyle style = on ? TextStyle::body_strong : TextStyle::body;
  if (!words) canvas.icon_centered(tool.icon, r, color);
  else {
    canvas.icon(tool.icon, {r.x + 14, r.y + 16}, color);
    canvas.text({r.x + 38, r.y + 29}, tool.word, style, enabled ? theme.text : theme.text3);
    key_cap(canvas, {r.right() - 14 - key_cap_width(canvas, action.keys()), r.y + 28.5f}, action.keys());
  }
  ui.tooltip(item, action.title, action.keys());
  ui.say_control(item, action.title, "button", !tool.on ? "" : *tool.on ? "on" : "off");
  if (item.clicked) run(action, context.session);
}

/// The colours of the pen; choosing one takes the pen.
void draw_pens(ViewContext& context, float x, const Rect& row) {
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Theme& theme = canvas.theme();
  const Presentation& now = context.session.display().presentation;
  ui.push_id("pens");
  for (std::size_t i = 0; i < pen_words.size(); ++i) {
    const auto colour = static_cast<PenColour>(i);
    const Point center{x + 16 + 34 * static_cast<float>(i), row.center().y};
    const Rect r{center.x - 16, center.y - 16, 32, 32};
    const Item item = ui.item(pen_words[i].name, r);
    canvas.disc(center, 11, pen_color(colour, theme));
    canvas.circle(center, 11, theme.text2, item.hovered ? 2.0f : 1.2f);
    if (now.pen_colour == colour) canvas.circle(center, 15, theme.lamp, 2);
    if (item.focused) canvas.focus_ring(r, 16);
    const std::string words = fmt::format("{} pen", pen_words[i].label);
    ui.tooltip(item, words, keys_of("present.pen_colour"));
    ui.say_control(item, words, "button", now.pen_colour == colour ? "on" : "off");
    if (item.clicked) context.session.set_display(with_pen(context.session.display(), colour));
  }
  ui.pop_id();
}

void draw_tools(ViewContext& context, const Rect& row, const NextPress& next) {
  constexpr float pens = 104;
  constexpr float between = 8;
  constexpr float back = 48;
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Presentation& now = context.session.display().presentation;
  const Tool tools[] = {{"pointer", Icon::pointer, "Pointer", "present.circle", now.pointer_circle},
                        {"pen", Icon::pen, "Pen", "present.pen", now.pen},
                        {"wipe", Icon::eraser, "Erase", "present.wipe"},
                        {"black", Icon::blank, "Black", "present.black", now.black}};
  const auto wide = [&](const Tool& tool) {
    return 38 + canvas.width(tool.word, TextStyle::body_strong) + 12 +
           key_cap_width(canvas, action_named(tool.action)->keys()) + 14;
  };
  float all = pens + back + between;
  for (const Tool& tool : tools) all += wide(tool) + between;
  const float go = 38 + canvas.width(next.button, TextStyle::heading) + 30;
  const bool words = all + go <= row.w;
  float x = row.x;
  for (const Tool& tool : tools) {
    const float width = words ? wide(tool) : tool_height;
    draw_tool(context, {x, row.y, width, row.h}, tool, words);
    x += width + between;
    if (tool.id != "pen") continue;
    draw_pens(context, x, row);
    x += pens;
  }
  const float left = std::max(x + back + between, row.right() - std::max(go, 100.0f));
  const Rect forward{left, row.y, row.right() - left, row.h};
  if (icon_button(
          ui, "back", {left - between - back, row.y, back, row.h}, Icon::backward,
          {.enabled = can_step(context.session, -1), .tooltip = "Previous step", .keys = keys_of("step.previous")}))
    run_named(context, "step.previous");
  const Action& on = *action_named("present.next");
  if (button(ui, "next", forward, next.button,
             {.kind = ButtonKind::primary, .enabled = on.enabled(context.session), .keys = keys_of("step.next")}))
    run(on, context.session);
}

// --- The pace --------------------------------------------------------------------------------------------------------

std::string words_of_pace(const Pace& pace, double behind) {
  const std::string plan = fmt::format("the plan of {:.3g} minutes", pace.total);
  const double seconds = std::round(std::abs(behind) * 60);
  if (seconds < 1) return fmt::format("within {}", plan);
  return fmt::format("{} {} {}", minutes_and_seconds(seconds), behind > 0 ? "behind" : "ahead of", plan);
}

/// The plan is an axis of minutes, and the time that has passed a mark on it. A click on a step goes there.
void draw_pace(ViewContext& context, const Rect& area, const TalkTime& time) {
  constexpr float titles_from = 140;
  const Pace pace = pace_of_talk(context.session);
  if (pace.empty() || area.h <= 0) return;
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Theme& theme = canvas.theme();
  const double elapsed = time.elapsed / 60;
  const std::size_t here = context.session.lesson().at.index;
  const double behind = pace.behind(here, elapsed);
  canvas.fill(area, theme.panel, card_radius);
  const Rect axis = area.inset(20, 0);
  const auto x_of = [&](double minutes) {
    return axis.x + axis.w * static_cast<float>(std::clamp(minutes / pace.total, 0.0, 1.0));
  };
  canvas.text({axis.x, area.y + 28}, "Pace", TextStyle::control_strong, theme.text);
  const bool off = std::round(std::abs(behind) * 60) >= 1;
  canvas.text({axis.right(), area.y + 28}, words_of_pace(pace, behind), TextStyle::control,
              off ? theme.changed : theme.text2, Align::right);
  const std::vector<Step>& steps = context.session.lesson().lecture()->steps;
  const float bars = area.y + 46;
  ui.push_id("pace");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const float x = x_of(pace.starts[i]);
    const Rect bar{x, bars, std::max(2.0f, x_of(pace.end_of(i)) - x - 3), 38};
    ui.push_id(static_cast<int>(i));
    const Item item = ui.item("step", bar, {.focusable = false});
    ui.pop_id();
    const Color fill = i == here      ? theme.lamp
                       : i < here     ? theme.control
                       : item.hovered ? theme.line_strong
                                      : theme.hover;
    canvas.fill(bar, fill, 4);
    const std::string number = fmt::format("{}", i + 1);
    if (canvas.width(number, TextStyle::number_strong) + 6 <= bar.w)
      canvas.text({bar.x + std::min(10.0f, (bar.w - canvas.width(number, TextStyle::number_strong)) / 2), bar.y + 24},
                  number, TextStyle::number_strong,
                  i == here  ? theme.lamp_ink
                  : i < here ? number_on(fill)
                             : theme.text2);
    ui.tooltip(item, fmt::format("{}. {} ({:.2g} min)", i + 1, steps[i].title, pace.end_of(i) - pace.starts[i]));
    if (item.clicked) Lesson(context.session).go_to(i);
    if (area.h < titles_from) continue;
    constexpr std::size_t most_lines = 3;
    const TextStyle style = i == here ? TextStyle::caption_strong : TextStyle::caption;
    const std::vector<std::string_view> lines = canvas.wrapped(steps[i].title, style, bar.w - 4);
    for (std::size_t line = 0; line < std::min(lines.size(), most_lines); ++line) {
      const bool cut = line + 1 == most_lines && lines.size() > most_lines;
      const std::string words = canvas.ellipsized(cut ? std::string(lines[line]) + " …" : std::string(lines[line]),
                                                  style, std::max(0.0f, bar.w - 2));
      canvas.text({bar.x, bar.bottom() + 20 + 17 * static_cast<float>(line)}, words, style,
                  i == here ? theme.text : theme.text2);
    }
  }
  ui.pop_id();
  const float mark = x_of(elapsed);
  canvas.fill({mark - 1.25f, bars - 6, 2.5f, 50}, theme.changed);
  canvas.triangle({mark, bars - 5}, Pointing::down, theme.changed, 5);
}

// --- The question and the notes --------------------------------------------------------------------------------------

constexpr float card_margin = 20;
constexpr std::size_t many_choices = 6;  ///< as where any cell of a row can be the answer

/// In the question's order; of many, the right one comes first, so that it is in sight.
std::vector<JudgedChoice> in_reading_order(std::vector<JudgedChoice> judged) {
  if (judged.size() >= many_choices) std::ranges::stable_partition(judged, &JudgedChoice::is_right);
  return judged;
}

/// The choices with their reasons, one below the other; only measures if `draw` is false.
float draw_judged(const Canvas& canvas, const Rect& area, const std::vector<JudgedChoice>& judged, bool draw) {
  constexpr MarkdownType small{TextStyle::control, TextStyle::control_strong, TextStyle::code, 18};
  const Theme& theme = canvas.theme();
  float y = area.y;
  for (const JudgedChoice& choice : judged) {
    if (!choice.is_right && choice.why.empty() && judged.size() >= many_choices) continue;
    const float height = 24 + (choice.why.empty() ? 0 : markdown_height(canvas, area.w, choice.why, small) + 2);
    if (draw) {
      if (choice.is_right) canvas.fill({area.x - 8, y, area.w + 16, height + 4}, theme.raised, 6);
      const float after =
          canvas.text({area.x, y + 18}, canvas.ellipsized(choice.label, TextStyle::body_strong, area.w - 24),
                      choice.is_right ? TextStyle::body_strong : TextStyle::body, theme.text);
      if (choice.is_right) canvas.icon(Icon::check, {area.x + after + 8, y + 5}, theme.ok, 2);
      draw_markdown(canvas, {area.x, y + 24, area.w, 0}, choice.why, true, small);
    }
    y += height + 6;
  }
  return y - area.y;
}

/// The question of the step with what only the speaker sees: its answer, and why each choice is tempting.
void draw_question(ViewContext& context, Rect& side, const PresenterShown& shown) {
  const auto words = context.session.step_words();
  if (!words || !words->question || !context.session.lesson().asks()) return;
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Theme& theme = canvas.theme();
  const std::string open = shown.time.asked_for ? minutes_and_seconds(*shown.time.asked_for) : std::string();
  const float open_width = open.empty() ? 0 : 70 + canvas.width(open, TextStyle::number_strong);
  const float inner = side.w - 2 * card_margin;
  const float ask = markdown_height(canvas, inner - open_width, words->question->ask);
  const std::vector<JudgedChoice> judged = in_reading_order(shown.judged);
  const float answers = draw_judged(canvas, {0, 0, inner, 0}, judged, false);
  const float share = context.session.lesson().step()->notes.empty() ? 0.8f : 0.55f;
  const float height = std::min(14 + ask + 8 + answers + 8, side.h * share);
  Rect card = side.cut_top(height);
  side.cut_top(card_gap);
  canvas.fill(card, theme.panel, card_radius);
  draw_markdown(canvas, {card.x + card_margin, card.y + 14, inner - open_width, 0}, words->question->ask);
  if (!open.empty()) {
    const Run runs[] = {{"open ", TextStyle::body, theme.text2}, {open, TextStyle::number_strong, theme.text}};
    const Point end{card.right() - card_margin, card.y + 30};
    canvas.rich(end, runs, Align::right);
    canvas.disc({end.x - canvas.width(runs) - 10, end.y - 4.5f}, 4, theme.changed);
  }
  const Rect body{card.x + 8, card.y + 14 + ask + 6, card.w - 16, card.h - 14 - ask - 10};
  const ScrollArea scroll(ui, "answers", body, answers, theme.panel);
  const Rect& content = scroll.content();
  draw_judged(ui.canvas(), {content.x + 12, content.y, inner, 0}, judged, true);
}

MarkdownType type_of(NotesSize size) {
  switch (size) {
    case NotesSize::small: return {TextStyle::body, TextStyle::body_strong, TextStyle::mono, 21};
    case NotesSize::medium: return {TextStyle::formula, TextStyle::formula_strong, TextStyle::number, 29};
    case NotesSize::large: return {TextStyle::speech, TextStyle::speech_strong, TextStyle::large_number, 38};
  }
  return {};
}

void draw_notes_card(ViewContext& context, const Rect& card) {
  constexpr float head = 44;
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Theme& theme = canvas.theme();
  if (card.h < head + 20) return;
  canvas.fill(card, theme.panel, card_radius);
  canvas.text({card.x + card_margin, card.y + 29}, "Notes", TextStyle::control_strong, theme.text);
  const NotesSize size = context.session.display().appearance.notes_size;
  const auto resize = [&](int by) {
    context.session.edit_display(
        [&](Display& d) { d.appearance.notes_size = static_cast<NotesSize>(static_cast<int>(size) + by); });
  };
  const Rect plus{card.right() - card_margin - 30, card.y + 10, 30, 28};
  canvas.text({plus.x - 48, card.y + 29}, "size", TextStyle::control, theme.text2, Align::right);
  if (icon_button(ui, "smaller", plus.moved(-36, 0), Icon::minus,
                  {.enabled = size != NotesSize::small, .tooltip = "Smaller notes"}))
    resize(-1);
  if (icon_button(ui, "larger", plus, Icon::plus, {.enabled = size != NotesSize::large, .tooltip = "Larger notes"}))
    resize(1);
  const auto words = context.session.step_words();
  const Rect body{card.x + card_margin, card.y + head, card.w - card_margin - 8, card.h - head - 10};
  if (!words || words->notes.empty()) {
    canvas.text({body.x, body.y + 18}, "This step has no notes.", TextStyle::body, theme.text2);
    return;
  }
  const MarkdownType type = type_of(size);
  const float width = body.w - 12;
  const ScrollArea scroll(ui, "notes", body, markdown_height(canvas, width, words->notes, type), theme.panel);
  const Rect& content = scroll.content();
  draw_markdown(ui.canvas(), {content.x, content.y, width, 0}, words->notes, true, type);
}

/// What the keys do here, as everywhere else.
void draw_keys(const ViewContext& context, const Rect& row) {
  struct KeyWords {
    std::string_view action;
    std::string_view words;
  };
  constexpr KeyWords table[] = {{"present.next", "next"},      {"present.previous", "back"}, {"present.black", "black"},
                                {"present.circle", "pointer"}, {"present.pen", "pen"},       {"present.wipe", "erase"},
                                {"present.leave", "end"}};
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  canvas.fill(row, theme.panel);
  canvas.fill({row.x, row.y, row.w, 1}, theme.line);
  const float baseline = row.y + 16.5f;
  float x = row.right() - 16;
  for (auto entry = std::rbegin(table); entry != std::rend(table); ++entry) {
    x -= canvas.width(entry->words, TextStyle::caption);
    canvas.text({x, baseline}, entry->words, TextStyle::caption, theme.text2);
    x -= 6 + key_cap_width(canvas, keys_of(entry->action));
    key_cap(canvas, {x, baseline}, keys_of(entry->action));
    x -= 16;
  }
  constexpr std::string_view promise = "The class sees the slide and your pen, nothing else";
  canvas.text_in({row.x + 16, row.y, std::max(0.0f, x - row.x - 24), row.h}, promise, TextStyle::caption, theme.text2);
}

}  // namespace

std::string minutes_and_seconds(double seconds) {
  const auto whole = static_cast<long long>(std::max(0.0, seconds));
  const long long hours = whole / 3600;
  const long long minutes = whole / 60 % 60;
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60);
  return fmt::format("{}:{:02}", minutes, whole % 60);
}

PresenterSlides presenter_slides(const Rect& surface, float aspect, const Session& session) {
  return areas_of(surface, aspect, session).slides;
}

PresenterDone draw_presenter(ViewContext& context, float aspect, const PresenterShown& shown) {
  Ui& ui = context.ui;
  const PresenterAreas areas = areas_of(ui.surface(), aspect, context.session);
  const NextPress next = next_press_of(context.session);
  PresenterDone done;
  ui.canvas().fill(ui.surface(), ui.theme().canvas);
  done.restarts_time = draw_header(context, areas, shown);
  draw_captions(context, areas.slides, areas.side.right(), next);
  draw_now(context, areas.slides.now, shown.now, done);
  draw_tools(context, areas.tools, next);
  draw_pace(context, areas.pace, shown.time);
  draw_next(context, areas.slides.next, shown);
  Rect side = areas.side;
  draw_question(context, side, shown);
  draw_notes_card(context, side);
  draw_keys(context, areas.foot);
  return done;
}

}  // namespace headlight
