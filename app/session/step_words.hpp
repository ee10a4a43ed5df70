// The words of a lecture's step with their numbers filled in. They are filled in once for each state that they are
// about, and only drawn in each frame.
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

/// A question, as far as the person may see it.
struct AskedQuestion {
  Question::Kind kind = Question::Kind::choice;
  Markdown ask;
  std::vector<std::string> choices;  ///< their labels, also where cells or rows are chosen; none for a number
  std::optional<double> guess;
  bool has_hint = false;
  Markdown hint;                 ///< once it is wanted
  bool shown = false;            ///< the answer shows
  std::optional<double> answer;  ///< then; none where the settings leave no single one
  std::string guess_words;       ///< "Not The"; empty where the guess is right, or there was none
  std::string answer_words;      ///< "sat: 0.615"
  Markdown why;                  ///< about the guess, then about the answer
  bool can_go_on = false;        ///< a step follows
};

struct StepWords {
  Markdown narration;
  Markdown goals;  ///< what the lecture is for: of its first step
  Markdown notes;  ///< for the speaker
  std::optional<AskedQuestion> question;
};

/// The words of a step. `asked` is what narration, notes and question are about, and `now` what the answer is about:
/// the answer may have changed the setup since the question was asked.
StepWords fill_in(const LectureStep& step, const AnswerState& said, const Scope& asked, const Scope& now);

/// What a lecture is for, and what one should know before, as Markdown.
std::string goals_of(const Lecture& lecture);

/// The words of a session's step; null without a lecture.
std::shared_ptr<const StepWords> words_of_step(const Session& session);

/// The words that were filled in last, and what they were about. A state is known by itself and not by what is in it.
struct KeptWords {
  LectureStep step;
  AnswerState said;
  std::weak_ptr<const Trace> trace;
  std::weak_ptr<const Trace> before;
  std::weak_ptr<const WorkWithMistake> yours;
  std::shared_ptr<const StepWords> words;
};

}  // namespace headlight
