#include "app/views/aloud/aloud.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/heatmap/numbers.hpp"
#include "app/session/course.hpp"
#include "app/session/export/export_job.hpp"
#include "app/session/lesson.hpp"
#include "app/session/sentence.hpp"
#include "app/session/session.hpp"
#include "app/session/state/marks.hpp"
#include "app/slices/slice.hpp"
#include "app/ui/text/html.hpp"
#include "app/view_table.hpp"
#include "app/views/heads/head_study.hpp"
#include "app/views/heads/why_words.hpp"
#include "app/views/inspector/largest_terms.hpp"
#include "app/views/setup/own_sentence.hpp"
#include "app/views/story/story.hpp"
#include "app/views/tensors/asked_cells.hpp"
#include "app/views/tensors/axis_labels.hpp"
#include "core/lecture/question.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/explain.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

/// The most rows and columns of a table.
constexpr Index most_lines = 20;

std::string section(std::string_view id, std::string_view label, std::string_view content) {
  if (content.empty()) return {};
  return fmt::format("<section id=\"headlight-{}\" aria-label=\"{}\">\n{}</section>\n", id, label, content);
}

std::string line(std::string_view name, std::string_view text) {
  return text.empty() ? std::string() : element(name, escaped(text)) + "\n";
}

std::string words_of_story(const Session& session, const Story& story) {
  const Lecture* const lecture = session.lesson().lecture();
  std::string html = lecture ? line("h1", lecture->title) : std::string();
  html += line("p", story.caption) + line("h2", story.title) + to_html(*story.words);
  if (story.goals) html += to_html(*story.goals);
  html += line("p", story.badge.text) + line("p", story.badge.note);
  if (story.end) {
    html += line("p", story.end->words);
    if (!story.end->next.empty()) html += line("p", "The next lecture is " + story.end->next + ".");
  }
  return html;
}

std::string choices(const AskedQuestion& asked) {
  std::string html;
  for (const std::size_t i : asked.arrangement) html += line("li", asked.choices[i]);
  for (std::size_t i = 0; i < asked.drawn.size(); ++i)
    html += line("li", fmt::format("{}: {:.0f} %", asked.choices[i], 100 * asked.drawn[i]));
  if (!asked.drawn.empty()) return line("p", "As drawn now:") + element("ul", "\n" + html) + "\n";
  if (!html.empty()) return line("p", "In this order now:") + element("ol", "\n" + html) + "\n";
  for (const std::size_t i : asked.order) {
    const auto choice = static_cast<double>(i);
    std::string remark;
    if (asked.shown && choice == asked.answer) remark += ", right";
    if (choice == asked.guess) remark += ", your guess";
    if (choice == asked.missed) remark += ", wrong";
    html += element("li", escaped(asked.choices[i] + remark)) + "\n";
  }
  return html.empty() ? html : element("ol", "\n" + html) + "\n";
}

/// In a table of numbers, its cells need no list.
std::string cells_to_find(const AskedQuestion& asked) {
  std::string html = line("p", "The answer is a cell of the picture.");
  if (asked.guess && !asked.shown)
    html += line("p", "Your guess: " + asked.choices.at(static_cast<std::size_t>(*asked.guess)));
  return html;
}

std::string words_of_question(const Question& question, const AskedQuestion& asked) {
  std::string html = to_html(asked.ask) + (asked.kind == Question::Kind::find ? cells_to_find(asked) : choices(asked));
  if (asked.choices.empty() && asked.guess && !asked.shown)
    html += line(
        "p", fmt::format("Your guess: {}{}", words_of_typed(question, *asked.guess), asked.is_percentage ? " %" : ""));
  if (!asked.missed_words.empty() && !asked.shown)
    html += line("p", asked.missed_words + ". Try once more.") + to_html(asked.about_miss);
  html += to_html(asked.hint);
  if (!asked.shown) return html;
  return html + line("p", asked.guess_words) + line("p", words_of_answer(asked)) + to_html(asked.why);
}

/// "query sat q2, key The k0".
std::string location_in_words(const Cell& cell, const Session& session) {
  const int rank = cell.index.rank();
  std::string words;
  for (int axis = 0; axis < rank; ++axis) {
    const Axis counts = info(cell.tensor).axes[static_cast<std::size_t>(axis)];
    const AxisLabel label = axis + 2 < rank ? label_on_axis(cell.tensor, axis, cell.index[axis], session.setup())
                                            : axis_label(cell.tensor, axis + 1 == rank, cell.index[axis], session);
    // "head" is in the index itself.
    const std::string name =
        counts == Axis::head || counts == Axis::kv_head ? "" : std::string(axis_name(counts)) + " ";
    words += fmt::format("{}{}{}{}", words.empty() ? "" : ", ", name, label.token.empty() ? "" : label.token + " ",
                         label.index);
  }
  return words;
}

