// The state of the app: one value that views read, and the functions that change it.
//
//   edit(setup)               a view changes a copy of wanted() and passes it back; the result is the problems, if any
//   edit_display(change)      the same for everything that doesn't change a number
//   Selecting(session)        the selection: hovering, pinning, moving from cell to cell
//   Lesson(session)           lectures: steps, questions, links
//   Trainer(session)          training
//   Drafting(session)         the text that a model writes
//   Checking(session)         state A, and arrays to check
//   request(request)          what only the shell can do: clipboard, pictures, files, quitting
//
// Nothing here draws. A session computes before a call returns, unless it works in the background. Then a computation
// that takes longer than a part of a frame runs on another thread, and until it is done everything except wanted(), its
// step, its changes and the history is about the last complete trace.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/display/display.hpp"
#include "app/session/display/ink.hpp"
#include "app/session/display/selection.hpp"
#include "app/session/state/lesson_state.hpp"
#include "app/session/state/request.hpp"
#include "app/session/state/session_state.hpp"
#include "app/session/state/setup_history.hpp"
#include "app/session/state/step_words.hpp"
#include "app/session/state/trail.hpp"
#include "app/session/state/training_pace.hpp"
#include "app/session/worker.hpp"
#include "core/formats/layers/open_model.hpp"
#include "core/lecture/lecture.hpp"
#include "core/lecture/live_text.hpp"
#include "core/model/trace.hpp"
#include "core/setup/changes.hpp"

namespace headlight {

class Session {
 public:
  /// Throws InputError if the setup cannot be computed. Without `threads` the session makes its own.
  explicit Session(const Setup& setup = {}, std::int64_t memory_limit = default_memory_limit,
                   std::shared_ptr<Threads> threads = std::make_shared<Threads>());
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  /// Another session that shows the same, without a history, to see where something would lead.
  Session twin() const;

  // --- Reading -------------------------------------------------------------------------------------------------------

  const SessionState& state() const { return state_; }
  /// Increases whenever state() changes: frames with the same revision look the same.
  std::uint64_t revision() const { return revision_; }
  /// The setup of the shown trace, which every cell, shape and selection refers to.
  const Setup& setup() const { return state_.trace->setup; }
  /// The setup that was requested last. Controls show it and edits start from it. It differs from setup() only while it
  /// is being computed.
  const Setup& wanted() const { return pending_ ? pending_->task.setup : setup(); }
  const Trace& trace() const { return *state_.trace; }
  /// All layers of the model that is computed; trace() is one of them.
  const ModelTrace& model_trace() const { return state_.layers; }
  /// The trace with the cell, which may be in a layer that isn't shown.
  const Trace& trace_of(const Cell& cell) const { return state_.layers.at(cell.layer); }
  /// Statistics of the trace that were computed in the background: all, some, or none.
  const TraceSummary& summary() const { return summary_; }
  const Display& display() const { return state_.display; }
  const Selection& selection() const { return state_.selection; }
  /// The open lecture, its shown step, and the user's answers.
  const LessonState& lesson() const { return state_.lesson; }
  /// The words of the shown step with their numbers; null without a lecture. In the background, numbers that take long
  /// to compute are dashes at first.
  std::shared_ptr<const StepWords> step_words() const {
    return kept_words_.of(state_, in_background() ? threads_.get() : nullptr);
  }
  /// Whether words have such dashes, so that take_in() should be called again soon.
  bool words_wait() const { return kept_words_.waits(); }
  /// The step that wanted() belongs to: the shown one, or the one whose setup is being computed.
  LectureStep wanted_step() const;
  /// How wanted() differs from its step's setup; empty if no lecture is open.
  const std::vector<Change>& changes() const { return pending_ ? pending_->changes : *state_.lesson.changes; }
  /// The lectures that can be opened by id.
  const std::vector<std::shared_ptr<const Lecture>>& lectures() const { return lectures_; }
  /// The pinned cells, for back and forward.
  const Trail<Pin>& pins() const { return pins_; }
  /// The cell that all explanations are about: the pinned one, else the hovered one, else the selected one.
  Cell cell() const;
  /// The tensors that the last edit recomputed.
  const std::vector<TensorId>& recomputed() const { return recomputed_; }
  /// The duration of the last computation; none if the session does not measure time.
  std::optional<double> compute_seconds() const { return compute_seconds_; }
  /// Turns the measuring of compute_seconds on or off. Turn it off to get the same picture every time.
  void set_timed(bool timed);

