// Going through a lecture: opening it, its steps, its questions, the links in its words, and what the person changed.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/display/badge.hpp"
#include "app/session/lesson_state.hpp"
#include "core/lecture/lecture.hpp"
#include "core/lecture/live_text.hpp"
#include "core/model/problem.hpp"

namespace headlight {

class Session;

/// What it changes is in Session::lesson(). A setup is computed as by Session::edit(): in the background the step that
/// is shown changes later.
class Lesson {
 public:
  explicit Lesson(Session& session) : session_(session) {}

  /// Sets the lectures that can be opened by id. If one of them is open, its new version replaces it; the step and the
  /// person's own edits stay.
  std::vector<Problem> set_lectures(std::vector<std::shared_ptr<const Lecture>> lectures);
  /// Opens the lecture at a step (from 0, clamped) with the step's setup, selection and view. Returns the problems and
  /// changes nothing if it cannot be computed or no lecture has the id.
  std::vector<Problem> open(std::string_view id, std::size_t step = 0);
  std::vector<Problem> open(const Lecture& lecture, std::size_t step = 0);
  std::vector<Problem> open(const std::shared_ptr<const Lecture>& lecture, std::size_t step = 0);
  /// Goes to the first step of the open lecture, drops the person's edits (undo brings them back), and asks anew.
  void restart();
  /// Closes the lecture and keeps the setup.
  void close();

  /// Goes to a step. Within the same setup the person's edits stay, but what the answer of a question has set is
  /// reset; another part, or what a step sets, brings its own.
  /// A step that sets something keeps its part's state as A. A step shows the same cell and the same view from
  /// whichever side one comes; what it does not say itself is that of the step before.
  void go_to(std::size_t step);
  /// Shows the next (+1) or previous (-1) step; without a lecture the next or previous tensor.
  void step_by(int direction);
  void set_playing(bool playing);
  /// Lets time pass while playing: shows the next step every few seconds and stops at the last. An edit stops it too.
  void advance(double seconds);

  /// Answers the question of the step with one of its choices (from 0), or with a number.
  void guess(double guess);
  void show_hint();
  /// Shows the answer; a question that sets something does so first, and keeps the state before as A.
  void show_answer();
  /// Forgets what was said to the question, and resets what its answer has set.
  void ask_again();
  /// Sets what was said to the questions of the open lecture in an earlier session.
  void set_answers(std::map<std::size_t, AnswerState> answers);

  /// Does what a link in the lecture's words says. Returns the problems if a setting does not fit.
  std::vector<Problem> follow(const Link& link);
  /// Sets one key, or all, back to the lecture's value. A value that does not fit the rest is adapted if possible.
  std::vector<Problem> reset(std::string_view key);
  std::vector<Problem> reset();

  /// Folds the words beside the picture away, or shows them.
  void fold_words(bool folded);

 private:
  friend class Session;
  enum class Entering { fresh, keeping_edits };

  std::vector<Problem> enter(const LectureStep& step, Entering entering);
  std::vector<Problem> replace(const std::shared_ptr<const Lecture>& lecture);
  void look_at_step();
  template <class Edit>
  void answer_with(Edit&& edit);
  bool answer_is_set() const;
  std::vector<Problem> experiment_with(const std::vector<std::string>& assignments);
  std::vector<Problem> follow_setting(const Link& link);

  Session& session_;
};

/// With a lecture: whether there is a next or previous step. Without: whether there is a next or previous tensor.
bool can_step(const Session& session, int direction);
/// The answer of the present state; none before it shows, and if there is not exactly one.
std::optional<double> answer_of(const Session& session);
/// Whether what a link sets is set. It is found once for each setup, because every frame asks.
bool is_set(const Session& session, const Link& link);
/// What the shown numbers have to do with those that were printed. It is about the shown setup, also while another one
/// is being computed.
Badge badge_of(const Session& session);
/// Whether the words beside the picture are folded away: as the person wants it, or else if the setup is no longer the
/// one that the lecture talks about.
bool words_folded(const Session& session);

}  // namespace headlight
