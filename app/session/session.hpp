// The state of the app: one object that views read as a value and change through a few verbs.
//
//   edit(setup)         a view edits a copy of wanted() and hands it in; it is applied, or its problems come back
//   set_display(d)      the same for everything that changes no number
//   hover, pin, ...     the selection
//   open_lecture, ...   the lecture
//   request(...)        what only the shell can do: clipboard, pictures, files, quitting
//
// Nothing here draws or reads files. A session computes what it is asked for before it returns, unless it was told to
// work in the background: then what takes longer than a part of a frame is computed beside it, and until that is there
// everything but wanted() and the history stays with the last complete trace.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/session/display/badge.hpp"
#include "app/session/display/display.hpp"
#include "app/session/edits/changes.hpp"
#include "app/session/export/export_choices.hpp"
#include "app/session/selection.hpp"
#include "app/session/trail.hpp"
#include "app/session/worker.hpp"
#include "core/lecture/lecture.hpp"
#include "core/model/shapes.hpp"
#include "core/model/trace.hpp"
#include "core/stages/table.hpp"

namespace headlight {

/// A lecture with the comparison of its printed facts, which is made once, when it is opened.
struct OpenLecture {
  std::shared_ptr<const Lecture> lecture;
  std::optional<std::vector<FactResult>> facts;  ///< none until they are compared, before a state shows it
};

/// Everything that a frame shows. Two states that compare equal look the same.
struct SessionState {
  std::shared_ptr<const Trace> trace;      ///< never null; holds the setup
  std::shared_ptr<const Trace> reference;  ///< state A of the compare view; null without one
  Selection selection;
  bool pinned = false;
  std::optional<Cell> hovered;
  std::shared_ptr<const OpenLecture> lecture;  ///< null without one
  std::size_t step = 0;
  bool playing = false;
  Display display;
  bool computing = false;         ///< wanted() is on its way; the trace is the last complete one
  std::vector<Problem> problems;  ///< of the last edit, where it was refused
  std::string notice;             ///< one line for the status bar: "Copied scores[0,1,2,0]"

  friend bool operator==(const SessionState&, const SessionState&) = default;
};

/// What the shell is asked to do.
struct CopyText {
  std::string text;
  friend bool operator==(const CopyText&, const CopyText&) = default;
};
struct TakeScreenshot {
  friend bool operator==(TakeScreenshot, TakeScreenshot) = default;
};
struct OpenFile {
  friend bool operator==(OpenFile, OpenFile) = default;
};
/// The setup into its file; into one that is asked for where it has none, or where another name is wanted.
struct SaveSetup {
  bool under_another_name = false;
  friend bool operator==(SaveSetup, SaveSetup) = default;
};
/// The setup and the selection as the beginning of a lecture file.
struct StartLecture {
  friend bool operator==(StartLecture, StartLecture) = default;
};
/// The dialog for everything that can be taken away; opened with a choice of what.
struct OpenExport {
  std::optional<ExportWhat> what;
  friend bool operator==(const OpenExport&, const OpenExport&) = default;
};
struct Quit {
  friend bool operator==(Quit, Quit) = default;
};
using Request = std::variant<CopyText, TakeScreenshot, OpenFile, SaveSetup, StartLecture, OpenExport, Quit>;

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
  /// The setup that was asked for last: what controls show and edits start from. The same, unless it is on its way.
  const Setup& wanted() const { return pending_ ? pending_->task.setup : setup(); }
  const Trace& trace() const { return *state_.trace; }
  /// What was worked out of it beside the frames: all, a part, or nothing.
  const TraceSummary& summary() const { return summary_; }
  const Display& display() const { return state_.display; }
  const Selection& selection() const { return state_.selection; }
  /// The cell that everything explains: the pinned one; else the one under the mouse; else the selection's.
  Cell cell() const;
  /// The stages that the last edit ran.
  const std::vector<TensorId>& recomputed() const { return recomputed_; }
  /// How long that took; nothing where the session is not timed.
  std::optional<double> compute_seconds() const { return compute_seconds_; }
  /// Whether compute_seconds is measured. Who wants the same picture each time turns it off.
  void set_timed(bool timed);

  /// For whoever works something out of what is shown.
  const std::shared_ptr<Threads>& threads() const { return threads_; }