  /// How many bytes a trace may take.
  std::int64_t memory_limit() const { return memory_limit_; }
  /// The program's threads, for computations on what is shown.
  const std::shared_ptr<Threads>& threads() const { return threads_; }

  // --- In the background -------------------------------------------------------------------------------------------

  /// From now on no call takes longer than about `longest` seconds, as far as that can be estimated in advance. Longer
  /// computations run on another thread. Infinity turns this off. A `slice` is for a program without threads: there
  /// each take_in() works for so many seconds, and the wake function is called as long as there is something to do.
  void compute_in_background(double longest = 0.004, std::optional<double> slice = {});
  bool in_background() const { return longest_in_frame_.has_value(); }
  /// `wake` is called on another thread when a result is ready for take_in(). After another set_wake() returns, the old
  /// function is no longer called.
  void set_wake(std::function<void()> wake);
  /// Takes results of background computations; returns whether the state changed. Call it before each frame.
  bool take_in();
  /// The progress of computing wanted(), from 0 to 1.
  double progress() const;
  /// Escape: goes back to the setup of the shown trace, as if nothing had been requested since.
  void stop_computing();
  /// Returns when wanted() is shown or refused, or after `seconds`.
  void wait(double seconds = std::numeric_limits<double>::infinity());
  /// Marks the trace as a stand-in, whose numbers must not be seen. It ends when another trace is shown, or when
  /// computing it is stopped.
  void begin_blank();
  /// Calls `act` when wanted() is shown: now if it is shown already, and never if something else is requested first.
  void when_shown(std::function<void(Session&)> act);

  // --- The setup -----------------------------------------------------------------------------------------------------

  /// Computes the setup and adds the old one to the history. If it cannot be computed, returns the problems and changes
  /// nothing except state().problems. In the background, problems that only computing reveals appear there later.
  /// Successive edits with the same non-empty gesture ("temperature", "paint mask") are one step of undo, until
  /// end_gesture().
  std::vector<Problem> edit(const Setup& next, std::string_view gesture = {});
  void end_gesture() { history_.end_gesture(); }
  /// Shows another layer of the model that is computed. It changes no number, so undo knows nothing of it.
  void look_at_layer(Index layer);
  /// Starts anew with the setup: closes the lecture, and the model unless the setup is a layer of `model`.
  std::vector<Problem> open_setup(const Setup& setup, std::shared_ptr<const OpenModel> model = nullptr);
  /// Which opening of a setup, a lecture or a layer led to wanted(). Edits and steps keep it, and undo and redo return
  /// to that of what they show. A file that belongs to one opening is not written with another.
  std::uint64_t start() const { return start_; }
  bool can_undo() const { return history_.can_undo(); }
  bool can_redo() const { return history_.can_redo(); }
  void undo();
  void redo();
  /// What they would undo and redo: "Temperature 1.00 → 2.00", "Step 3". Empty if there is nothing.
  std::string undo_words() const;
  std::string redo_words() const;
  /// The whole history, the oldest setup first: what led to each one, "Temperature 1.00 → 2.00"; empty for the first.
  std::vector<std::string> history_words() const { return history_.words(); }
  std::size_t history_position() const { return history_.position(); }
  /// Undoes or redoes until the setup at this position is shown.
  void go_to_history(std::size_t position);
  /// Makes the present setup the oldest that undo returns to. Called at startup, once all arguments are open.
  void forget_history();

  /// Opens a model, whose layers the view Layers shows; null closes it. The setup stays: see app/session/model/.
  void set_model(std::shared_ptr<const OpenModel> model);

  // --- Display -------------------------------------------------------------------------------------------------------

