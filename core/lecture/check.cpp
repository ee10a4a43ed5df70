#include "core/lecture/check.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "core/diagnose/wrong_work.hpp"
#include "core/engine/engine.hpp"
#include "core/lecture/live_text.hpp"
#include "core/stages/overflow.hpp"

namespace headlight {
namespace {

// --- What was printed ------------------------------------------------------------------------------------------------

/// The block of a tensor that a fact prints, oriented as in the document: with token_axis "columns" the notebook shows
/// (features, positions), otherwise (positions, features).
Tensor printed_block(const Trace& trace, const Fact& fact) {
  Tensor block = trace[fact.tensor];
  for (Index position : fact.at) block = block.selected(0, position);
  const bool turned = trace.setup.attention.token_axis == TokenAxis::columns && info(fact.tensor).has_batch();
  if (turned && block.shape().rank() >= 2) block = block.transposed(block.shape().rank() - 2, block.shape().rank() - 1);
  return block.contiguous();
}

/// "weights", or "L1.weights" in a model of several layers.
std::string name_of(const Fact& fact) {
  return (info(fact.tensor).is_of_model() ? std::string() : layer_prefix(fact.layer)) + std::string(name(fact.tensor));
}

/// The name of the tensor, "output", or "weights[0, 1]" if only a block of it was printed.
std::string printed_name(const Fact& fact) {
  if (fact.at.rank() == 0) return name_of(fact);
  return fmt::format("{}[{}]", name_of(fact), fmt::join(fact.at.begin(), fact.at.end(), ", "));
}

/// Whether rounding `value` to the printed decimals gives the printed digits. Allows half a unit of the last decimal,
/// plus the rounding error of writing that decimal in binary.
bool prints_as(double value, double printed, int decimals) {
  const double half = 0.5 * std::pow(10.0, -decimals);
  return std::abs(value - printed) <= half * (1 + 1e-9) + std::abs(printed) * 1e-15;
}

FactResult check_shape(const Trace& trace, const Fact& fact, FactResult result) {
  const Shape& found = trace[fact.tensor].shape();
  result.what = fmt::format("{} has shape {}", name_of(fact), fact.printed_shape->to_string());
  result.detail = found.to_string();
  if (found != *fact.printed_shape) result.verdict = FactResult::Verdict::differs;
  return result;
}

FactResult check_values(const Trace& trace, const Fact& fact, FactResult result) {
  const Tensor block = printed_block(trace, fact);
  std::size_t wrong = 0;
  double largest = 0;
  with_element_type(block.precision(), [&](auto zero) {
    const auto* values = block.data<decltype(zero)>();
    for (std::size_t i = 0; i < fact.values.size(); ++i) {
      const auto value = static_cast<double>(values[i]);
      largest = std::max(largest, std::abs(value - fact.values[i]));
      if (!prints_as(value, fact.values[i], fact.decimals)) ++wrong;
    }
  });
  result.largest_difference = largest;
  result.values = static_cast<Index>(fact.values.size());
  if (wrong > 0) {
    result.verdict = FactResult::Verdict::differs;
    result.detail = fmt::format("{} of {} values differ", wrong, fact.values.size());
  }
  return result;
}

FactResult check_fact(const Trace& trace, const Part& part, const Fact& fact) {
  FactResult result;
  result.part = part.id;
  result.tensor = fact.tensor;
  result.layer = fact.layer;
  result.origin = fact.origin;
  if (!fact.not_reproducible.empty()) {
    result.what = fmt::format("{}, {} printed values", printed_name(fact), fact.values.size());
    result.verdict = FactResult::Verdict::not_reproducible;
    result.detail = fact.not_reproducible;
    return result;
  }
  if (!trace.has(fact.tensor)) {
    result.what = name_of(fact);
    result.verdict = FactResult::Verdict::differs;
    result.detail = "the setup has no such tensor";
    return result;
  }
  if (fact.is_shape()) return check_shape(trace, fact, std::move(result));
  result.what = fmt::format("{}, {} values to {} decimals", printed_name(fact), fact.values.size(), fact.decimals);
  return check_values(trace, fact, std::move(result));
}

// --- Words and questions ---------------------------------------------------------------------------------------------

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether the text has a dash that is not between two digits.
bool has_lonely_dash(std::string_view text) {
  constexpr std::string_view dash = "–";
  for (std::size_t at = text.find(dash); at != std::string_view::npos; at = text.find(dash, at + 1)) {
    const std::size_t end = at + dash.size();
    if (at == 0 || end == text.size() || !is_digit(text[at - 1]) || !is_digit(text[end])) return true;
  }
  return false;
}

/// Whether typing the answer as it is shown is right.
bool shows_a_right_answer(const Question& question, std::string_view shown, double answer) {
  const auto typed = question.kind == Question::Kind::number ? typed_guess(question, shown) : std::nullopt;
  return !typed || is_right(question, *typed, answer);
}

/// One step's words and question against its traces.
class StepChecker {
 public:
  StepChecker(const Lecture& lecture, std::size_t index, std::vector<LessonResult>& results,
              const std::function<ModelTrace(const Setup&)>& trace_of, const std::stop_token& stop)
      : step_(lecture.steps[index]), index_(index), results_(results) {
    const ModelTrace own = trace_of(lecture.parts[step_.part].setup);
    const ModelTrace shown = step_.changed_setup ? trace_of(*step_.changed_setup) : own;
    if (!step_.mistake.empty())
      yours_ = with_mistake(shown.first(), step_.mistake, lecture.id, step_.title + ": mistake", stop);
    for (const auto& layer : shown.layers) require_finite(*layer);
    const Scope scope{shown, step_.changed_setup ? &own : nullptr, {}, {}, yours_ ? &*yours_ : nullptr};
    check_words(step_.narration, scope, step_.narration_lines);
    check_words(step_.more, scope, {});
    check_words(step_.notes, scope, {});
    if (curve() != nullptr) check_curve(*curve(), scope, trace_of);
    if (!step_.question) return;
    const Question& question = *step_.question;
    check_words(question.ask, scope, {});
    check_words(question.hint, scope, {});
    for (const LiveText& choice : question.choices) check_words(choice, scope, {});
    if (question.changed_setup) {
      const ModelTrace answered = trace_of(*question.changed_setup);
      check_answer(question, {answered, &shown, {}, {}, scope.yours});
    } else {
      check_answer(question, scope);
    }
  }

