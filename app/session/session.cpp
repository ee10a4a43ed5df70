#include "app/session/session.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/session/edits/changes.hpp"
#include "app/session/edits/task_edits.hpp"
#include "app/session/walk.hpp"
#include "core/engine/cost.hpp"
#include "core/engine/engine.hpp"
#include "core/formats/setup/setup_overrides.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

/// While dragging, intermediate states are shown if each takes at most this many seconds to compute.
constexpr double longest_passing = 0.25;

std::optional<Cell> existing(const std::optional<Cell>& cell, const Setup& setup) {
  return cell && contains(setup, *cell) ? cell : std::nullopt;
}

std::vector<Change> changes_in(const LecturePlace& place, const Setup& own) {
  const Setup* const told = place.setup();
  return told ? changes(*told, own) : std::vector<Change>{};
}

constexpr double seconds_per_step = 6;

constexpr std::string_view only_with_a_task = "Learn shows a layer that learns: choose a task in the setup first";

constexpr std::string_view training_gesture = "train";

/// Whether the answer to a step's question changes the setup first.
bool changes_setup(const std::shared_ptr<const OpenLecture>& lecture, std::size_t step) {
  if (!lecture || step >= lecture->lecture->steps.size()) return false;
  const auto& question = lecture->lecture->steps[step].question;
  return question && !question->set.empty();
}

void hide_answer(SessionState& state, std::size_t step) {
  if (const auto found = state.answers.find(step); found != state.answers.end()) found->second.shown = false;
}

/// The display, with a view that there is.
Display shown_with(const Setup& setup, Display display) {
  if (info(display.view).of_task && !setup.has_task()) display.view = View::pipeline;
  return fitting(std::move(display), setup.sizes.heads);
}

}  // namespace

Session::Session(const Setup& setup, std::int64_t memory_limit, std::shared_ptr<Threads> threads)
    : memory_limit_(memory_limit),
      threads_(std::move(threads)),
      worker_(std::make_unique<Worker>(memory_limit, threads_)) {
  Outcome outcome = worker_->perform({setup, nullptr});
  if (!outcome.trace) throw InputError(std::move(outcome.problems));
  state_.trace = std::move(outcome.trace);
  state_.course = std::move(outcome.course);
  recomputed_ = std::move(outcome.recomputed);
  summary_ = std::move(outcome.summary);
  history_.visit(moment());
}

Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

void Session::set_timed(bool timed) {
  timed_ = timed;
  if (!timed) compute_seconds_.reset();
}

LecturePlace Session::here() const {
  return pending_ && pending_->destination ? pending_->destination->place : LecturePlace{state_.lecture, state_.step};
}

Moment Session::moment() const { return {wanted(), here()}; }

// --- From a setup to its trace ---------------------------------------------------------------------------------------

/// All changes of the trace go through here. The setup is checked at once, then computed now if that is quick, else by
/// the worker.
std::vector<Problem> Session::go_to(const Setup& target, const std::optional<Destination>& destination,
                                    Meanwhile meanwhile) {
  const bool unchecked = destination && destination->place.is_unchecked();
  const Task task{target, unchecked ? destination->place.lecture->lecture : nullptr,
                  std::min(selection().batch, target.sizes.batch - 1)};
  if (auto found = refusals(target, memory_limit_); !found.empty()) return refuse(std::move(found));
  if (target == setup() && !unchecked) {  // the target is shown already: a running computation is obsolete
    worker_->stop();
    pending_.reset();
    show(state_.trace, destination);
    return {};
  }
  const bool now = !longest_in_frame_ || (worker_->idle() && worker_->estimated_seconds(task) <= *longest_in_frame_);
  if (now) {
    worker_->stop();
    Outcome outcome = worker_->perform(task);
    if (!outcome.trace) return refuse(std::move(outcome.problems));
    pending_.reset();
    arrive(std::move(outcome), destination);
    return {};
  }
  if (!pending_ || pending_->task != task) worker_->start(task, meanwhile);
  const bool passing = pending_ && pending_->passing && meanwhile == Meanwhile::finish;
  pending_ = Pending{task, destination, pending_ ? std::move(pending_->history) : history_, passing,
                     changes_in(destination ? destination->place : LecturePlace{state_.lecture, state_.step}, target)};
  change([](SessionState& state) {
    state.computing = true;
    state.problems.clear();
  });
  ++revision_;  // wanted() has changed
  return {};
}

