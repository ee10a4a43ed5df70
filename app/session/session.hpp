// The state of the app: one object that views read as a value and change through a few verbs.
//
//   edit(setup)         a view edits a copy of wanted() and passes it; it is applied, or its problems are returned
//   set_display(d)      the same for everything that changes no number
//   hover, pin, ...     the selection
//   open_lecture, ...   the lecture
//   request(...)        what only the shell can do: clipboard, pictures, files, quitting
//
// Nothing here draws or reads files. A session computes what is asked for before the call returns, unless it works in
// the background: then a computation that takes longer than a part of a frame runs on another thread, and until it is
// done everything except wanted() and the history stays with the last complete trace.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/author/authoring.hpp"
#include "app/session/check/checked_work.hpp"
#include "app/session/check/mistaken.hpp"
#include "app/session/display/badge.hpp"
#include "app/session/display/display.hpp"
#include "app/session/edits/changes.hpp"
#include "app/session/lecture_place.hpp"
#include "app/session/request.hpp"
#include "app/session/selection.hpp"
#include "app/session/setup_history.hpp"
#include "app/session/trail.hpp"
#include "app/session/training/training_play.hpp"
#include "app/session/worker.hpp"
#include "core/lecture/lecture.hpp"
#include "core/lecture/link.hpp"
#include "core/model/shapes.hpp"
#include "core/model/trace.hpp"
#include "core/stages/table.hpp"

namespace headlight {

/// What the person has said to the question of a step.
struct Answering {
  std::optional<double> guess;  ///< a place among the choices, or a number
  bool hint = false;            ///< the hint shows
  bool shown = false;           ///< the answer shows

  friend bool operator==(const Answering&, const Answering&) = default;
};

/// An experiment that the lecture's words or question made: the setups before and after.
struct Experiment {
  Setup before;
  Setup after;
};

/// Everything that a frame shows. Two states that compare equal look the same.
struct SessionState {
  std::shared_ptr<const Trace> trace;        ///< never null; holds the setup
  std::shared_ptr<const Course> course;      ///< what is known of its training; null without a task
  TrainingPlay training;                     ///< whether the layer is learning now
  std::shared_ptr<const Trace> reference;    ///< state A of the compare view; null if there is none
  CheckedWork work;                          ///< somebody's arrays that the compare view checks
  std::shared_ptr<const Mistaken> mistaken;  ///< the work that the lecture's step checks instead; null if it has none
  Selection selection;
  bool pinned = false;
  std::optional<Cell> hovered;
  std::shared_ptr<const OpenLecture> lecture;  ///< null if no lecture is open
  std::size_t step = 0;
  std::map<std::size_t, Answering> answers;      ///< by the step of the open lecture, as far as anything was said
  std::shared_ptr<const Experiment> experiment;  ///< the last of the step; null if there was none
  std::shared_ptr<const Authoring> authoring;    ///< the lecture that is being written; null if none is
  bool playing = false;
  Display display;
  bool computing = false;         ///< wanted() is being computed; `trace` is the last complete one
  bool blank = false;             ///< and `trace` is only a stand-in, because nothing has been complete yet
  std::vector<Problem> problems;  ///< of the last edit, if it was refused
  std::string notice;             ///< one line for the status bar: "Copied scores[0,1,2,0]"

  friend bool operator==(const SessionState&, const SessionState&) = default;
};

class Session {
 public:
  /// Throws InputError where the setup cannot be computed. Without the program's threads it has some of its own.
  explicit Session(const Setup& setup = {}, std::int64_t memory_limit = default_memory_limit,
                   std::shared_ptr<Threads> threads = std::make_shared<Threads>());
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  // --- Reading -------------------------------------------------------------------------------------------------------

  const SessionState& state() const { return state_; }
  /// Rises whenever state() changes: a frame with the same revision looks the same.
  std::uint64_t revision() const { return revision_; }
  /// The setup of the trace that is shown: what every cell, shape and selection is about.
  const Setup& setup() const { return state_.trace->setup; }
  /// The setup that was asked for last, which controls show and edits start from. It differs from setup() only while it
  /// is being computed.
  const Setup& wanted() const { return pending_ ? pending_->task.setup : setup(); }
  const Trace& trace() const { return *state_.trace; }
  /// Statistics of the trace that were computed in the background: all, some, or none.
  const TraceSummary& summary() const { return summary_; }
  const Display& display() const { return state_.display; }
  const Selection& selection() const { return state_.selection; }
  /// The cell that all explanations are about: the pinned one; else the hovered one; else the selected one.
  Cell cell() const;
  /// The tensors that the last edit computed anew.
  const std::vector<TensorId>& recomputed() const { return recomputed_; }
  /// How many seconds the last computation took; none if the session does not measure time.
  std::optional<double> compute_seconds() const { return compute_seconds_; }
  /// Turns the measuring of compute_seconds on or off. Turn it off to get the same picture every time.
  void set_timed(bool timed);

