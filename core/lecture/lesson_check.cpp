#include "core/lecture/lesson_check.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "core/diagnose/wrong_work.hpp"
#include "core/lecture/live_text.hpp"

namespace headlight {
namespace {

/// One step's words and question against its traces.
class StepChecker {
 public:
  StepChecker(const Lecture& lecture, std::size_t place, std::vector<LessonResult>& results,
              const std::function<std::shared_ptr<const Trace>(const Setup&)>& trace_of)
      : step_(lecture.steps[place]), place_(place), results_(results) {
    const bool asks = step_.question.has_value() || !step_.mistake.empty() || !step_.narration.numbers.empty() ||
                      !step_.notes.numbers.empty();
    if (!asks) return;
    const std::shared_ptr<const Trace> own = trace_of(lecture.parts[step_.part].setup);
    const std::shared_ptr<const Trace> shown = step_.changed_setup ? trace_of(*step_.changed_setup) : own;
    if (!step_.mistake.empty()) yours_ = with_mistake(*shown, step_.mistake, lecture.id, step_.title + ": mistake");
    const Scope scope{*shown, step_.changed_setup ? own.get() : nullptr, {}, {}, yours_ ? &*yours_ : nullptr};
    check_words(step_.narration, scope, step_.narration_lines);
    check_words(step_.notes, scope, {});
    if (!step_.question) return;
    const Question& question = *step_.question;
    check_words(question.ask, scope, {});
    check_words(question.hint, scope, {});
    for (const LiveText& choice : question.choices) check_words(choice, scope, {});
    if (question.changed_setup)
      check_answer(question, {*trace_of(*question.changed_setup), shown.get(), {}, {}, scope.yours});
    else check_answer(question, scope);
  }

 private:
  void check_words(const LiveText& text, const Scope& scope, const std::vector<int>& lines) {
    for (const LiveText::Hole& hole : text.numbers) {
      LessonResult result{LessonResult::Kind::live_number,
                          place_,
                          hole.line < lines.size() ? lines[hole.line] : step_.line,
                          hole.inside,
                          {},
                          {},
                          {}};
      evaluate(result, [&] { return hole.number.words(scope); });
      results_.push_back(std::move(result));
    }
  }

  void check_answer(const Question& question, Scope scope) {
    LessonResult result{LessonResult::Kind::question, place_, question.line, question.ask.source, {}, {}, {}};
    evaluate(result, [&] {
      scope.answer = answer_of(question, scope);
      const auto labels = labels_of(question, scope);
      return question.is_chosen() ? labels[static_cast<std::size_t>(*scope.answer)]
                                  : fmt::format("{:.6g}", *scope.answer);
    });
    const bool answered = result.holds();
    results_.push_back(std::move(result));
    if (!answered) return;
    check_words(question.right, scope, {});
    for (double guess : wrong_guesses(question, scope)) {
      scope.guess = guess;
      check_words(words_for_wrong(question, guess, scope.trace.setup), scope, {});
    }
  }

  /// Every wrong choice; for a number one too small and one too large.
  static std::vector<double> wrong_guesses(const Question& question, const Scope& scope) {
    if (question.wrong.empty()) return {};
    const double answer = *scope.answer;
    if (!question.is_chosen()) return {answer - 2 * question.within - 1, answer + 2 * question.within + 1};
    std::vector<double> guesses;
    for (std::size_t place = 0; place < labels_of(question, scope).size(); ++place)
      if (static_cast<double>(place) != answer) guesses.push_back(static_cast<double>(place));
    return guesses;
  }

  template <class Words>
  static void evaluate(LessonResult& result, Words&& words) {
    try {
      result.words = words();
    } catch (const InputError& error) {
      result.found = error.problems().front().found;
      result.allowed = error.problems().front().allowed;
    }
  }

  const Step& step_;
  std::optional<Trace> yours_;
  std::size_t place_;
  std::vector<LessonResult>& results_;
};

}  // namespace

std::vector<LessonResult> check_lessons(const Lecture& lecture, const std::stop_token& stop,
                                        const std::shared_ptr<Threads>& threads) {
  std::vector<LessonResult> results;
  Engine engine(default_memory_limit, threads);
  for (std::size_t place = 0; place < lecture.steps.size(); ++place)
    StepChecker(lecture, place, results, [&](const Setup& setup) { return engine.compute(setup, {stop, {}}); });
  return results;
}

}  // namespace headlight