std::vector<Problem> Session::refuse(std::vector<Problem> problems) {
  change([&](SessionState& state) { state.problems = problems; });
  return problems;
}

/// Shows the outcome of a computation.
void Session::arrive(Outcome outcome, const std::optional<Destination>& destination) {
  recomputed_ = std::move(outcome.recomputed);
  summary_ = std::move(outcome.summary);
  if (timed_) compute_seconds_ = outcome.seconds;
  const Index steps = outcome.trace->setup.training.steps - setup().training.steps;
  if (steps > 0) pace_.took(steps, outcome.seconds);
  std::optional<Destination> checked = destination;
  if (destination && destination->place.is_unchecked()) {
    const auto& unchecked = destination->place.lecture;
    checked->place.lecture = std::make_shared<OpenLecture>(OpenLecture{unchecked->lecture, std::move(outcome.facts)});
    history_.replace_lecture(unchecked, checked->place.lecture);
  }
  change([&](SessionState& state) { state.course = outcome.course; });
  show(std::move(outcome.trace), checked);
}

/// Shows a trace, and adapts selection and display to it.
void Session::show(std::shared_ptr<const Trace> trace, const std::optional<Destination>& destination) {
  change([&](SessionState& state) {
    if (destination) {
      const bool elsewhere = state.lecture != destination->place.lecture || state.step != destination->place.step;
      if (state.lecture != destination->place.lecture) state.answers.clear();
      if (elsewhere) state.experiment.reset();
      state.lecture = destination->place.lecture;
      state.step = destination->place.step;
      if (elsewhere && changes_setup(state.lecture, state.step)) hide_answer(state, state.step);
    }
    const Setup& setup = trace->setup;
    state.selection = fitting(chosen_, setup);
    state.hovered = existing(state.hovered, setup);
    state.display = shown_with(setup, state.display);
    state.training.playing &= setup.has_task();
    state.computing = pending_.has_value();
    state.blank = false;
    state.problems.clear();
    state.trace = trace;
    state.mistaken = mistaken_work(LecturePlace{state.lecture, state.step}.shown_step(), *trace);
  });
  changes_ = changes_in({state_.lecture, state_.step}, setup());
  if (!destination) return;
  seconds_on_step_ = 0;
  if (destination->look && destination->place.lecture) look_at_step();
}

// --- In the background -----------------------------------------------------------------------------------------------

/// Infinity turns the background off: then everything is computed before the call returns.
void Session::compute_in_background(double longest) {
  longest_in_frame_ = std::isinf(longest) ? std::nullopt : std::optional(longest);
}

void Session::set_wake(std::function<void()> wake) { worker_->set_wake(std::move(wake)); }

bool Session::take_in() {
  if (!pending_) return false;
  std::optional<Outcome> outcome = worker_->take();
  if (!outcome) return false;
  const std::uint64_t before = revision_;
  if (outcome->superseded) {
    pass(std::move(*outcome));
    return revision_ != before;
  }
  const Pending asked = *std::exchange(pending_, std::nullopt);
  if (outcome->trace) {
    arrive(std::move(*outcome), asked.destination);
    for (const auto& act : asked.then) act(*this);
  } else {
    call_off(asked);
    refuse(std::move(outcome->problems));
  }
  return revision_ != before;
}

/// Shows an intermediate state of a gesture that is still on its way to pending_.
void Session::pass(Outcome outcome) {
  if (!outcome.trace) return;
  arrive(std::move(outcome), std::nullopt);
  const Moment shown{setup(), here()};
  if (pending_->passing) pending_->history.replace(shown);
  else pending_->history.visit(shown);
  pending_->passing = true;
}

double Session::progress() const { return worker_->progress(); }

void Session::stop_computing() {
  if (!pending_) return;
  worker_->stop();
  call_off(*std::exchange(pending_, std::nullopt));
}

/// Restores the history as it was before the first unfinished request.
void Session::call_off(const Pending& asked) {
  history_ = asked.history;
  end_gesture();
  history_.replace(moment());  // the step may have changed meanwhile
  change([](SessionState& state) { state.computing = state.blank = false; });
  ++revision_;  // wanted() has changed
}

void Session::begin_blank() {
  change([](SessionState& state) { state.blank = state.computing; });
}

