#include "app/views/author/author_panel.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/session/actions/actions.hpp"
#include "app/session/author/authoring.hpp"
#include "app/session/lesson.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/controls/text_area.hpp"
#include "app/views/frame/view_memory.hpp"

namespace headlight {
namespace {

constexpr float padding = 16;
constexpr float row_height = 26;
constexpr float gap = 8;
constexpr float line_height = 17;

/// What changes the draft happens behind the frame, which still draws the one before.
void later(ViewContext& context, std::function<Authoring(Authoring)> change) {
  context.memory.after_frame = [change = std::move(change)](Session& session) {
    if (const auto authoring = session.state().authoring) Lesson(session).write(change(*authoring));
  };
}

void action_button(ViewContext& context, const char* id, const Rect& r, std::string_view label, ButtonKind kind) {
  const Action& action = *action_named(id);
  const std::string keys = action.chords.empty() ? std::string() : to_string(action.chords.front());
  if (button(context.ui, id, r, label,
             {.kind = kind, .enabled = action.enabled(context.session), .tooltip = action.title, .keys = keys}))
    context.memory.after_frame = [&action](Session& session) { run(action, session); };
}

void action_icon(ViewContext& context, const char* id, const Rect& r, Icon icon) {
  const Action& action = *action_named(id);
  if (icon_button(context.ui, id, r, icon,
                  {.kind = ButtonKind::quiet, .enabled = action.enabled(context.session), .tooltip = action.title}))
    context.memory.after_frame = [&action](Session& session) { run(action, session); };
}

void draw_head(ViewContext& context, Rect& rest, const Authoring& authoring) {
  const Canvas canvas = context.ui.canvas();
  Rect row = rest.cut_top(30);
  action_button(context, "author.done", row.cut_right(64), "Done", ButtonKind::normal);
  row.cut_right(6);
  action_button(context, "author.save", row.cut_right(64), "Save", ButtonKind::primary);
  row.cut_right(6);
  action_icon(context, "author.redo", row.cut_right(28), Icon::redo);
  action_icon(context, "author.undo", row.cut_right(28), Icon::undo);
  row.cut_right(8);
  const std::string name = authoring.file.filename().string();
  canvas.text_in(row, authoring.changed() ? name + " ·" : name, TextStyle::heading, canvas.theme().text);
  rest.cut_top(gap);
}

std::string label_of(const LectureDraft& draft, std::size_t place) {
  if (place == 0) return "Title, setup and facts";
  const std::string title = title_of(draft.at(place));
  return fmt::format("{}  {}", place, title.empty() ? "(no title)" : title);
}

/// One of the parts; what can be done with the one that is being edited stands in its row.
void draw_part(ViewContext& context, Rect row, const Authoring& authoring, std::size_t place) {
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  const bool own = authoring.place == place;
  if (own) canvas.fill(row, theme.raised, 6);
  if (own && place > 0) {
    action_icon(context, "author.delete", row.cut_right(26), Icon::cross);
    action_button(context, "author.down", row.cut_right(26), "↓", ButtonKind::quiet);
    action_button(context, "author.up", row.cut_right(26), "↑", ButtonKind::quiet);
  }
  context.ui.push_id(static_cast<int>(place));
  const Item item = context.ui.item("part", row);
  context.ui.pop_id();
  if (item.hovered && !own) canvas.fill(row, theme.hover, 6);
  if (item.focused) canvas.focus_ring(row.inset(2));
  canvas.text_in(row.inset(10, 0), label_of(authoring.draft, place),
                 own ? TextStyle::control_strong : TextStyle::control, own ? theme.text : theme.text2);
  if (item.clicked)
    later(context, [place](Authoring chosen) {
      chosen.place = place;
      chosen.gesture.clear();
      return chosen;
    });
}

void draw_parts(ViewContext& context, const Rect& area, const Authoring& authoring) {
  const std::size_t count = authoring.draft.steps.size() + 1;
  ScrollArea scroll(context.ui, "parts", area, row_height * static_cast<float>(count), context.ui.theme().panel);
  Rect rows = scroll.content();
  if (row_height * static_cast<float>(count) > area.h) rows.cut_right(12);
  for (std::size_t place = 0; place < count; ++place) draw_part(context, rows.cut_top(row_height), authoring, place);
}

std::vector<int> wrong_lines(const Authoring& authoring) {
  std::vector<int> lines;
  for (const Problem& problem : authoring.problems) lines.push_back(line_of(problem));
  return lines;
}

std::string words_of(const Problem& problem) {
  const int line = line_of(problem);
  const std::string place = line > 0 ? fmt::format("Line {}: ", line) : std::string();
  const std::string key = problem.key.empty() ? std::string() : problem.key + ": ";
  return fmt::format("{}{}found {}; allowed: {}", place, key, problem.found, problem.allowed);
}

/// What is wrong, from the bottom up; takes its room off the area.
void draw_problems(ViewContext& context, Rect& rest, const Authoring& authoring) {
  const Canvas canvas = context.ui.canvas();
  const float most = rest.h * 0.4f;
  float used = 0;
  for (const Problem& problem : authoring.problems) {
    const auto lines = canvas.wrapped(words_of(problem), TextStyle::caption, rest.w - 22);
    const float height = line_height * static_cast<float>(lines.size()) + 4;
    if (used + height > most) break;
    used += height;
    Rect place = rest.cut_bottom(height);
    canvas.icon(Icon::cross, {place.x, place.y + 2}, canvas.theme().error, 2, 12);
    canvas.paragraph({place.x + 20, place.y + 12}, words_of(problem), TextStyle::caption, canvas.theme().text,
                     place.w - 22, line_height);
  }
  if (used > 0) rest.cut_bottom(gap);
}

}  // namespace

bool writes(const ViewContext& context) {
  const auto& authoring = context.session.state().authoring;
  const Lecture* const lecture = context.session.lesson().lecture();
  return authoring && lecture && lecture->id == authoring->file.stem().string() && !context.bare();
}

void draw_author_panel(ViewContext& context, Rect area) {
  const std::shared_ptr<const Authoring> authoring = context.session.state().authoring;
  const std::size_t shown = context.session.lesson().at.index + 1;
  // Somebody who walks through the steps edits the one that is shown.
  if (authoring->place != 0 && authoring->place != shown && authoring->problems.empty())
    later(context, [shown](Authoring walked) {
      walked.place = shown;
      walked.gesture.clear();
      return walked;
    });
  Rect rest = area.inset(padding, 10);
  draw_head(context, rest, *authoring);
  const float parts = row_height * static_cast<float>(authoring->draft.steps.size() + 1);
  draw_parts(context, rest.cut_top(std::min(parts, 0.34f * rest.h)), *authoring);
  rest.cut_top(gap);
  action_button(context, "author.add", rest.cut_top(28), "+  Add what is on the screen as a step", ButtonKind::normal);
  rest.cut_top(gap);
  draw_problems(context, rest, *authoring);
  std::string text = authoring->draft.at(authoring->place);
  const std::vector<int> wrong = wrong_lines(*authoring);
  context.ui.push_id(static_cast<int>(authoring->place));
  const bool typed =
      text_area(context.ui, "text", rest, text,
                {.first_line = first_line(authoring->draft, authoring->place),
                 .wrong = wrong,
                 .focus_now = std::exchange(context.memory.written, authoring->file) != authoring->file});
  context.ui.pop_id();
  if (typed)
    later(context,
          [place = authoring->place, text](Authoring edited) { return with_text(std::move(edited), place, text); });
}

}  // namespace headlight