 private:
  /// A sentence about numbers that have overflowed is rarely true.
  void require_finite(const Trace& trace) {
    if (const auto overflow = overflow_in(trace))
      results_.push_back({LessonResult::Kind::step,
                          index_,
                          step_.line,
                          step_.title,
                          {},
                          words_of(*overflow, trace),
                          "numbers that the precision can hold"});
  }

  void check_words(const LiveText& text, const Scope& scope, const std::vector<int>& lines) {
    for (const LiveText::Hole& hole : text.numbers) {
      LessonResult result{LessonResult::Kind::live_number,
                          index_,
                          hole.line < lines.size() ? lines[hole.line] : step_.line,
                          hole.inside,
                          {},
                          {},
                          {}};
      Work again = work_;
      evaluate(result, [&] { return hole.number.words(scope, work_); });
      if (result.holds()) judge_size(result, hole.number.expression, scope, again);
      if (!is_known(result)) results_.push_back(std::move(result));
    }
    check_dashes(text, scope, lines);
  }

  /// A number that is infinite or NaN is no answer, but for the −∞ of hidden scores, and for what a mistake gives.
  static void judge_size(LessonResult& result, const Expression& expression, const Scope& scope, Work& work) {
    const Value value = expression.value(scope, work);
    const auto* const number = std::get_if<double>(&value);
    if (number == nullptr || std::isfinite(*number) || expression.reads_yours()) return;
    const bool of_hidden = std::ranges::any_of(expression.readings(), [](const Expression::Reading& reading) {
      return info(reading.tensor).hides_as_infinity();
    });
    if (of_hidden && *number < 0) return;
    result.found = to_string(*number, {});
    result.allowed = "a finite number";
  }

  /// Whether the same number of the step has failed before: the words about wrong guesses are filled in for each guess.
  bool is_known(const LessonResult& result) const {
    return !result.holds() && std::ranges::any_of(results_, [&](const LessonResult& other) {
      return !other.holds() && other.step == result.step && other.what == result.what;
    });
  }

  const CurvePicture* curve() const { return step_.picture ? std::get_if<CurvePicture>(&*step_.picture) : nullptr; }

  void check_curve(const CurvePicture& curve, const Scope& shown,
                   const std::function<ModelTrace(const Setup&)>& trace_of) {
    for (const CurvePicture::Line& line : curve.lines) {
      const ModelTrace own = line.setup ? trace_of(*line.setup) : shown.model;
      const Scope scope{own, shown.before, {}, {}, shown.yours};
      LessonResult result{LessonResult::Kind::live_number, index_, step_.line, line.value.text(), {}, {}, {}};
      evaluate(result, [&] { return to_string(line.value.number(scope), {}); });
      Work work;
      if (result.holds()) judge_size(result, line.value, scope, work);
      results_.push_back(std::move(result));
    }
  }