void Session::wait(double seconds) {
  if (!pending_) return;
  worker_->wait(seconds);
  take_in();
}

void Session::when_shown(std::function<void(Session&)> act) {
  if (pending_) pending_->then.push_back(std::move(act));
  else act(*this);
}

// --- The setup -------------------------------------------------------------------------------------------------------

std::vector<Problem> Session::edit(const Setup& next, std::string_view gesture) {
  if (next == wanted()) {
    change([](SessionState& state) { state.problems.clear(); });
    return {};
  }
  set_playing(false);
  // While dragging, intermediate states are shown too if they are quick to compute; otherwise nothing would move until
  // the person stops dragging.
  const bool passing = history_.continues(gesture) && pending_ && !pending_->destination && pending_->then.empty() &&
                       estimated_seconds(pending_->task.setup, state_.trace.get()) < longest_passing;
  const auto destination = pending_ ? pending_->destination : std::nullopt;
  if (auto found = go_to(next, destination, passing ? Meanwhile::finish : Meanwhile::stop); !found.empty())
    return found;
  history_.record(moment(), gesture);
  return {};
}

std::vector<Problem> Session::open_setup(const Setup& setup) {
  set_training(false);
  end_gesture();
  if (auto found = go_to(setup, Destination{}); !found.empty()) return found;
  set_playing(false);
  history_.remember(moment());
  return {};
}

void Session::undo() {
  set_training(false);
  end_gesture();
  set_playing(false);
  if (can_undo() && return_to(history_.before())) history_.undo();
}

void Session::redo() {
  set_training(false);
  end_gesture();
  set_playing(false);
  if (can_redo() && return_to(history_.after())) history_.redo();
}

void Session::forget_history() {
  end_gesture();
  history_.forget_others();
}

/// If the moment belongs to the same part of the lecture, the step stays where it is.
bool Session::return_to(const Moment& moment) {
  std::optional<Destination> destination = Destination{moment.place};
  if (in_same_setup(here(), moment.place)) destination = pending_ ? pending_->destination : std::nullopt;
  return go_to(moment.setup, destination).empty();
}

// --- Training --------------------------------------------------------------------------------------------------------

void Session::set_training(bool playing) {
  if (playing == state_.training.playing || !setup().has_task()) return;
  pace_.begin();
  end_gesture();
  set_playing(false);
  change([&](SessionState& state) { state.training.playing = playing; });
}

void Session::set_training_speed(TrainingSpeed speed) {
  pace_.begin();
  change([&](SessionState& state) { state.training.speed = speed; });
}

std::vector<Problem> Session::train_to(Index step, std::string_view gesture) {
  if (gesture.empty()) end_gesture();
  return edit(with_steps(wanted(), step), gesture);
}

void Session::advance_training(double seconds) {
  if (!state_.training.playing || pending_) return;
  const Index from = setup().training.steps;
  if (trained_steps() < from || from == most_steps) {
    train_to(trained_steps(), training_gesture);
    return set_training(false);
  }
  const Index due = pace_.due(state_.training.speed, seconds);
  if (due > 0 && !train_to(from + due, training_gesture).empty()) set_training(false);
}

Index Session::trained_steps() const { return trace().learning ? trace().learning->steps : 0; }

// --- The selection ---------------------------------------------------------------------------------------------------

Cell Session::cell() const {
  if (!state_.pinned && state_.hovered) return *state_.hovered;
  return cell_of(state_.selection, setup());
}

void Session::hover(const std::optional<Cell>& cell) {
  change([&](SessionState& state) { state.hovered = existing(cell, setup()); });
}

void Session::choose(const Selection& selection, bool pinned) {
  chosen_ = fitting(selection, setup());
  if (pinned && hides(cell_of(chosen_, setup())))
    guess(static_cast<double>(*place_of(*question(), cell_of(chosen_, setup()), setup())));
  change([&](SessionState& state) {
    state.selection = chosen_;
    state.pinned = pinned;
  });
}

void Session::pin(const Cell& cell) {
  if (!contains(setup(), cell)) return;
  choose(at_cell(selection(), cell, setup()), true);
  if (pins_.empty() || pins_.current() != state_.selection) pins_.visit(state_.selection);
}

void Session::pin() { pin(cell()); }

void Session::release() {
  change([](SessionState& state) { state.pinned = false; });
}