  /// The program's threads, for computations on what is shown.
  const std::shared_ptr<Threads>& threads() const { return threads_; }

  // --- In the background -------------------------------------------------------------------------------------------

  /// From now on no call takes longer than about `longest` seconds, as far as that can be estimated beforehand; longer
  /// computations run on another thread. Infinity turns this off.
  void compute_in_background(double longest = 0.004);
  bool in_background() const { return longest_in_frame_.has_value(); }
  /// `wake` is called on another thread when a result is ready for take_in(). After another set_wake() returns, the old
  /// function is no longer called.
  void set_wake(std::function<void()> wake);
  /// Takes over results of background computations; true if the state changed. To be called before each frame.
  bool take_in();
  /// How much of wanted() is computed, from 0 to 1.
  double progress() const;
  /// Escape: goes back to the setup of the shown trace, as if nothing had been asked for since.
  void stop_computing();
  /// Returns when wanted() is shown or refused, or after `seconds`.
  void wait(double seconds = std::numeric_limits<double>::infinity());
  /// Says that what is shown so far is a stand-in: nobody asked for it, and nobody is to see its numbers. It ends when
  /// something is shown, or when computing it is called off.
  void begin_blank();
  /// Calls `act` when wanted() is shown: now if it is shown already, and never if something else is asked for first.
  void when_shown(std::function<void(Session&)> act);

  // --- The setup -----------------------------------------------------------------------------------------------------

  /// Computes the setup and puts the old one on the history. Returns the problems if it cannot be computed; then
  /// nothing changes except state().problems. In the background, problems that only computing reveals appear there
  /// later. Successive edits with the same non-empty gesture ("temperature", "paint mask") are one step of undo, until
  /// end_gesture().
  std::vector<Problem> edit(const Setup& next, std::string_view gesture = {});
  void end_gesture() { history_.end_gesture(); }
  /// Edits, and closes the lecture: the setup belongs to no lecture.
  std::vector<Problem> open_setup(const Setup& setup);
  bool can_undo() const { return history_.can_undo(); }
  bool can_redo() const { return history_.can_redo(); }
  void undo();
  void redo();
  /// Makes the present setup the oldest that undo returns to. Called at the start, once what was asked for is open.
  void forget_history();

  // --- Training ------------------------------------------------------------------------------------------------------

  // How far the layer has learnt is a part of the setup, training.steps. So going to another step is an edit: it is
  // undone as any other, and what goes on by itself is one step of undo.

  /// Lets the layer learn by itself, or stops it. Without a task nothing happens.
  void set_training(bool playing);
  void set_training_speed(TrainingSpeed speed);
  /// Goes to a step, from 0 on. Steps with the same gesture are one step of undo.
  std::vector<Problem> train_to(Index step, std::string_view gesture = {});
  /// Lets time pass while the layer learns: makes the steps that are due, unless others are being made. Where a step
  /// leaves numbers that are not finite, it stops at the one before.
  void advance_training(double seconds);
  /// The step that the shown weights have reached: fewer than the setup asks for where training has exploded.
  Index trained_steps() const;

  // --- The selection -------------------------------------------------------------------------------------------------

  /// Sets the cell under the mouse, or none. A cell that is not in the trace counts as none.
  void hover(const std::optional<Cell>& cell);
  /// Selects the cell and keeps it (after a click or a followed link). A cell that is not in the trace is ignored.
  void pin(const Cell& cell);
  /// Pins what cell() shows.
  void pin();
  /// Unpins the cell: the selection stays where it is, and hovering previews cells again.
  void release();
  /// Selects without pinning, and without adding to the cells that "back" returns to.
  void select(const Selection& selection);
  void select_tensor(TensorId tensor);
  /// Selects a tensor and opens a view that shows it: the present one if it does, else the pipeline.
  void look_at(TensorId tensor);
  void select_head(Index head);
  void select_batch(Index batch);
  /// Selects the next (+1) or previous (-1) visible head; the first follows the last.
  void step_head(int direction);
  void move(Direction direction);
  bool can_go_back() const { return pins_.can_go_back(); }
  bool can_go_forward() const { return pins_.can_go_forward(); }
  void go_back();
  void go_forward();
  /// Pins the cell that contributes most to this one, or the first cell that this one contributes to. False if there is
  /// none.
  bool walk_upstream();
  bool walk_downstream();