std::string number(double value) { return format_that_fits(std::abs(value), value < 0, 9, 4)(value); }

/// A row for each term: its name, its factors, what they give.
std::string table_of_terms(const std::vector<Term>& terms) {
  if (terms.empty()) return {};
  const LargestTerms largest = largest_terms(terms);
  std::string rows = "<tr><th scope=\"col\">term</th><th scope=\"col\">factors</th><th scope=\"col\">value</th></tr>\n";
  const auto row = [&](std::string_view label, std::string_view factors, double value) {
    rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>\n", escaped(label), escaped(factors),
                        number(value));
  };
  for (const Term* term : largest.shown) {
    std::string factors;
    for (const Factor& factor : term->factors)
      factors += fmt::format("{}{} = {}", factors.empty() ? "" : " × ", factor.name(), number(factor.value));
    row(term->label, factors, term->value);
  }
  if (largest.rest > 0) row(fmt::format("{} more", largest.rest), "", largest.rest_sum);
  return fmt::format("<table>\n<caption>{}</caption>\n{}</table>\n",
                     terms.size() > 1 ? "The value is the sum of these terms" : "How it is computed", rows);
}

std::string words_of_number(const Session& session, const Cell& cell) {
  if (points_at_answer(session)) return line("p", words_on_asked);
  const Explanation explanation = explain(session.trace_of(cell), cell);
  const std::string name = text_of(cell, session.setup());
  const std::string location = line("p", location_in_words(cell, session));
  if (const std::string_view why = words_instead_of(session, explanation); !why.empty())
    return line("h2", name) + location + line("p", why);
  const bool hidden = explanation.value < 0 && std::isinf(explanation.value);
  const std::string value =
      hidden ? "minus infinity" : exact_text(explanation.value, session.trace()[cell.tensor].precision());
  std::string html = line("h2", fmt::format("{} = {}", name, value)) + location +
                     line("p", words_about(cell.tensor, session.setup())) + line("p", explanation.note) +
                     line("p", explanation.formula) + line("p", explanation.numbers) +
                     table_of_terms(explanation.terms);
  std::string next;
  for (const GoesInto& into : explanation.goes_into) next += line("li", into.label);
  if (!next.empty()) html += "<p>It goes into</p>\n<ul>\n" + next + "</ul>\n";
  return html;
}

/// The places of an axis that a table shows: those nearest to the selected one.
struct Lines {
  Index first = 0;
  Index count = 0;
  Index all = 0;

  Lines(Index selected, Index size)
      : first(std::clamp(selected - most_lines / 2, Index{0}, std::max(Index{0}, size - most_lines))),
        count(std::min(size, most_lines)),
        all(size) {}
  std::string words(std::string_view name) const {
    return count == all ? fmt::format("{} {}", all, name)
                        : fmt::format("{} {} to {} of {}", name, first, first + count - 1, all);
  }
};

/// What a cell holds, as the picture shows it.
std::string cell_in_words(const Session& session, const Slice& slice, const Cell& cell, Index row, Index column,
                          const NumberFormat& format) {
  if (session.lesson().hides(cell, session.setup())) return "asked about";
  const CellKind kind = slice.kind(row, column);
  if (kind == CellKind::masked) return "masked";
  const std::string_view word = word_for(kind);
  return word.empty() ? format(slice.value(row, column)) : std::string(word);
}

std::string table_around(const Session& session, const Selection& selection) {
  const TensorId tensor = selection.tensor;
  const Slice slice = slice_of(session.trace(), tensor, selection.batch, selection.head);
  const Lines rows(selection.row, slice.rows());
  const Lines columns(selection.column, slice.columns());
  const auto cell_at = [&](Index row, Index column) {
    Selection at = selection;
    at.row = row;
    at.column = column;
    return cell_of(at, session.setup());
  };
  const auto each = [](const Lines& lines, auto&& act) {
    for (Index i = lines.first; i < lines.first + lines.count; ++i) act(i);
  };
  const auto heading = [&](bool last, Index index, std::string_view scope) {
    const AxisLabel label = axis_label(tensor, last, index, session);
    const std::string words = label.token.empty() ? label.index : fmt::format("{} {}", label.token, label.index);
    return fmt::format("<th scope=\"{}\">{}</th>", scope, escaped(words));
  };
  double largest = 0;
  bool negative = false;
  each(rows, [&](Index row) {
    each(columns, [&](Index column) {
      if (slice.kind(row, column) != CellKind::number || session.lesson().hides(cell_at(row, column), session.setup()))
        return;
      largest = std::max(largest, std::abs(slice.value(row, column)));
      negative |= slice.value(row, column) < 0;
    });
  });
  const NumberFormat format = format_that_fits(largest, negative, 9, 4);
  std::string html = fmt::format("<table>\n<caption>{}: {}, {}</caption>\n<tr><td></td>", escaped(shown_part(session)),
                                 rows.words("rows"), columns.words("columns"));
  each(columns, [&](Index column) { html += heading(true, column, "col"); });
  html += "</tr>\n";
  each(rows, [&](Index row) {
    html += "<tr>" + (info(tensor).rank > 1 ? heading(false, row, "row") : std::string("<td></td>"));
    each(columns, [&](Index column) {
      html += element("td", escaped(cell_in_words(session, slice, cell_at(row, column), row, column, format)));
    });
    html += "</tr>\n";
  });
  return html + "</table>\n";
}