void Session::select(const Selection& selection) { choose(selection, state_.pinned); }

void Session::select_tensor(TensorId tensor) { select(on_tensor(selection(), tensor, setup())); }

void Session::look_at(TensorId tensor) {
  if (shown_in(display().view, tensor) != tensor) show(View::pipeline);
  select_tensor(tensor);
}

void Session::select_head(Index head) {
  Selection next = selection();
  next.head = head;
  select(next);
}

void Session::select_batch(Index batch) {
  Selection next = selection();
  next.batch = batch;
  select(next);
}

void Session::step_head(int direction) {
  const Index heads = setup().sizes.heads;
  Index head = selection().head;
  do {
    head = (head + direction + heads) % heads;
  } while (display().heads.hides(head) && head != selection().head);
  select_head(head);
}

void Session::move(Direction direction) { select(moved(selection(), direction, setup())); }

void Session::go_back() {
  if (!can_go_back()) return;
  pins_.go_back();
  select_pin();
}

void Session::go_forward() {
  if (!can_go_forward()) return;
  pins_.go_forward();
  select_pin();
}

void Session::select_pin() { choose(pins_.current(), true); }

bool Session::walk_to(const std::optional<Cell>& next) {
  if (!next) return false;
  pin();
  pin(*next);
  return true;
}

bool Session::walk_upstream() { return walk_to(upstream_of(trace(), cell())); }

bool Session::walk_downstream() { return walk_to(downstream_of(trace(), cell())); }

// --- Display ---------------------------------------------------------------------------------------------------------

void Session::set_display(const Display& display) {
  change([&](SessionState& state) { state.display = shown_with(setup(), display); });
}

void Session::show(View view) {
  if (info(view).of_task && !setup().has_task()) return notify(std::string(only_with_a_task));
  change([&](SessionState& state) { state.display.view = view; });
  // A view about the weights alone selects them, so that explanations are about the weights too.
  if (info(view).of_weights) select_tensor(shown_in(view, selection().tensor));
}

bool Session::words_folded() const {
  if (display().words != WordsFold::automatic) return display().words == WordsFold::folded;
  // The picture stands still under the brush, and while two states of it are compared.
  if (lecture() == nullptr || display().painting || info(display().view).of_two_states) return false;
  // Numbers are changed in the picture itself, under the pointer, and a layer learns while one reads.
  // An experiment is what the words are about.
  if (state_.experiment && setup() == state_.experiment->after) return false;
  return std::any_of(changes_.begin(), changes_.end(), [](const Change& c) {
    return c.affects_numbers && c.key != "values" && c.key != "training.steps";
  });
}

void Session::fold_words(bool folded) {
  const auto with = [&](WordsFold words) {
    change([&](SessionState& state) { state.display.words = words; });
    return words_folded() == folded;
  };
  if (!with(WordsFold::automatic)) with(folded ? WordsFold::folded : WordsFold::unfolded);
}

// --- Compare ---------------------------------------------------------------------------------------------------------

void Session::set_reference() {
  change([](SessionState& state) { state.reference = state.trace; });
}

void Session::set_work(CheckedWork work) {
  change([&](SessionState& state) {
    state.work = std::move(work);
    state.mistaken.reset();
  });
}

void Session::clear_reference() {
  change([](SessionState& state) { state.reference.reset(); });
}

// --- Lectures --------------------------------------------------------------------------------------------------------

std::vector<Problem> Session::set_lectures(std::vector<std::shared_ptr<const Lecture>> lectures) {
  lectures_ = std::move(lectures);
  ++revision_;
  if (lecture() == nullptr) return {};
  const auto same_id = [&](const auto& candidate) { return candidate->id == lecture()->id; };
  const auto found = std::find_if(lectures_.begin(), lectures_.end(), same_id);
  return found == lectures_.end() ? std::vector<Problem>{} : replace_lecture(*found);
}

/// Replaces the open lecture by its new version from disk, also in the history, so that undo finds the new version.
std::vector<Problem> Session::replace_lecture(const std::shared_ptr<const Lecture>& lecture) {
  if (auto found = problems_of(*lecture); !found.empty()) return found;
  const auto old = state_.lecture;
  const auto entering = changes().empty() ? Entering::fresh : Entering::keeping_edits;
  if (auto found = enter(place_in(lecture, state_.step), entering); !found.empty()) return found;
  history_.replace_lecture(old, here().lecture);
  return {};
}