  /// Sets the display; options out of range are clamped.
  void set_display(const Display& display);
  /// Changes the present display: `edit` changes a copy of it.
  void edit_display(auto&& edit) {
    Display next = display();
    edit(next);
    set_display(next);
  }
  /// Sets what is drawn over the slide. It goes away with the picture under it.
  void set_ink(Ink ink);
  /// Covers the picture, or uncovers it. It goes away with the picture under it.
  void show_over(Over over);
  /// Opens a view; a view of the weights alone also selects them.
  void show(View view);

  // --- The shell -----------------------------------------------------------------------------------------------------

  void request(Request request);
  /// The requests since the last call.
  std::vector<Request> take_requests();
  /// `written` is the file that the notice is about, if it says that one was written.
  void notify(std::string notice, std::filesystem::path written = {});

 private:
  /// For twin().
  Session(std::int64_t memory_limit, std::shared_ptr<Threads> threads);
  friend class Checking;
  friend class Drafting;
  friend class Lesson;
  friend class Selecting;
  friend class Trainer;
  friend bool is_set(const Session& session, const Link& link);

  /// A step to go to together with a setup.
  struct Destination {
    LectureStep step;                     ///< without a lecture: leaves the open one
    bool look = false;                    ///< also select the cell of the step
    std::optional<Setup> reference = {};  ///< becomes state A; none: state A stays
    std::optional<Setup> answered = {};   ///< computed beside it: what the answer to the step's question sets
  };

  /// The destination of showing a step. If the step changes settings, state A is its part's state.
  static Destination at_step(const LectureStep& step);

  /// The running computation, and the history before the first unfinished request.
  struct Pending {
    Task task;
    std::optional<Destination> destination;  ///< none: the session's step when it is done
    SetupHistory history;
    bool passing = false;         ///< the last entry of `history` is an intermediate one of the gesture
    std::vector<Change> changes;  ///< from the setup of its lecture's step
    std::vector<std::function<void(Session&)>> then = {};
  };

  /// All changes of the state go through here, so that the revision rises exactly when the state differs.
  template <class Edit>
  void change(Edit&& edit) {
    SessionState next = state_;
    edit(next);
    if ((!next.ink.empty() || next.over != Over::nothing) && !shows_same_picture(next, state_)) {
      next.ink.clear();
      next.over = Over::nothing;
    }
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
  void show(const Outcome& outcome, const std::optional<Destination>& destination);
  Task task_for(const Setup& target, const std::optional<Destination>& destination) const;
  bool needs_no_more(const Task& task) const;
  Outcome shown() const;
  bool return_to(const HistoryEntry& entry);
  /// Selects the cell of the shown step and opens its view, as if all steps from the first one had been shown.
  void look_at_step();
  /// Selects the answer's cell once it shows, if it is in the selected matrix and nobody has pinned another than a
  /// guess: else the strongest frame would stand at a number that isn't the answer.
  void look_at_answer();
  /// Marks the shown step as seen, or its question as answered.
  void mark_step();
  /// Stops going through the lecture by itself.
  void stop_steps();
  /// The same, stops training, and ends the gesture.
  void stop_playing();
  /// Selects. A click on a cell that the lecture's step asks about answers the question.
  void choose(const Selection& selection, bool pinned);
  HistoryEntry entry() const { return {wanted(), wanted_step(), start_, state_.model, state_.draft}; }
  /// What was written goes with what it was written for.
  void forget_draft() {
    change([](SessionState& state) {
      state.draft = {};
      state.symbols_owed = 0;
    });
  }
  /// From now on wanted() belongs to another opening.
  void begin_start(std::shared_ptr<const OpenModel> model);

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
  /// Which links are set in a setup, by their targets.
  struct SetLinks {
    Setup setup;
    std::map<std::string, bool, std::less<>> found;
  };
  mutable SetLinks set_links_;
  mutable KeptWords kept_words_;
  Trail<Pin> pins_;
  /// The selection as the user chose it. The actual selection is the nearest one that the setup has, so that a setup
  /// that is small for a moment, while a sentence is typed, does not move it for good.
  Selection chosen_;
  std::uint64_t start_ = 0;
  std::uint64_t last_start_ = 0;
  double seconds_on_step_ = 0;
  TrainingPace pace_;
  std::vector<std::shared_ptr<const Lecture>> lectures_;
  std::vector<Request> requests_;
};

}  // namespace headlight
