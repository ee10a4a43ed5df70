// Going through a lecture: opening it, its steps, its questions, the links in its words, and the user's changes.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/display/selection.hpp"
#include "app/session/state/badge.hpp"
#include "app/session/state/lesson_state.hpp"
#include "app/session/state/marks.hpp"
#include "app/session/state/review.hpp"
#include "core/lecture/lecture.hpp"
#include "core/lecture/live_text.hpp"
#include "core/model/problem.hpp"

namespace headlight {

class Session;

/// Its state is Session::lesson(). Setups are computed as by Session::edit(), so in the background the shown step
/// changes later.
class Lesson {
 public:
  explicit Lesson(Session& session) : session_(session) {}

  /// Sets the lectures that can be opened by id. If one of them is open, its new version replaces it; the step and the
  /// user's edits stay.
  std::vector<Problem> set_lectures(std::vector<std::shared_ptr<const Lecture>> lectures);
  /// Opens the lecture at a step (from 0, clamped) with the step's setup, selection and view. Returns the problems and
  /// changes nothing if it cannot be computed or no lecture has the id. An outline opens when the rest of it is here.
  std::vector<Problem> open(std::string_view id, std::size_t step = 0);
  std::vector<Problem> open(const Lecture& lecture, std::size_t step = 0);
  std::vector<Problem> open(const std::shared_ptr<const Lecture>& lecture, std::size_t step = 0);
  /// Opens it where the person goes on. A lecture of the course that isn't begun is preceded by questions from earlier
  /// ones, if there are any to come up again.
  std::vector<Problem> begin(std::string_view id);
  /// Opens the lecture that the questions of a review precede.
  void skip_review();
  /// Goes to the first step of the open lecture, drops the user's edits (undo restores them), all answers, and what was
  /// marked as seen.
  void restart();
  /// Closes the lecture and keeps the setup.
  void close();

  /// Goes to a step. Within the same setup the user's edits stay, but what the answer of a question has set is reset.
  /// Another part, or a step with settings or a task, has a setup of its own. A step with settings keeps its part's
  /// state as A. A step always shows the same cell and view, whichever step was shown before: if it names none, it has
  /// those of the step before it in the lecture.
  void go_to(std::size_t step);
  /// Shows the next (+1) or previous (-1) step, or without a lecture the next or previous tensor.
  void step_by(int direction);
  void set_playing(bool playing);
  /// Advances the time while playing: shows the next step every few seconds and stops at the last. An edit stops it
  /// too.
  void advance(double seconds);

  /// Answers the question of the step with one of its choices (from 0), or with a number.
  void guess(std::optional<double> guess);
  void show_hint();
  /// Answers with the guess. A wrong one may be followed by another before the answer shows. Without a guess the answer
  /// shows.
  void check_guess();
  /// Shows the answer. If the question changes settings, they are changed first, and the state before becomes A.
  void show_answer();
  /// Forgets the answer to the question, and resets what the answer has set.
  void ask_again();
  /// Sets the answers to the open lecture's questions from an earlier session.
  void set_answers(std::map<std::size_t, AnswerState> answers);

  /// Keeps that the task of the step is passed.
  void pass_practice();

  /// Adds what the user has seen of the lectures in earlier sessions.
  void add_marks(const LectureMarks& earlier);

  /// Opens the workbench on the open lecture's step, or goes back to the lesson. The step and its state stay, and the
  /// lecture remembers it.
  void show_workbench(bool shown);
  /// Adds how questions were answered that came up again in earlier sessions.
  void add_reviews(const Reviews& earlier);

  /// Adds how lectures were left in earlier sessions.
  void add_modes(const LectureModes& earlier);

  /// Follows a link in the lecture's words. Returns the problems if a setting does not fit.
  std::vector<Problem> follow(const Link& link);
  /// Resets one key, or all, to the lecture's value. A value that does not fit the rest is adapted if possible. What
  /// the shown answer of the step's question has set stays with all, because the verdict is about it.
  std::vector<Problem> reset(std::string_view key);
  std::vector<Problem> reset();

  /// Folds or unfolds the words beside the picture.
  void fold_words(bool folded);

 private:
  enum class Entering { opening, fresh, keeping_edits };

  std::vector<Problem> enter(const LectureStep& step, Entering entering);
  std::vector<Problem> replace(const std::shared_ptr<const Lecture>& lecture);
  void go_on_in_review();
  void open_reviewed();
  template <class Edit>
  void answer_with(Edit&& edit);
  bool answer_is_set() const;
  bool is_missed() const;
  bool compute_answer();
  std::vector<Problem> experiment_with(const std::vector<std::string>& assignments);
  std::vector<Problem> follow_setting(const Link& link);

  Session& session_;
};

/// The lecture after (+1) or before (-1) the open one, or the first if none is open; null if there is none.
const Lecture* lecture_beside(const Session& session, int direction);
/// The review whose question is shown, or about to be; null if there is none.
const Review* review_of(const Session& session);
/// Whether there is a next or previous step, in a review a next question, or without a lecture a next or previous
/// tensor.
bool can_step(const Session& session, int direction);
/// The view of the session's wanted_step(): the shown one, or that of the step that is being computed.
View wanted_view(const Session& session);
/// The answer in the present state; none before it is shown, or if there is not exactly one.
std::optional<double> answer_of(const Session& session);
/// The choice beside this one in the picture, in this direction; the same one at its edge. Of a question that is
/// answered in the picture.
double choice_beside(const Session& session, double choice, Direction direction);
/// Whether a link's settings are set. Computed once for each setup, because every frame asks.
bool is_set(const Session& session, const Link& link);
/// Whether anything differs from the step's numbers, apart from what the shown answer of its question has set.
bool differs_from_step(const Session& session);
/// How the shown numbers relate to the printed ones. It is about the shown setup, even while another one is being
/// computed.
Badge badge_of(const Session& session);
/// Whether the step asks, and its own selection is on what it asks for. Then only what a person points at is lit, so
/// that nothing gives the answer away.
bool points_at_answer(const Session& session);
/// What the step chooses about its matrix, as long as its tensor, or another one that is made alike, is selected.
const MatrixChoices& matrix_choices(const Session& session);
/// What it chooses about the picture of this tensor: rows and labels belong to the step's own one.
const MatrixChoices& matrix_choices(const Session& session, TensorId shown);
/// Whether the window shows the open lecture as a lesson: its words, picture and question alone, in large type. That is
/// how a lecture of the course opens. The others open in the workbench, and each opens as it was left, unless the
/// display says which of the two it is, as that of an exported picture. A slide is neither.
bool in_lesson_mode(const Session& session);
/// Whether the user has folded the words beside the picture.
bool words_folded(const Session& session);

}  // namespace headlight