std::vector<Problem> Session::open_lecture(std::string_view id, std::size_t step) {
  const auto found = std::find_if(lectures_.begin(), lectures_.end(), [&](const auto& l) { return l->id == id; });
  if (found != lectures_.end()) return open_lecture(*found, step);
  std::string ids;
  for (const auto& lecture : lectures_) ids += (ids.empty() ? "" : ", ") + lecture->id;
  return {{"", "lecture", std::string(id), ids}};
}

std::vector<Problem> Session::open_lecture(const Lecture& lecture, std::size_t step) {
  return open_lecture(std::make_shared<const Lecture>(lecture), step);
}

std::vector<Problem> Session::open_lecture(const std::shared_ptr<const Lecture>& lecture, std::size_t step) {
  if (auto found = problems_of(*lecture); !found.empty()) return found;
  return enter(place_in(lecture, step), Entering::fresh);
}

void Session::restart_lecture() {
  if (!state_.lecture) return;
  change([](SessionState& state) { state.answers.clear(); });
  enter({state_.lecture, 0}, Entering::fresh);
}

std::vector<Problem> Session::enter(const LecturePlace& place, Entering entering) {
  set_training(false);
  end_gesture();
  set_playing(false);
  const Setup target = entering == Entering::fresh ? *place.setup() : wanted();
  if (auto found = go_to(target, Destination{place, true}); !found.empty()) return found;
  history_.remember(moment());
  return {};
}

void Session::close_lecture() {
  end_gesture();
  if (pending_ && pending_->destination) stop_computing();
  change([](SessionState& state) {
    state.lecture.reset();
    state.step = 0;
    state.answers.clear();
    state.playing = false;
  });
  changes_.clear();
  if (pending_) pending_->changes.clear();
  history_.remember(moment());
}

const Step* Session::step() const { return LecturePlace{state_.lecture, state_.step}.shown_step(); }

const Part* Session::part() const { return LecturePlace{state_.lecture, state_.step}.part(); }

const Setup* Session::lecture_setup() const { return LecturePlace{state_.lecture, state_.step}.setup(); }

const Setup* Session::wanted_lecture_setup() const { return here().setup(); }

const Lecture* Session::wanted_lecture() const {
  const LecturePlace place = here();
  return place.lecture ? place.lecture->lecture.get() : nullptr;
}

std::size_t Session::step_count() const { return lecture() ? lecture()->steps.size() : 0; }

void Session::go_to_step(std::size_t target) {
  if (target >= step_count()) return;
  set_training(false);
  end_gesture();
  if (pending_ && pending_->destination) stop_computing();  // it would go to another step
  const Destination destination{{state_.lecture, target}, true};
  const bool same = in_same_setup(here(), destination.place);
  if (same && target != state_.step && answer_is_set()) {
    if (!go_to(Setup(state_.experiment->before), destination).empty()) return;
  } else if (same) show(state_.trace, destination);
  else if (!go_to(*destination.place.setup(), destination).empty()) return;
  history_.remember(moment());
}

/// Selects the cell of the present step and opens its view, as they are where one steps there from the beginning.
void Session::look_at_step() {
  Selection selection;
  View view = View::pipeline;
  for (std::size_t i = 0; i <= state_.step; ++i) {
    const Step& passed = lecture()->steps[i];
    const bool same = passed.part == step()->part && passed.set == step()->set;
    selection = at_cell(selection, passed.look_at, same ? setup() : lecture()->setup_of(passed));
    view = view_named(passed.view).value_or(view);
  }
  if (state_.mistaken) view = View::compare;
  choose(selection, false);
  const std::shared_ptr<const Trace> before = step()->changed_setup ? trace_without_set() : state_.reference;
  change([&](SessionState& state) {
    state.hovered.reset();
    state.display.view = step()->compare ? View::compare : view;
    state.reference = before;
  });
}

/// The state that a step which sets something is compared with.
std::shared_ptr<const Trace> Session::trace_without_set() const {
  const Setup& before = part()->setup;
  if (state_.reference && state_.reference->setup == before) return state_.reference;
  return compute_trace(before, memory_limit_, threads_);
}

namespace {

/// The work with the mistake of the lecture's step; null where it has none.
const Trace* yours_in(const SessionState& state) { return state.mistaken ? &state.mistaken->trace : nullptr; }

}  // namespace

