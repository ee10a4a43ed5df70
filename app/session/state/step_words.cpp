#include "app/session/state/step_words.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>
#include <string_view>

#include <fmt/format.h>

#include "core/formats/lecture/live_text_reader.hpp"

namespace headlight {
namespace {

/// Three digits, and no exponent where zeros say it, as in 0.0000004.
std::string words_of_cell(double value) {
  const double size = std::abs(value);
  if (size >= 1e-4 || size < 1e-9) return fmt::format("{:.3g}", value);
  return fmt::format("{:.{}f}", value, static_cast<int>(std::ceil(-std::log10(size))));
}

/// "The 26 %, cat 74 %": without the steps of what is drawn.
std::string words_of_row(const Question& question, const Scope& scope) {
  const std::vector<std::string> labels = labels_of(question, scope);
  const std::vector<double> row = row_to_draw(question, scope.model);
  std::string words;
  for (std::size_t i = 0; i < std::min(labels.size(), row.size()); ++i)
    words += fmt::format("{}{} {:.0f} %", i > 0 ? ", " : "", labels[i], 100 * row[i]);
  return words;
}

/// "sat", or "sat: 0.615" for a cell, or the number itself.
std::string words_of_answer(const Question& question, double choice, const Scope& scope) {
  if (question.kind == Question::Kind::number) return words_of_number(question, choice);
  if (question.kind == Question::Kind::draw) return words_of_row(question, scope);
  const std::string words = words_of_choice(question, choice, scope);
  if (question.kind != Question::Kind::cell && question.kind != Question::Kind::find) return words;
  const auto cells = cells_of(question, scope.setup());
  const auto index = static_cast<std::size_t>(std::max(choice, 0.0));
  return index < cells.size() ? fmt::format("{}: {}", words, words_of_cell(scope.model.value(cells[index]))) : words;
}

/// A guess that was typed keeps its digits, so that it never looks like the answer.
std::string words_of_guess(const Question& question, double guess, const Scope& scope) {
  if (question.kind == Question::Kind::draw) return "close enough";
  return question.kind == Question::Kind::number ? words_of_typed(question, guess)
                                                 : words_of_answer(question, guess, scope);
}

/// A choice is somebody's own words: Not “it gets everything”.
std::string refused(const Question& question, const std::string& words) {
  return question.kind == Question::Kind::choice ? fmt::format("Not “{}”", words) : "Not " + words;
}

std::optional<double> answer_in(const Question& question, const Scope& scope) {
  try {
    return answer_of(question, scope);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

void fill_in_answer(AskedQuestion& asked, const Question& question, Scope now) {
  asked.answer = answer_in(question, now);
  if (!asked.answer) return;
  now.guess = asked.guess;
  now.answer = asked.answer;
  asked.answer_words = words_of_answer(question, *now.answer, now);
  asked.why = filled(question.right, now);
  if (question.kind == Question::Kind::draw) asked.row = row_to_draw(question, now.model);
  if (!now.guess) now.guess = asked.missed;
  if (!now.guess || is_right(question, *now.guess, *now.answer)) return;
  asked.guess_words = refused(question, words_of_guess(question, *now.guess, now));
  const Markdown about_guess = filled(words_for_wrong(question, *now.guess, now.setup()), now);
  asked.why.insert(asked.why.begin(), about_guess.begin(), about_guess.end());
}

/// Its wrong choice, and why it is wrong. What would tell the answer waits for it.
void fill_in_miss(AskedQuestion& asked, const Question& question, const Scope& shown, std::optional<Scope> answered) {
  // Without the number of a cell, which still hides.
  const bool is_whole = question.kind == Question::Kind::number || question.kind == Question::Kind::draw;
  asked.missed_words = refused(question, is_whole ? words_of_guess(question, *asked.missed, shown)
                                                  : words_of_choice(question, *asked.missed, shown));
  if (!answered) return;
  answered->answer = answer_in(question, *answered);
  if (!answered->answer) return;
  answered->guess = asked.missed;
  const LiveText& words = words_for_wrong(question, *asked.missed, answered->setup());
  if (!gives_away(question, words, *answered)) asked.about_miss = filled(words, *answered);
}

AskedQuestion question_in(const Question& question, const AnswerState& said, const Scope& asked, const Scope& now,
                          const std::optional<Scope>& answered) {
  AskedQuestion words;
  words.kind = question.kind;
  words.ask = filled(question.ask, asked);
  for (MarkdownBlock& block : words.ask)
    for (MarkdownSpan& span : block.spans)
      if (span.kind == SpanKind::plain) span.kind = SpanKind::strong;
  words.choices = labels_of(question, asked);
  words.order = order_of(question, words.choices.size());
  words.guess = said.guess;
  const std::optional<double> made = said.guess ? said.guess : said.missed;
  const std::size_t count = words.choices.size();
  if (question.kind == Question::Kind::order) words.arrangement = made ? arrangement_of(*made, count) : words.order;
  if (question.kind == Question::Kind::draw)
    words.drawn = made ? row_of(*made, count) : std::vector<double>(count, 1 / static_cast<double>(count));
  words.missed = said.missed;
  words.is_percentage = question.is_percentage();
  words.has_hint = !question.hint.empty();
  if (said.hint) words.hint = filled(question.hint, asked);
  words.shown = said.shown;
  if (said.shown) fill_in_answer(words, question, now);
  else if (said.missed) fill_in_miss(words, question, asked, answered);
  return words;
}

/// Whether both are the same object, or both are null.
template <class Value>
bool is_same(const std::weak_ptr<const Value>& kept, const std::shared_ptr<const Value>& other) {
  return !kept.owner_before(other) && !other.owner_before(kept);
}

/// The same of a model's layers.
bool is_same(const KeptWords::Seen& kept, const ModelTrace& other) {
  return std::ranges::equal(kept, other.layers, [](const auto& a, const auto& b) { return is_same(a, b); });
}
KeptWords::Seen seen(const ModelTrace& model) { return {model.layers.begin(), model.layers.end()}; }

}  // namespace

std::string goals_of(const Lecture& lecture) {
  std::string words;
  const auto list = [&](std::string_view title, const std::vector<std::string>& items) {
    if (items.empty()) return;
    words += fmt::format("**{}**\n\n", title);
    for (const std::string& item : items) words += fmt::format("- {}\n", item);
    words += '\n';
  };
  list("Afterwards you can", lecture.goals);
  list("You should know", lecture.prerequisites);
  if (lecture.minutes > 0) words += fmt::format("It takes about {} minutes.\n\n", lecture.minutes);
  return words;
}

StepMark AskedQuestion::mark() const {
  const bool right = answer && guess && guess_words.empty();
  if (!right) return StepMark::shown;
  return missed ? StepMark::second_try : StepMark::first_try;
}

namespace {

const ModelTrace* unless_empty(const ModelTrace& model) { return model.empty() ? nullptr : &model; }

const Trace* trace_of(const std::shared_ptr<const WorkWithMistake>& work) { return work ? &work->trace : nullptr; }

/// What the narration, the notes and the question are about: the step's own setup.
Scope asked_in(const SessionState& state, Work& work) {
  const StepTraces& traces = state.lesson.traces;
  return {traces.own, unless_empty(traces.before), {}, {}, trace_of(traces.yours), &work};
}

/// What the answer is about, because it or the user may have changed the setup since.
Scope answered_in(const SessionState& state, Work* work) {
  return {state.layers, unless_empty(state.checking.reference), {}, {}, trace_of(state.checking.of_step), work};
}

/// The words without the question.
StepWords told_in(const SessionState& state, Work& work) {
  const Step& step = *state.lesson.step();
  const Scope scope = asked_in(state, work);
  StepWords words;
  words.narration = filled(step.narration, scope);
  words.more = filled(step.more, scope);
  words.notes = filled(step.notes, scope);
  words.notes.insert(words.notes.end(), words.more.begin(), words.more.end());
  if (state.lesson.at.index == 0) words.goals = parse_markdown(goals_of(*state.lesson.lecture()));
  return words;
}

std::optional<AskedQuestion> asked_question(const SessionState& state, Work& work) {
  const LessonState& lesson = state.lesson;
  if (lesson.question() == nullptr) return std::nullopt;
  const AnswerState said = lesson.answer_state();
  AskedQuestion asked = said.verdict ? *said.verdict
                                     : question_in(*lesson.question(), said, asked_in(state, work),
                                                   answered_in(state, &work), scope_of_answer(state, &work));
  asked.can_go_on = lesson.at.index + 1 < lesson.step_count() || state.review;
  return asked;
}

}  // namespace

std::optional<Scope> scope_of_answer(const SessionState& state, Work* work) {
  const Question* const question = state.lesson.question();
  if (question == nullptr) return std::nullopt;
  if (question->set.empty() || state.lesson.answer_state().shown) return answered_in(state, work);
  const auto& answered = state.lesson.traces.answered;
  if (answered.empty()) return std::nullopt;
  return Scope{answered, &state.layers, {}, {}, trace_of(state.checking.of_step), work};
}

std::vector<JudgedChoice> judged_choices(const SessionState& state) {
  const Question* const question = state.lesson.question();
  Work work;
  std::optional<Scope> scope = scope_of_answer(state, &work);
  if (question == nullptr || !scope) return {};
  scope->answer = answer_in(*question, *scope);
  if (!scope->answer) return {};
  if (!question->is_chosen())
    return {{words_of_answer(*question, *scope->answer, *scope), true, filled(question->right, *scope)}};
  std::vector<JudgedChoice> judged;
  const std::vector<std::string> labels = labels_of(*question, asked_in(state, work));
  for (const std::size_t choice : order_of(*question, labels.size())) {
    scope->guess = static_cast<double>(choice);
    const bool right = is_right(*question, *scope->guess, *scope->answer);
    const LiveText& why = right ? question->right : words_for_wrong(*question, *scope->guess, scope->setup());
    judged.push_back({labels[choice], right, filled(why, *scope)});
  }
  return judged;
}

std::vector<AskedQuestion> possible_questions(const SessionState& state) {
  const Question* const question = state.lesson.question();
  if (question == nullptr) return {};
  Work work(Work::in_a_frame);
  const Scope now = scope_of_answer(state, &work).value_or(answered_in(state, &work));
  AnswerState hinted;
  hinted.hint = true;
  AskedQuestion asked = question_in(*question, hinted, asked_in(state, work), now, now);
  asked.can_go_on = state.lesson.at.index + 1 < state.lesson.step_count();
  std::vector<AskedQuestion> all{asked};
  Scope answered = now;
  answered.answer = answer_in(*question, now).value_or(0);
  AskedQuestion shown = asked;
  shown.shown = true;
  shown.hint = {};
  shown.answer = answered.answer;
  shown.answer_words = words_of_answer(*question, *answered.answer, answered);
  shown.why = filled(question->right, answered);
  all.push_back(shown);
  for (const double guess : wrong_guesses(*question, answered)) {
    answered.guess = guess;
    const LiveText& about = words_for_wrong(*question, *answered.guess, now.setup());
    AskedQuestion missed = asked;
    missed.missed = answered.guess;
    missed.missed_words = refused(*question, words_of_guess(*question, *answered.guess, answered));
    missed.about_miss = filled(about, answered);
    AskedQuestion wrong = shown;
    wrong.guess = answered.guess;
    wrong.guess_words = missed.missed_words;
    wrong.why.insert(wrong.why.begin(), missed.about_miss.begin(), missed.about_miss.end());
    all.push_back(missed);  // with the hint, which may have been asked for again
    missed.hint = {};
    all.push_back(std::move(missed));
    all.push_back(std::move(wrong));
  }
  return all;
}

bool KeptWords::tells(const LessonState& lesson) const {
  const StepTraces& traces = lesson.traces;
  return words_ && step_ == lesson.at && is_same(own_, traces.own) && is_same(before_, traces.before) &&
         is_same(yours_, traces.yours);
}

bool KeptWords::asks(const SessionState& state) const {
  const CheckingState& checking = state.checking;
  return said_ == state.lesson.answer_state() && is_same(trace_, state.layers) &&
         is_same(reference_, checking.reference) && is_same(answered_, state.lesson.traces.answered) &&
         is_same(of_step_, checking.of_step);
}

std::shared_ptr<const StepWords> KeptWords::of(const SessionState& state, Threads* threads) {
  const LessonState& lesson = state.lesson;
  if (lesson.lecture() == nullptr) return nullptr;
  const bool tells_it = tells(lesson);
  if (tells_it && (lesson.question() == nullptr || asks(state))) {
    if (waits_ && !coming_.valid() && threads != nullptr) begin(state, *threads);
    return words_;
  }
  Work work(threads != nullptr ? Work::in_a_frame : Work::most);
  StepWords words = tells_it ? *words_ : told_in(state, work);
  words.question = asked_question(state, work);
  words_ = std::make_shared<const StepWords>(std::move(words));
  const StepTraces& traces = lesson.traces;
  step_ = lesson.at;
  own_ = seen(traces.own);
  before_ = seen(traces.before);
  yours_ = traces.yours;
  said_ = lesson.answer_state();
  trace_ = seen(state.layers);
  reference_ = seen(state.checking.reference);
  answered_ = seen(traces.answered);
  of_step_ = state.checking.of_step;
  ++made_;
  waits_ = threads != nullptr && (work.ran_out() || (tells_it && waits_));
  if (waits_ && !coming_.valid()) begin(state, *threads);
  return words_;
}

void KeptWords::begin(const SessionState& state, Threads& threads) {
  coming_for_ = made_;
  coming_ = threads.beside([state] {
    Work work;
    StepWords words = told_in(state, work);
    words.question = asked_question(state, work);
    return words;
  });
}

bool KeptWords::take_in(const SessionState& state) {
  if (state.lesson.lecture() == nullptr) waits_ = false;
  if (!coming_.valid() || coming_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
  std::future<StepWords> coming = std::move(coming_);
  if (!waits_ || coming_for_ != made_) return false;
  waits_ = false;
  try {
    words_ = std::make_shared<const StepWords>(coming.get());
    return true;
  } catch (const std::bad_alloc&) {
    return false;  // the dashes stay
  }
}

}  // namespace headlight