  // --- In the background -------------------------------------------------------------------------------------------

  /// From now on nothing that is asked for takes longer than `longest` seconds, as far as that can be told before.
  void compute_in_background(double longest = 0.004);
  bool in_background() const { return longest_in_frame_.has_value(); }
  /// Called on another thread when there is something to take in; no longer once this returns with another one.
  void set_wake(std::function<void()> wake);
  /// Takes in what was computed meanwhile; true where the state changed. Before each frame.
  bool take_in();
  /// How much of wanted() is computed, from 0 to 1.
  double progress() const;
  /// Esc: back to the setup of the trace that is shown, as if what came after it had never been asked for.
  void stop_computing();
  /// Returns when wanted() is shown or refused, or after so many seconds.
  void wait(double seconds = std::numeric_limits<double>::infinity());
  /// Acts once wanted() is shown: at once where it is, never where something else is asked for before.
  void when_shown(std::function<void(Session&)> act);

  // --- The setup -----------------------------------------------------------------------------------------------------

  /// Computes the setup and puts the old one on the history. Where it cannot be computed nothing changes except
  /// state().problems, which are returned too; in the background, what only the machine can tell follows later. Edits
  /// with the same non-empty gesture ("temperature", "paint mask") that follow each other are one step of undo, until
  /// end_gesture().
  std::vector<Problem> edit(const Setup& next, std::string_view gesture = {});
  void end_gesture() { gesture_.clear(); }
  /// A setup of its own: edits, and closes the lecture.
  std::vector<Problem> open_setup(const Setup& setup);
  bool can_undo() const { return setups_.can_go_back(); }
  bool can_redo() const { return setups_.can_go_forward(); }
  void undo();
  void redo();
  /// Makes the present setup the start, which undo goes back to: after a start has opened what it was asked for.
  void forget_history();

  // --- The selection -------------------------------------------------------------------------------------------------

  /// The cell under the mouse, or none. Cells that are not in the trace count as none.
  void hover(const std::optional<Cell>& cell);
  /// Selects the cell and keeps it (a click, a followed link). Cells that are not in the trace are ignored.
  void pin(const Cell& cell);
  /// Pins what cell() shows.
  void pin();
  /// Escape: the selection stays where it is, and hovering previews again.
  void release();
  /// Selects without pinning or leaving a trace on the trail.
  void select(const Selection& selection);
  void select_tensor(TensorId tensor);
  void select_head(Index head);
  void select_batch(Index batch);
  /// The next visible head in either direction (+1, -1), around the end.
  void step_head(int direction);
  void move(Direction direction);
  bool can_go_back() const { return pins_.can_go_back(); }
  bool can_go_forward() const { return pins_.can_go_forward(); }
  void go_back();
  void go_forward();
  /// Pins the cell that adds most to this one, or the first that this one goes into; false where there is none.
  bool walk_upstream();
  bool walk_downstream();

  // --- Display -------------------------------------------------------------------------------------------------------

  /// Options out of range are brought into it.
  void set_display(const Display& display);
  /// A view that is about the weights alone selects them.
  void show(View view);

  // --- Compare -------------------------------------------------------------------------------------------------------

  /// Keeps the present trace as state A.
  void set_reference();
  void clear_reference();

  // --- Lectures ------------------------------------------------------------------------------------------------------

  /// The lectures that can be opened by id. When one of them is open, the new version takes its place: the step stays,
  /// and so do the person's own edits.
  std::vector<Problem> set_lectures(std::vector<std::shared_ptr<const Lecture>> lectures);
  const std::vector<std::shared_ptr<const Lecture>>& lectures() const { return lectures_; }
  /// Opens it at a step (from 0, clamped): its part's setup, its selection, its view. Returns what is wrong with it and
  /// changes nothing where it cannot be computed, or where no lecture has the id.
  std::vector<Problem> open_lecture(std::string_view id, std::size_t step = 0);
  std::vector<Problem> open_lecture(const Lecture& lecture, std::size_t step = 0);
  std::vector<Problem> open_lecture(const std::shared_ptr<const Lecture>& lecture, std::size_t step = 0);
  /// The open lecture from its first step, without the person's edits (which undo brings back).
  void restart_lecture();
  /// The setup stays.
  void close_lecture();
  const Lecture* lecture() const { return state_.lecture ? state_.lecture->lecture.get() : nullptr; }
  const Step* step() const;  ///< null without a lecture
  const Part* part() const;  ///< the part of the step; null without a lecture
  /// The part whose setup wanted() is, or was before the person's edits; null without a lecture.
  const Part* wanted_part() const;
  std::size_t step_count() const;
  /// The person's edits stay while the part does; another part brings its own setup.
  void go_to_step(std::size_t step);
  /// With a lecture its next or previous step; without one the next or previous tensor of the forward pass.
  bool can_step(int direction) const;
  void step_by(int direction);
  void set_playing(bool playing);
  /// Lets time pass while playing: a step every few seconds, and an end at the last one.
  void advance(double seconds);