const Question* Session::question() const {
  const Step* const shown = step();
  return shown && shown->question ? &*shown->question : nullptr;
}

bool Session::hides(const Cell& cell) const { return asks() && place_of(*question(), cell, setup()).has_value(); }

Answering Session::answering() const {
  const auto found = state_.answers.find(state_.step);
  return found == state_.answers.end() ? Answering{} : found->second;
}

template <class Edit>
void Session::answer_with(Edit&& edit) {
  if (asks()) change([&](SessionState& state) { edit(state.answers[state.step]); });
}

void Session::guess(double guess) {
  answer_with([&](Answering& said) { said.guess = guess; });
}

void Session::show_hint() {
  answer_with([](Answering& said) { said.hint = true; });
}

void Session::show_answer() {
  if (!asks()) return;
  if (!question()->set.empty() && !experiment_with(question()->set).empty()) return;
  when_shown([](Session& session) { session.answer_with([](Answering& said) { said.shown = true; }); });
}

/// Whether the setup is what the answer of the step's question has made of it.
bool Session::answer_is_set() const {
  return question() && !question()->set.empty() && answering().shown && state_.experiment &&
         wanted() == state_.experiment->after;
}

void Session::ask_again() {
  if (question() == nullptr) return;
  if (answer_is_set()) edit(Setup(state_.experiment->before));
  change([](SessionState& state) { state.answers.erase(state.step); });
}

void Session::set_answers(std::map<std::size_t, Answering> answers) {
  change([&](SessionState& state) {
    state.answers = std::move(answers);
    for (std::size_t step = 0; step < step_count(); ++step)
      if (changes_setup(state.lecture, step)) hide_answer(state, step);
  });
}

std::optional<double> Session::answer() const {
  if (question() == nullptr || asks()) return std::nullopt;
  try {
    return answer_of(*question(), {trace(), state_.reference.get(), {}, {}, yours_in(state_)});
  } catch (const InputError&) {
    return std::nullopt;
  }
}

Scope Session::scope() const {
  return {trace(), state_.reference.get(), answering().guess, answer(), yours_in(state_)};
}

/// Changes settings for the lecture, and keeps the state before as A.
std::vector<Problem> Session::experiment_with(const std::vector<std::string>& assignments) {
  try {
    const Setup after = with_overrides(wanted(), assignments, "set");
    // What is set already, as after a new start, has the step's own state before it.
    const Setup before = after == wanted() && wanted_lecture_setup() ? *wanted_lecture_setup() : wanted();
    if (before == wanted()) set_reference();
    else change([&](SessionState& state) { state.reference = compute_trace(before, memory_limit_, threads_); });
    end_gesture();
    change(
        [&](SessionState& state) { state.experiment = std::make_shared<const Experiment>(Experiment{before, after}); });
    return edit(after);
  } catch (const InputError& error) {
    return refuse(error.problems());
  }
}

/// A link whose settings are set takes them back.
std::vector<Problem> Session::follow_setting(const Link& link) {
  if (is_set(link)) {
    end_gesture();
    if (state_.experiment && wanted() == state_.experiment->after) return edit(Setup(state_.experiment->before));
    return reset_to_lecture();
  }
  auto problems = experiment_with(link.assignments());
  if (problems.empty() && link.kind == Link::Kind::compare) show(View::compare);
  return problems;
}

std::vector<Problem> Session::follow(const Link& link) {
  switch (link.kind) {
    case Link::Kind::set:
    case Link::Kind::compare: return follow_setting(link);
    case Link::Kind::reset: return reset_to_lecture();
    case Link::Kind::open:
      if (const auto view = view_named(link.target)) show(*view);
      return {};
    case Link::Kind::step:
      if (const auto number = number_from<std::size_t>(link.target)) go_to_step(*number - 1);
      return {};
    case Link::Kind::lecture: {
      const auto mark = std::min(link.target.find('#'), link.target.size());
      const auto number =
          number_from<std::size_t>(std::string_view(link.target).substr(std::min(mark + 1, link.target.size())));
      return open_lecture(link.target.substr(0, mark), number && *number > 0 ? *number - 1 : 0);
    }
    case Link::Kind::select:
      try {
        const auto tensor = tensor_named(link.target);
        if (tensor && exists(*tensor, setup())) select_tensor(*tensor);
        else pin(parse_cell(link.target, setup()));
      } catch (const InputError& error) {
        return refuse(error.problems());
      }
      return {};
    case Link::Kind::page: break;
  }
  return {};
}

