#include "app/figures/handout/handout.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/figures/fitted_surface.hpp"
#include "app/session/checking.hpp"
#include "app/session/lesson.hpp"
#include "app/session/session.hpp"
#include "app/views/story/story.hpp"
#include "core/formats/lecture/live_text_reader.hpp"
#include "core/model/problem.hpp"

namespace headlight {
namespace {

constexpr std::size_t most_choices = 9;
/// About as wide as the type on paper, so that numbers come out large enough to read.
constexpr PageSize picture_room{760, 470};
/// Beside an answer, about as wide as it is printed.
constexpr PageSize small_picture_room{400, 300};
/// A question about more cells than this explains only the wrong choices that it names.
constexpr std::size_t most_misses = 6;

/// Where a link is a button of its own, the words say what to try.
Markdown without_buttons(Markdown markdown) {
  for (MarkdownBlock& block : markdown)
    if (is_button(block)) block.spans.insert(block.spans.begin(), {"To try in Headlight: ", SpanKind::emphasis});
  return markdown;
}

AskedQuestion printed(AskedQuestion question) {
  for (Markdown* words : {&question.ask, &question.hint, &question.why}) *words = without_buttons(std::move(*words));
  return question;
}

PrintedPicture picture_on_paper(Session& session, PageSize room) {
  Figure figure;
  figure.theme = ThemeName::light;
  figure.room = room;
  figure.transparent = true;
  figure.printed = true;
  FittedSurface surface(session, figure);
  return {surface.shapes(), surface.page()};
}

bool is_about_guess(const LiveText& words) {
  return std::ranges::any_of(words.numbers,
                             [](const auto& hole) { return hole.inside.find("guess") != std::string::npos; });
}

/// Why each wrong choice is wrong, once the answer shows. Neighbours with the same explanation share it.
std::vector<PrintedMiss> misses_of(const Question& question, Scope scope, double answer) {
  scope.answer = answer;
  std::vector<PrintedMiss> misses;
  if (!question.is_chosen()) {
    const LiveText& words = words_for_wrong(question, answer, scope.setup());
    if (!words.empty() && !is_about_guess(words)) misses.push_back({"", without_buttons(filled(words, scope))});
    return misses;
  }
  const std::vector<std::string> labels = labels_of(question, scope);
  for (const std::size_t choice : order_of(question, labels.size())) {
    const auto guess = static_cast<double>(choice);
    const LiveText& words = words_for_wrong(question, guess, scope.setup());
    const bool named = std::ranges::any_of(
        question.wrong, [&](const Question::Wrong& wrong) { return &wrong.words == &words && !wrong.choice.empty(); });
    if (guess == answer || words.empty() || (labels.size() > most_misses && !named)) continue;
    scope.guess = guess;
    PrintedMiss miss{labels[choice], without_buttons(filled(words, scope))};
    if (!misses.empty() && plain_text(misses.back().words) == plain_text(miss.words))
      misses.back().choice += ", " + miss.choice;
    else misses.push_back(std::move(miss));
  }
  return misses;
}

/// Asks, and then shows the answer.
std::optional<PrintedQuestion> question_on_paper(Session& session) {
  if (session.lesson().question() == nullptr) return std::nullopt;
  PrintedQuestion question;
  Lesson(session).show_hint();
  question.asked = printed(*session.step_words()->question);
  if (question.asked.choices.size() <= most_choices) question.choices = question.asked.order;
  Lesson(session).show_answer();
  question.answered = printed(*session.step_words()->question);
  question.picture = picture_on_paper(session, small_picture_room);
  if (const auto answer = question.answered.answer)
    question.misses = misses_of(*session.lesson().question(), *scope_of_answer(session.state()), *answer);
  return question;
}

Markdown how_to_read(const Lecture& lecture) {
  const bool asks = std::ranges::any_of(lecture.steps, [](const Step& step) { return step.question.has_value(); });
  return parse_markdown(fmt::format("{}A dash in a cell without digits says that its number is negative.",
                                    asks ? "Answer each framed question before you read on, because what follows may "
                                           "show the answer. Hints and answers are at the end. "
                                         : ""));
}

PrintedStep step_on_paper(Session& session, bool with_notes) {
  const Step& step = *session.lesson().step();
  const auto words = session.step_words();
  PrintedStep paper{.title = step.title,
                    .words = without_buttons(words->narration),
                    .picture = picture_on_paper(session, picture_room),
                    .code = step.code,
                    .question = {},
                    .more = with_notes ? Markdown{} : without_buttons(words->more),
                    .notes = with_notes ? without_buttons(words->notes) : Markdown{}};
  paper.question = question_on_paper(session);
  return paper;
}

}  // namespace

Handout handout_of(Session& session, bool with_notes, const std::function<void(double fraction)>& report) {
  const auto lecture = session.lesson().at.lecture;
  if (lecture == nullptr) throw InputError({"", "lecture", "none", "--lecture with the lecture's id"});
  // The lecture as it is, whatever colours, heads and states the user has chosen.
  session.set_display({});
  Checking(session).clear_reference();
  const Lecture& contents = *lecture->lecture;
  Handout handout{
      contents.title, contents.source, without_buttons(parse_markdown(goals_of(contents))), how_to_read(contents), {}};
  for (std::size_t step = 0; step < contents.steps.size(); ++step) {
    // Opened anew, so that none of the previous question's settings are left.
    if (auto problems = Lesson(session).open(lecture->lecture, step); !problems.empty())
      throw InputError(std::move(problems));
    handout.steps.push_back(step_on_paper(session, with_notes));
    if (report) report(static_cast<double>(step + 1) / static_cast<double>(contents.steps.size()));
  }
  return handout;
}

}  // namespace headlight