  /// How wanted() differs from the setup of its lecture's part; empty without a lecture.
  std::vector<Change> changes() const;
  /// One key, or everything, back to the lecture's value. A key that does not fit the rest is made to fit if possible.
  std::vector<Problem> reset_to_lecture(std::string_view key);
  std::vector<Problem> reset_to_lecture();
  Badge badge() const;

  // --- The shell -----------------------------------------------------------------------------------------------------

  void request(Request request);
  /// Hands over what was asked for since the last call.
  std::vector<Request> take_requests();
  void notify(std::string notice);

 private:
  /// A setup on the history, with the place in the lecture where it was last seen.
  struct Moment {
    Setup setup;
    std::shared_ptr<const OpenLecture> lecture;
    std::size_t step = 0;
  };

  /// A place in a lecture (or in none) to go to with a setup.
  struct Place {
    std::shared_ptr<const OpenLecture> lecture;
    std::size_t step = 0;
    bool look = false;  ///< select what the step points at
  };

  /// What is being computed, and the history as it was before anything of it was asked for.
  struct Pending {
    Task task;
    std::optional<Place> place;  ///< none: where the session is by then
    Trail<Moment> history;
    bool passing = false;  ///< the last moment of that history is one that the gesture passed through
    std::vector<std::function<void(Session&)>> then = {};
  };

  enum class Entering { fresh, keeping_edits };

  /// The one way in which the state changes: the revision rises exactly when it differs afterwards.
  template <class Edit>
  void change(Edit&& edit) {
    SessionState next = state_;
    edit(next);
    if (next == state_) return;
    state_ = std::move(next);
    ++revision_;
  }
  std::vector<Problem> go_to(const Setup& target, const std::optional<Place>& place,
                             Meanwhile meanwhile = Meanwhile::stop);
  std::vector<Problem> refuse(std::vector<Problem> problems);
  void arrive(Outcome outcome, const std::optional<Place>& place);
  void pass(Outcome outcome);
  void call_off(const Pending& asked);
  void show(std::shared_ptr<const Trace> trace, const std::optional<Place>& place);
  bool return_to(const Moment& moment);
  void select_pin();
  std::vector<Problem> enter(const std::shared_ptr<const OpenLecture>& opened, std::size_t step, Entering entering);
  std::vector<Problem> replace_lecture(const std::shared_ptr<const Lecture>& lecture);
  void replace_in_history(const std::shared_ptr<const OpenLecture>& old,
                          const std::shared_ptr<const OpenLecture>& next);
  void remember();
  void look_at_step();
  /// Where the session is, or where it is on its way to.
  Place here() const;
  Moment moment() const;

  std::int64_t memory_limit_;
  std::shared_ptr<Threads> threads_;
  std::unique_ptr<Worker> worker_;
  std::optional<double> longest_in_frame_;  ///< none: everything is computed before a verb returns
  std::optional<Pending> pending_;
  bool timed_ = true;
  std::optional<double> compute_seconds_;
  std::vector<TensorId> recomputed_;
  TraceSummary summary_;
  SessionState state_;
  std::uint64_t revision_ = 1;
  Trail<Moment> setups_;
  std::string gesture_;
  Trail<Selection> pins_;
  double seconds_on_step_ = 0;
  std::vector<std::shared_ptr<const Lecture>> lectures_;
  std::vector<Request> requests_;
};

}  // namespace headlight