bool Session::is_set(const Link& link) const {
  if (!link.changes_settings()) return false;
  if (set_links_.setup != wanted()) set_links_ = {wanted(), {}};
  if (const auto found = set_links_.found.find(link.target); found != set_links_.found.end()) return found->second;
  bool set = false;
  try {
    set = with_overrides(wanted(), link.assignments(), "set") == wanted();
  } catch (const InputError&) {
    // What does not fit cannot be set.
  }
  return set_links_.found[link.target] = set;
}

bool Session::can_step(int direction) const {
  if (lecture() != nullptr) return direction < 0 ? state_.step > 0 : state_.step + 1 < step_count();
  const TensorId tensor = selection().tensor;
  return (direction < 0 ? previous_tensor(tensor, setup()) : next_tensor(tensor, setup())) != tensor;
}

void Session::step_by(int direction) {
  if (!can_step(direction)) return;
  const TensorId tensor = selection().tensor;
  if (lecture() != nullptr) go_to_step(direction < 0 ? state_.step - 1 : state_.step + 1);
  else select_tensor(direction < 0 ? previous_tensor(tensor, setup()) : next_tensor(tensor, setup()));
}

void Session::set_playing(bool playing) {
  seconds_on_step_ = 0;
  change([&](SessionState& state) { state.playing = playing && can_step(1); });
}

void Session::advance(double seconds) {
  if (!state_.playing || state_.computing) return;
  seconds_on_step_ += seconds;
  if (seconds_on_step_ < seconds_per_step) return;
  seconds_on_step_ = 0;
  step_by(1);
  if (!can_step(1)) set_playing(false);
}

std::vector<Problem> Session::reset_to_lecture(std::string_view key) {
  const Setup* const own = wanted_lecture_setup();
  if (own == nullptr) return {};
  end_gesture();
  return edit(set_back(*own, wanted(), key));
}

std::vector<Problem> Session::reset_to_lecture() {
  const Setup* const own = wanted_lecture_setup();
  if (own == nullptr) return {};
  end_gesture();
  return edit(Setup(*own));
}

/// The badge is about the shown numbers, also while others are being computed.
Badge Session::badge() const {
  if (lecture() == nullptr || step()->changed_setup) return {};  // what was printed is about the part's own setup
  const auto count = std::count_if(changes_.begin(), changes_.end(), [](const Change& c) { return c.affects_numbers; });
  return badge_of(*lecture(), state_.step, *state_.lecture->facts, static_cast<std::size_t>(count));
}

// --- Writing a lecture -----------------------------------------------------------------------------------------------

void Session::write(Authoring authoring) {
  std::shared_ptr<const Lecture> written;
  try {
    written = std::make_shared<const Lecture>(lecture_of(authoring));
    authoring.problems = problems_of(*written);
    // Somebody may have typed the heading of another step.
    if (written->steps.size() != authoring.draft.steps.size()) authoring.draft = draft_of(text_of(authoring.draft));
  } catch (const InputError& error) {
    authoring.problems = error.problems();
  }
  const std::size_t place = authoring.place;
  const bool shows = authoring.problems.empty();
  change([&](SessionState& state) { state.authoring = std::make_shared<const Authoring>(std::move(authoring)); });
  if (!shows) return;
  const auto same = std::ranges::find(lectures_, written->id, [](const auto& each) { return each->id; });
  if (same == lectures_.end()) lectures_.push_back(written);
  else *same = written;
  const std::size_t step = place == 0 ? state_.step : place - 1;
  if (lecture() == nullptr || lecture()->id != written->id) open_lecture(written, step);
  else if (replace_lecture(written).empty() && step != state_.step) go_to_step(step);
}

void Session::end_writing() {
  change([](SessionState& state) { state.authoring.reset(); });
}

// --- The shell -------------------------------------------------------------------------------------------------------

void Session::request(Request request) { requests_.push_back(std::move(request)); }

std::vector<Request> Session::take_requests() { return std::exchange(requests_, {}); }

void Session::notify(std::string notice) {
  change([&](SessionState& state) { state.notice = std::move(notice); });
}

}  // namespace headlight