  // --- Display -------------------------------------------------------------------------------------------------------

  /// Sets the display; options out of range are brought into it.
  void set_display(const Display& display);
  /// Opens a view; one that is about the weights alone also selects them.
  void show(View view);
  /// Whether the words beside the picture are folded away: as the person wants it, or else where the setup is no longer
  /// the one that the lecture talks about.
  bool words_folded() const;
  void fold_words(bool folded);

  // --- Compare -------------------------------------------------------------------------------------------------------

  /// Keeps the present trace as state A.
  void set_reference();
  void clear_reference();
  /// Somebody's arrays, checked against the shown trace whenever either changes: those of the lecture's step, if it has
  /// any and nothing else was set since.
  const CheckedWork& work() const { return state_.mistaken ? state_.mistaken->work : state_.work; }
  void set_work(CheckedWork work);

  // --- Lectures ------------------------------------------------------------------------------------------------------

  /// Sets the lectures that can be opened by id. If one of them is open, its new version replaces it; the step and the
  /// person's own edits stay.
  std::vector<Problem> set_lectures(std::vector<std::shared_ptr<const Lecture>> lectures);
  const std::vector<std::shared_ptr<const Lecture>>& lectures() const { return lectures_; }
  /// Opens the lecture at a step (from 0, clamped) with the step's setup, selection and view. Returns the problems and
  /// changes nothing if it cannot be computed or no lecture has the id.
  std::vector<Problem> open_lecture(std::string_view id, std::size_t step = 0);
  std::vector<Problem> open_lecture(const Lecture& lecture, std::size_t step = 0);
  std::vector<Problem> open_lecture(const std::shared_ptr<const Lecture>& lecture, std::size_t step = 0);
  /// Goes to the first step of the open lecture, drops the person's edits (undo brings them back), and asks anew.
  void restart_lecture();
  /// Closes the lecture and keeps the setup.
  void close_lecture();
  const Lecture* lecture() const { return state_.lecture ? state_.lecture->lecture.get() : nullptr; }
  const Step* step() const;  ///< null if no lecture is open
  const Part* part() const;  ///< the part of the step; null if no lecture is open
  /// The setup that the lecture gives the step, without the person's edits; null if no lecture is open.
  const Setup* lecture_setup() const;
  /// The same for the step that wanted() belongs to.
  const Setup* wanted_lecture_setup() const;
  /// The lecture and the step that wanted() belongs to; null and 0 if there is none.
  const Lecture* wanted_lecture() const;
  std::size_t wanted_step() const { return here().step; }
  std::size_t step_count() const;
  /// Goes to a step. Within the same setup the person's edits stay, but what the answer of a question has set is taken
  /// back; another part, or what a step sets, brings its own.
  /// A step that sets something keeps its part's state as A. A step shows the same cell and the same view from
  /// whichever side one comes; what it does not say itself is that of the step before.
  void go_to_step(std::size_t step);
  /// With a lecture: whether there is a next or previous step. Without: whether there is a next or previous tensor.
  bool can_step(int direction) const;
  void step_by(int direction);
  void set_playing(bool playing);
  /// Lets time pass while playing: shows the next step every few seconds and stops at the last. An edit stops it too.
  void advance(double seconds);

  /// The question of the step; null if it has none.
  const Question* question() const;
  /// Whether the step asks, and the answer does not show yet.
  bool asks() const { return question() != nullptr && !answering().shown; }
  /// What was said to it. It is kept while the lecture is open; where the answer changed the setup first, it does not
  /// show any more when one comes back, because it may be about another state.
  Answering answering() const;
  /// Whether a cell is what the step asks about, so that no view shows its number yet.
  bool hides(const Cell& cell) const;
  void guess(double guess);
  void show_hint();
  /// Shows the answer; a question that sets something does so first, and keeps the state before as A.
  void show_answer();
  /// Forgets what was said to it, and takes back what its answer has set.
  void ask_again();
  /// Says to the questions of the open lecture's steps what was said to them before.
  void set_answers(std::map<std::size_t, Answering> answers);
  /// The answer of the present state; none before it shows, and where there is not exactly one.
  std::optional<double> answer() const;
  /// What the live numbers of the words are about.
  Scope scope() const;

