// The words of a lecture's step with their numbers filled in. They are filled in once for each state; a frame only
// draws them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/state/session_state.hpp"
#include "core/compute/threads.hpp"
#include "core/lecture/lecture.hpp"
#include "core/lecture/live_text.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// A question, as far as the user may see it.
struct AskedQuestion {
  Question::Kind kind = Question::Kind::choice;
  Markdown ask;
  std::vector<std::string> choices;      ///< their labels, even for cells and rows; empty for a number
  std::vector<std::size_t> order;        ///< which of them is offered in each place
  std::vector<std::size_t> arrangement;  ///< of an order: which item is in each place now
  std::vector<double> drawn;             ///< of a row: its shares as they are drawn now
  std::vector<double> row;               ///< of a row: the true shares, once shown
  std::optional<double> guess;
  std::optional<double> missed;  ///< the first guess, which was wrong
  std::string missed_words;      ///< "Not The"
  Markdown about_miss;           ///< why it is wrong; empty where that would tell the answer
  bool is_percentage = false;    ///< a number is typed in percent
  bool has_hint = false;
  Markdown hint;                 ///< once it is asked for
  bool shown = false;            ///< the answer is shown
  std::optional<double> answer;  ///< once shown; none if there is not exactly one under the settings
  std::string guess_words;       ///< "Not The"; empty if the guess is right or there was none
  std::string answer_words;      ///< "sat: 0.615"
  Markdown why;                  ///< about the guess, then about the answer
  bool can_go_on = false;        ///< there is a next step

  /// The mark that the answer has earned, once it is shown.
  StepMark mark() const;
};

struct StepWords {
  Markdown narration;
  Markdown goals;  ///< the lecture's goals; in its first step
  Markdown more;   ///< for who learns alone and asks for more
  Markdown notes;  ///< for the speaker, who is told more without asking
  std::optional<AskedQuestion> question;
};

/// What guesses at the question of the shown step are judged by, before and after its answer shows: the state that the
/// answer shows. None if it is not known yet.
std::optional<Scope> scope_of_answer(const SessionState& state, Work* work = nullptr);

/// The goals and prerequisites of a lecture as Markdown.
std::string goals_of(const Lecture& lecture);

/// One of the choices of a question, judged. Of a number only the answer.
struct JudgedChoice {
  std::string label;
  bool is_right = false;
  Markdown why;  ///< why it is right or wrong; may be empty
};
/// What only a speaker may see while the question is open, in the order in which they are offered. `state` shows the
/// answer; empty if there is none.
std::vector<JudgedChoice> judged_choices(const SessionState& state);

/// The question of the shown step in every state that it can get into from here: with its hint, after each first wrong
/// guess, and answered after each. Their words have the present numbers. For finding out how much room it needs; empty
/// without a question.
std::vector<AskedQuestion> possible_questions(const SessionState& state);

/// The words of the shown step. They are filled in again when what they are about has changed, which is compared by
/// identity and not by value: only the question is about the shown numbers.
class KeptWords {
 public:
  /// Null without a lecture. With `threads`, numbers for which a frame has no time are dashes until take_in() finds
  /// that another thread has computed them; without, all are computed before this returns.
  std::shared_ptr<const StepWords> of(const SessionState& state, Threads* threads);
  /// Whether there are such dashes.
  bool waits() const { return waits_; }
  /// Puts in the numbers that were computed meanwhile; returns whether the words have changed.
  bool take_in(const SessionState& state);

  /// The layers of a model that words were about.
  using Seen = std::vector<std::weak_ptr<const Trace>>;

 private:
  void begin(const SessionState& state, Threads& threads);
  bool tells(const LessonState& lesson) const;
  bool asks(const SessionState& state) const;

  std::shared_ptr<const StepWords> words_;
  // What all words are about.
  LectureStep step_;
  Seen own_;
  Seen before_;
  std::weak_ptr<const WorkWithMistake> yours_;
  // What the question is about besides.
  AnswerState said_;
  Seen trace_;
  Seen reference_;
  Seen answered_;
  std::weak_ptr<const WorkWithMistake> of_step_;
  // The words with all their numbers, one computation at a time: where it has become obsolete, the next one waits for
  // it.
  bool waits_ = false;
  std::uint64_t made_ = 0;  ///< how often words were made
  std::uint64_t coming_for_ = 0;
  std::future<StepWords> coming_;
};

}  // namespace headlight