  /// A dash takes the place of a number that has no value, so no other one may look like that. One between two digits
  /// is a range.
  void check_dashes(const LiveText& text, const Scope& scope, const std::vector<int>& lines) {
    const bool is_missing = std::ranges::any_of(results_, [](const LessonResult& result) { return !result.holds(); });
    if (is_missing) return;  // it has been reported as what it is
    const std::string words = filled_label(text, scope);
    if (!has_lonely_dash(words)) return;
    results_.push_back({LessonResult::Kind::live_number,
                        index_,
                        lines.empty() ? step_.line : lines.front(),
                        words,
                        {},
                        "\"–\", which stands for a number without a value",
                        "a comma, a colon, or a range of numbers"});
  }

  void check_answer(const Question& question, Scope scope) {
    LessonResult result{LessonResult::Kind::question, index_, question.line, question.ask.source, {}, {}, {}};
    evaluate(result, [&] {
      scope.answer = answer_of(question, scope);
      return question.kind == Question::Kind::number ? words_of_number(question, *scope.answer)
                                                     : words_of_choice(question, *scope.answer, scope);
    });
    if (result.holds() && question.kind == Question::Kind::order && guess_of(question.order) == *scope.answer) {
      result.found = "it is offered in the right order: " + result.words;
      result.allowed = "another title of the step, from which the order follows in which it is offered";
    }
    if (result.holds() && !shows_a_right_answer(question, result.words, *scope.answer)) {
      result.found = fmt::format("an answer that shows as {} and is {:.6g}", result.words, *scope.answer);
      result.allowed = "a format with more digits, or a larger within";
    }
    const bool answered = result.holds();
    results_.push_back(std::move(result));
    if (!answered) return;
    // The answer and a wrong guess are called by their choices, in the state that the answer has made.
    if (question.changed_setup)
      for (const LiveText& choice : question.choices) check_words(choice, scope, {});
    check_words(question.right, scope, {});
    if (question.wrong.empty()) return;
    for (double guess : wrong_guesses(question, scope)) {
      scope.guess = guess;
      check_words(words_for_wrong(question, guess, scope.setup()), scope, {});
    }
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
  std::size_t index_;
  std::vector<LessonResult>& results_;
  Work work_;  ///< as in the window, where all words of a step are made together
};

}  // namespace

std::vector<FactResult> check(const Part& part, const ModelTrace& model) {
  std::vector<FactResult> results;
  for (const Fact& fact : part.facts) results.push_back(check_fact(model.at(fact.layer), part, fact));
  return results;
}

std::vector<FactResult> check(const Lecture& lecture, const std::stop_token& stop,
                              const std::shared_ptr<Threads>& threads) {
  std::vector<FactResult> results;
  for (const Part& part : lecture.parts) {
    Engine engine(default_memory_limit, threads);
    engine.compute(part.setup, {stop, {}});
    std::ranges::move(check(part, engine.model()), std::back_inserter(results));
  }
  return results;
}

std::vector<LessonResult> check_lessons(const Lecture& lecture, const std::stop_token& stop,
                                        const std::shared_ptr<Threads>& threads) {
  std::vector<LessonResult> results;
  Engine engine(default_memory_limit, threads);
  const auto trace_of = [&](const Setup& setup) {
    engine.compute(setup, {stop, {}});
    return engine.model();
  };
  for (std::size_t index = 0; index < lecture.steps.size(); ++index) {
    try {
      StepChecker(lecture, index, results, trace_of, stop);
    } catch (const InputError& error) {
      std::vector<Problem> problems = error.problems();
      for (Problem& problem : problems)
        if (problem.source.empty())
          problem.source = fmt::format("{}, step {}, \"{}\"", lecture.id, index + 1, lecture.steps[index].title);
      throw InputError(std::move(problems));
    }
  }
  return results;
}

std::vector<const LiveText*> texts_of(const Step& step) {
  std::vector<const LiveText*> texts{&step.narration, &step.more, &step.notes};
  if (!step.question) return texts;
  texts.insert(texts.end(), {&step.question->ask, &step.question->hint, &step.question->right});
  for (const Question::Wrong& wrong : step.question->wrong) texts.push_back(&wrong.words);
  return texts;
}

}  // namespace headlight