  /// Does what a link in the lecture's words says. Returns the problems where a setting does not fit.
  std::vector<Problem> follow(const Link& link);
  /// Whether what a link sets is set. Every frame asks, so it is found once for each setup.
  bool is_set(const Link& link) const;

  /// How wanted() differs from the setup of its lecture's step; empty if no lecture is open. Every frame asks, so it is
  /// found once, where either comes to be another one.
  const std::vector<Change>& changes() const { return pending_ ? pending_->changes : changes_; }
  /// Sets one key, or all, back to the lecture's value. A value that does not fit the rest is adapted if possible.
  std::vector<Problem> reset_to_lecture(std::string_view key);
  std::vector<Problem> reset_to_lecture();
  Badge badge() const;

  /// Goes on writing a lecture with this: shows its step, or keeps in it why its draft is no lecture.
  void write(Authoring authoring);
  void end_writing();

  // --- The shell -----------------------------------------------------------------------------------------------------

  void request(Request request);
  /// The requests since the last call.
  std::vector<Request> take_requests();
  void notify(std::string notice);

 private:
  /// A place to go to together with a setup.
  struct Destination {
    LecturePlace place;
    bool look = false;  ///< also select the cell of the step
  };

  /// The computation under way, and the history as it was before the first unfinished request.
  struct Pending {
    Task task;
    std::optional<Destination> destination;  ///< none: the place where the session is when it is done
    SetupHistory history;
    bool passing = false;         ///< the last moment of `history` is an intermediate one of the gesture
    std::vector<Change> changes;  ///< from the setup of its lecture's part
    std::vector<std::function<void(Session&)>> then = {};
  };

  enum class Entering { fresh, keeping_edits };

  /// All changes of the state go through here, so that the revision rises exactly when the state differs.
  template <class Edit>
  void change(Edit&& edit) {
    SessionState next = state_;
    edit(next);
    if (next == state_) return;
    state_ = std::move(next);
    ++revision_;
  }
  std::vector<Problem> go_to(const Setup& target, const std::optional<Destination>& destination,
                             Meanwhile meanwhile = Meanwhile::stop);
  std::vector<Problem> refuse(std::vector<Problem> problems);
  void arrive(Outcome outcome, const std::optional<Destination>& destination);
  void pass(Outcome outcome);
  void call_off(const Pending& asked);
  void show(std::shared_ptr<const Trace> trace, const std::optional<Destination>& destination);
  bool return_to(const Moment& moment);
  void select_pin();
  void choose(const Selection& selection, bool pinned);
  bool walk_to(const std::optional<Cell>& next);
  std::vector<Problem> enter(const LecturePlace& place, Entering entering);
  std::vector<Problem> replace_lecture(const std::shared_ptr<const Lecture>& lecture);
  void look_at_step();
  bool answer_is_set() const;
  template <class Edit>
  void answer_with(Edit&& edit);
  std::shared_ptr<const Trace> trace_without_set() const;
  std::vector<Problem> experiment_with(const std::vector<std::string>& assignments);
  std::vector<Problem> follow_setting(const Link& link);
  /// The place where the session is, or the one that it is going to.
  LecturePlace here() const;
  Moment moment() const;

  std::int64_t memory_limit_;
  std::shared_ptr<Threads> threads_;
  std::unique_ptr<Worker> worker_;
  std::optional<double> longest_in_frame_;  ///< none: everything is computed before a call returns
  std::optional<Pending> pending_;
  bool timed_ = true;
  std::optional<double> compute_seconds_;
  std::vector<TensorId> recomputed_;
  TraceSummary summary_;
  SessionState state_;
  std::uint64_t revision_ = 1;
  SetupHistory history_;
  std::vector<Change> changes_;  ///< of the shown setup, from that of its lecture's part
  /// Which links are set in a setup, by their targets.
  struct SetLinks {
    Setup setup;
    std::map<std::string, bool, std::less<>> found;
  };
  mutable SetLinks set_links_;
  Trail<Selection> pins_;
  /// The selection as it was chosen. What is selected is the nearest to it that the setup has, so that a setup that is
  /// small for a while, as when a sentence is typed, moves nothing for good.
  Selection chosen_;
  double seconds_on_step_ = 0;
  TrainingPace pace_;
  std::vector<std::shared_ptr<const Lecture>> lectures_;
  std::vector<Request> requests_;
};

}  // namespace headlight