std::string words_of_sentence(const Session& session) {
  const WhyWords why = why_words(session, cell_of(attention_selection(session), session.setup()));
  return line("h1", "Try your sentence") + line("p", text_of_sentence(session)) + line("h2", why.sentence()) +
         line("p", why.about_head) + line("p", why.exception) +
         line("p",
              "The arrow keys choose other words, digits another head, Enter leads to the sum, W to the workbench.");
}

/// A card has the problems of its change, which are not said twice.
std::string words_of_notice(const SessionState& state, const Refusal& refusal) {
  std::string html = line("p", state.notice) + line("p", refusal.title);
  for (const Problem& problem : refusal.problems.empty() ? state.problems : refusal.problems)
    html += line("p", problem.message());
  return html;
}

/// A paragraph for each line.
std::string in_lines(std::string_view text) {
  std::string html;
  for (const std::string_view each : split_at(text, '\n')) html += line("p", each);
  return html;
}

std::string rest_in_words(const SessionState& state, const Spoken& spoken) {
  return section("focus", "Keyboard", line("p", spoken.focus)) +
         section("notice", "Messages", words_of_notice(state, spoken.refusal));
}

}  // namespace

std::string start_in_words(const Session& session, const Spoken& spoken) {
  const NextLesson next = next_lesson(session);
  std::string html =
      line("h1", "Headlight") + line("p", "Every number inside multi-head attention, and where it came from.");
  if (next.lecture) {
    html += line("h2", next.lecture->title) + line("p", words_of_step(next)) +
            line("p", fmt::format("Enter: {}", words_of(next)));
  }
  html += line("h2", "Try your sentence") +
          line("p", "Type a sentence, then Enter, to hear whom each word looks at in four heads that Google trained.") +
          line("p", where_else_trained_layer_is()) + line("h2", "Check my layer") +
          line("p",
               "Paste printed numbers with Ctrl+V, or open a file with Ctrl+O, to hear where they first differ from "
               "ours, and why.");
  for (const LectureGroup group : lecture_groups) {
    std::string lectures;
    for (const auto& lecture : session.lectures()) {
      if (lecture->list_position.group != group) continue;
      const std::string about = line_about(*lecture);
      lectures += line("li", fmt::format("{}{}{}. {}.", lecture->title, about.empty() ? "" : ": ", about,
                                         short_words_of(progress_in(*lecture, *session.state().marks))));
    }
    if (lectures.empty()) continue;
    html += line("h2", title_of(group));
    if (group == LectureGroup::course) html += line("p", words_of_course(session));
    html += element("ol", "\n" + lectures) + "\n";
  }
  return section("start", "Start", html) + rest_in_words(session.state(), spoken);
}

std::string in_words(const Session& session, const Spoken& spoken) {
  const SessionState& state = session.state();
  if (state.blank) return section("notice", "Messages", line("p", "Computing the first numbers."));
  if (on_sentence_page(session))
    return section("step", "Sentence", words_of_sentence(session)) +
           section("number", "Selected number", words_of_number(session, session.cell())) +
           section("table", "Numbers around it", table_around(session, state.selection)) + rest_in_words(state, spoken);
  const Story story = shown_story(session);
  return section("step", "Step", words_of_story(session, story)) +
         section("question", "Question",
                 story.asked ? words_of_question(*session.lesson().question(), *story.asked) : "") +
         section("more", "More", story.more && state.over == Over::more ? to_html(*story.more) : "") +
         section("code", "Code", story.code.empty() ? "" : code_block(story.code)) +
         section("number", "Selected number", words_of_number(session, cell_of(state.selection, session.setup()))) +
         section("table", "Numbers around it", table_around(session, state.selection)) +
         section("view", "View", line("p", fmt::format("View: {}", info(session.display().view).title))) +
         section("writing", "What the model writes", in_lines(spoken.writing)) +
         section("check", "Check my work", in_lines(spoken.check)) + rest_in_words(state, spoken);
}

}  // namespace headlight
