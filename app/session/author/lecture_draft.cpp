#include "app/session/author/lecture_draft.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/session/session.hpp"
#include "app/view_table.hpp"
#include "core/formats/lecture/markdown_steps.hpp"
#include "core/formats/setup/setup_difference.hpp"
#include "core/formats/toml/toml_text.hpp"
#include "core/text/numbers.hpp"
#include "core/text/trimmed.hpp"

namespace headlight {
namespace {

/// Ends the text so that a heading can follow: with an empty line, whatever it ended with.
void begin_step(std::string& text) {
  if (!text.empty() && !text.ends_with("\n\n")) text += text.ends_with('\n') ? "\n" : "\n\n";
}

/// The text of all parts before the one at a place.
std::string text_before(const LectureDraft& draft, std::size_t place) {
  std::string text = draft.front;
  for (std::size_t i = 1; i < place; ++i) {
    begin_step(text);
    text += draft.at(i);
  }
  return text;
}

/// Where a line begins, counted from 1.
std::size_t begin_of_line(std::string_view text, int line) {
  std::size_t at = 0;
  for (int passed = 1; passed < line && at < text.size(); ++passed)
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
  return at;
}

}  // namespace

LectureDraft draft_of(std::string_view text) {
  std::vector<Problem> problems;
  const MarkdownLecture lecture = split_lecture(text, "", problems);
  LectureDraft draft;
  std::size_t from = 0;
  std::string* into = &draft.front;
  for (const MarkdownStep& step : lecture.steps) {
    const std::size_t to = begin_of_line(text, step.line);
    *into = text.substr(from, to - from);
    into = &draft.steps.emplace_back();
    from = to;
  }
  *into = text.substr(from);
  return draft;
}

std::string text_of(const LectureDraft& draft) {
  std::string text = text_before(draft, draft.steps.size() + 1);
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

std::string title_of(const std::string& step) {
  const std::string_view line = std::string_view(step).substr(0, step.find('\n'));
  return line.starts_with("##") ? std::string(trimmed(line.substr(2), " \t\r")) : std::string{};
}

int first_line(const LectureDraft& draft, std::size_t place) {
  if (place == 0) return 1;
  std::string before = text_before(draft, place);
  begin_step(before);
  return static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
}

int line_of(const Problem& problem) {
  const auto colon = problem.source.rfind(':');
  if (colon == std::string::npos) return 0;
  return number_from<int>(std::string_view(problem.source).substr(colon + 1)).value_or(0);
}

std::string step_of_screen(const Session& session) {
  const ViewInfo& view = info(session.display().view);
  std::string block = fmt::format("cell = {}\n", toml_text(to_string(session.cell())));
  if (!view.of_two_states) block += fmt::format("view = {}\n", toml_text(view.word));
  std::vector<std::string> set;
  if (const Part* const part = session.lesson().part())
    for (const std::string& assignment : overrides_between(part->setup, session.setup()))
      set.push_back(toml_text(assignment));
  if (!set.empty()) block += fmt::format("set = [{}]\n", fmt::join(set, ", "));
  if (!set.empty() && view.of_two_states) block += "compare = true\n";
  return fmt::format("## A new step\n\n```step\n{}```\n\nSay here what there is to see.\n", block);
}

}  // namespace headlight
