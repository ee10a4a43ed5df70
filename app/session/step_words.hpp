// The words of a lecture's step with their numbers filled in. They are filled in once for each state; a frame only
// draws them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/lesson_state.hpp"
#include "core/lecture/lecture.hpp"
#include "core/lecture/live_text.hpp"
#include "core/model/trace.hpp"

namespace headlight {

class Session;
struct WorkWithMistake;

/// A question, as far as the user may see it.
struct AskedQuestion {
  Question::Kind kind = Question::Kind::choice;
  Markdown ask;
  std::vector<std::string> choices;  ///< their labels, even for cells and rows; empty for a number
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
};

struct StepWords {
  Markdown narration;
  Markdown goals;  ///< the lecture's goals; in its first step
  Markdown notes;  ///< for the speaker
  std::optional<AskedQuestion> question;
};

/// The words of a step. Narration, notes and question are about `asked`, the step's own setup; the answer is about
/// `now`, because the answer or the user may have changed the setup since. A guess that was wrong is about `answered`,
/// the state in which the answer will be right; none if it is not known.
StepWords fill_in(const LectureStep& step, const AnswerState& said, const Scope& asked, const Scope& now,
                  const std::optional<Scope>& answered);

/// What guesses at the question of a session's step are judged by, before and after its answer shows: the state that
/// the answer shows. None if it is not known yet.
std::optional<Scope> scope_of_answer(const Session& session);

/// The goals and prerequisites of a lecture as Markdown.
std::string goals_of(const Lecture& lecture);

/// The words of a session's step; null without a lecture.
std::shared_ptr<const StepWords> words_of_step(const Session& session);

/// One of the choices of a question, judged. Of a number only the answer.
struct JudgedChoice {
  std::string label;
  bool is_right = false;
  Markdown why;  ///< why it is right or wrong; may be empty
};
/// What only a speaker may see while the question is open. `session` shows the answer; empty if there is none.
std::vector<JudgedChoice> judged_choices(const Session& session);

/// The words that were filled in last, and their state, which is compared by identity and not by value.
struct KeptWords {
  LectureStep step;
  AnswerState said;
  std::weak_ptr<const Trace> own;
  std::weak_ptr<const Trace> trace;
  std::weak_ptr<const Trace> before;
  std::weak_ptr<const Trace> answered;
  std::weak_ptr<const WorkWithMistake> yours;
  std::shared_ptr<const StepWords> words;
};

}  // namespace headlight
