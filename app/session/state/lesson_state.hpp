// The user's progress in a lecture: the step, and the answers to its questions.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "app/session/display/selection.hpp"
#include "app/session/state/checked_work.hpp"
#include "app/view_table.hpp"
#include "core/lecture/check.hpp"
#include "core/lecture/lecture.hpp"
#include "core/model/trace.hpp"
#include "core/setup/changes.hpp"

namespace headlight {

/// A lecture, and how its printed facts compare, which is computed once when the lecture is opened.
struct OpenLecture {
  std::shared_ptr<const Lecture> lecture;
  std::optional<std::vector<FactResult>> facts;  ///< none until compared, which happens before the lecture is shown
};

/// A step of an open lecture, or none.
struct LectureStep {
  std::shared_ptr<const OpenLecture> lecture;  ///< null outside of any lecture
  std::size_t index = 0;                       ///< from 0

  /// The step and its part; null outside of any lecture.
  const Step* step() const;
  const Part* part() const;
  /// The step's setup; null outside of any lecture.
  const Setup* setup() const;
  /// Whether the lecture's facts have not been compared yet.
  bool is_unchecked() const { return lecture && !lecture->facts; }

  friend bool operator==(const LectureStep&, const LectureStep&) = default;
};

/// How a setup differs from the step's; empty outside of any lecture.
std::vector<Change> changes_in(const LectureStep& step, const Setup& own);
/// Whether both have the same setup of the same lecture (the same part with the same settings), or are both outside of
/// any lecture.
bool in_same_setup(const LectureStep& a, const LectureStep& b);

/// A step of a lecture whose facts have not been compared yet; the last one if it has fewer.
LectureStep step_of(std::shared_ptr<const Lecture> lecture, std::size_t index);
/// The same step of another version of its lecture.
LectureStep moved_to(std::shared_ptr<const OpenLecture> lecture, const LectureStep& step);

/// What a step opens with.
struct StepLook {
  Selection selection;
  View view = View::pipeline;
};
/// The cell and the view of a step: its own, or those of the steps before it. `setup` is the one that is shown there.
StepLook look_of_step(const Lecture& lecture, std::size_t step, const Setup& setup);

struct AskedQuestion;

/// The user's answer to the question of a step.
struct AnswerState {
  std::optional<double> guess;  ///< the index of a choice, or a number
  bool hint = false;            ///< the hint shows
  bool shown = false;           ///< the answer shows
  /// The first guess, which was wrong; the answer waits for a second one.
  std::optional<double> missed = {};
  /// What was said about the answer when it was shown, whatever changes afterwards; null before.
  std::shared_ptr<const AskedQuestion> verdict = {};

  friend bool operator==(const AnswerState&, const AnswerState&) = default;
};

/// What the narration and the question of a step are about: its own setup, also while an answer or a person has changed
/// the shown one.
struct StepTraces {
  ModelTrace own;                                ///< empty outside of any lecture
  ModelTrace before;                             ///< the part's, if the step changes settings; else empty
  std::shared_ptr<const WorkWithMistake> yours;  ///< null if the step has none
  /// The state that the answer of the step's question sets, once a guess has been checked; empty before.
  ModelTrace answered;

  friend bool operator==(const StepTraces&, const StepTraces&) = default;
};

/// A change by a link or a question: the setups before and after.
struct Experiment {
  Setup before;
  Setup after;
};

/// A session's state about lectures. Its answers are about the shown step, which changes only when the next step's
/// setup is computed.
struct LessonState {
  LectureStep at;                                ///< the shown step
  StepTraces traces;                             ///< what the words of the step are about
  std::map<std::size_t, AnswerState> answers;    ///< by the index of the step
  std::shared_ptr<const Experiment> experiment;  ///< the last one on this step; null if there was none
  bool playing = false;                          ///< the next step is shown every few seconds
  /// How the shown setup differs from the step's; never null.
  std::shared_ptr<const std::vector<Change>> changes = std::make_shared<const std::vector<Change>>();

  /// The open lecture, the step, its part, its setup and its question; null if there is none.
  const Lecture* lecture() const { return at.lecture ? at.lecture->lecture.get() : nullptr; }
  const Step* step() const { return at.step(); }
  const Part* part() const { return at.part(); }
  const Setup* setup() const { return at.setup(); }
  const Question* question() const;
  bool has_picture() const { return step() != nullptr && step()->picture.has_value(); }
  /// 0 if no lecture is open.
  std::size_t step_count() const { return lecture() ? lecture()->steps.size() : 0; }

  /// The answer to the question, kept while the lecture is open. If it changed the setup, it is hidden again when the
  /// user returns to the step, because it may be about another state.
  AnswerState answer_state() const;
  /// Whether the step asks a question whose answer is not shown yet.
  bool asks() const { return question() != nullptr && !answer_state().shown; }
  /// Whether the step asks about this cell of the shown setup, so that no view may show its number yet.
  bool hides(const Cell& cell, const Setup& shown) const;

  /// Guesses at the answer. The choice that was wrong before can't be chosen again.
  void guess(std::optional<double> guess);
  /// Compares the shown setup with the step's.
  void find_changes(const Setup& shown);
  /// Goes to another step. It has had no experiment yet, and an answer that changes the setup is hidden.
  void go_to(const LectureStep& step);
  /// Hides the answer of a step if showing it changes the setup.
  void hide_answer_that_sets(std::size_t step);

  friend bool operator==(const LessonState&, const LessonState&) = default;
};

}  // namespace headlight
