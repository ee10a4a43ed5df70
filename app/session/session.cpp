#include "app/session/session.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "app/machine.hpp"
#include "app/session/display/display_entries.hpp"
#include "core/engine/cost.hpp"
#include "core/engine/engine.hpp"
#include "core/stages/table.hpp"

namespace headlight {
namespace {

/// While dragging, intermediate states are shown if each takes at most this many seconds to compute.
constexpr double longest_passing = 0.25;

/// The cell, if the layer that is shown has it.
std::optional<Cell> existing(const std::optional<Cell>& cell, const Setup& setup) {
  return cell && cell->layer == setup.layer && contains(setup, *cell) ? cell : std::nullopt;
}

constexpr std::string_view only_with_a_task = "Learn shows a layer that learns: choose a task in the setup first";
constexpr std::string_view only_with_a_text =
    "Write shows a model that writes: choose the task text in the setup first";
constexpr std::string_view only_with_layers =
    "Layers shows all layers of a model: choose several in the setup, or open a captured model, first";
constexpr std::string_view only_with_a_picture = "Picture shows the picture of a lecture's step: this step has none";

/// Why a view doesn't exist; empty if it does.
std::string_view why_absent(View view, const Setup& setup, const SessionState& state) {
  if (info(view).of_text && !setup.task.is_text()) return only_with_a_text;
  if (info(view).of_task && !setup.has_task()) return only_with_a_task;
  if (info(view).of_model && !has_layers(setup, state)) return only_with_layers;
  if (info(view).of_step && !state.lesson.has_picture()) return only_with_a_picture;
  return {};
}

/// The display, with a view that exists.
Display shown_with(const Setup& setup, const SessionState& state, Display display) {
  if (!why_absent(display.view, setup, state).empty()) display.view = View::pipeline;
  return fitting(std::move(display), setup.sizes.heads);
}

}  // namespace

Session::Session(const Setup& setup, std::int64_t memory_limit, std::shared_ptr<Threads> threads)
    : memory_limit_(memory_limit),
      threads_(std::move(threads)),
      worker_(std::make_unique<Worker>(memory_limit, threads_)) {
  Outcome outcome = worker_->perform({.setup = setup});
  if (!outcome.trace) throw InputError(std::move(outcome.problems));
  state_.trace = std::move(outcome.trace);
  state_.layers = std::move(outcome.shown.model);
  state_.course = std::move(outcome.course);
  recomputed_ = std::move(outcome.recomputed);
  summary_ = std::move(outcome.summary);
  history_.visit(entry());
}

Session::Session(std::int64_t memory_limit, std::shared_ptr<Threads> threads)
    : memory_limit_(memory_limit),
      threads_(std::move(threads)),
      worker_(std::make_unique<Worker>(memory_limit, threads_)) {}

Session Session::twin() const {
  Session twin(memory_limit_, threads_);
  twin.longest_in_frame_ = longest_in_frame_;
  twin.timed_ = timed_;
  twin.summary_ = summary_;
  twin.state_ = state_;
  twin.state_.computing = false;
  twin.chosen_ = chosen_;
  twin.lectures_ = lectures_;
  twin.start_ = twin.last_start_ = start_;
  twin.history_.visit(twin.entry());
  return twin;
}

Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

void Session::set_timed(bool timed) {
  timed_ = timed;
  if (!timed) compute_seconds_.reset();
}

LectureStep Session::wanted_step() const {
  return pending_ && pending_->destination ? pending_->destination->step : lesson().at;
}

Cell Session::cell() const {
  if (!state_.pinned && state_.hovered) return *state_.hovered;
  return cell_of(state_.selection, setup());
}

// --- From a setup to its trace ---------------------------------------------------------------------------------------

Session::Destination Session::at_step(const LectureStep& step) {
  Destination destination{step, true};
  if (step.step()->changed_setup) destination.reference = step.part()->setup;
  return destination;
}

namespace {

bool shows(const ModelTrace& model, const Setup& setup) { return !model.empty() && model.first().setup == setup; }

/// The subject of the words of the shown step, once a computation is shown. `answered` is what the answer to its
/// question sets, if that was computed.
StepTraces traces_of_words(const SessionState& state, const Outcome& outcome, const std::optional<Setup>& answered) {
  const LessonState& lesson = state.lesson;
  if (lesson.lecture() == nullptr) return {};
  StepTraces traces = lesson.traces;
  if (const ComputedModel* own = outcome.of(*lesson.setup())) {
    traces.own = own->model;
    traces.yours = own->with_mistake;
  }
  if (traces.yours && traces.yours->mistake != lesson.step()->mistake) traces.yours = state.checking.of_step;
  const Setup& part = lesson.part()->setup;
  if (!lesson.step()->changed_setup) traces.before = {};
  else if (!shows(traces.before, part))
    traces.before = shows(state.checking.reference, part) ? state.checking.reference : ModelTrace{};
  if (const ComputedModel* made = answered ? outcome.of(*answered) : nullptr) traces.answered = made->model;
  return traces;
}

}  // namespace

/// The task that computes all that is needed to show a setup there.
Task Session::task_for(const Setup& target, const std::optional<Destination>& destination) const {
  const LectureStep& step = destination ? destination->step : lesson().at;
  Task task{.setup = target, .batch = std::min(selection().batch, target.sizes.batch - 1)};
  if (step.is_unchecked()) task.facts_of = step.lecture->lecture;
  if (step.lecture && !step.step()->mistake.empty()) task.mistake_of = {step.lecture, step.step()};
  const auto need = [&](const Setup& setup, const ModelTrace& known) {
    if (setup != target && !shows(known, setup)) task.beside.push_back(setup);
  };
  if (destination && destination->reference) need(*destination->reference, state_.checking.reference);
  if (destination && destination->answered) need(*destination->answered, lesson().traces.answered);
  if (step.lecture) need(*step.setup(), lesson().traces.own);
  return task;
}

/// Whether all results of a task except its trace are there.
bool Session::needs_no_more(const Task& task) const {
  const auto& made = state_.checking.of_step;
  const bool has_mistake = !task.mistake_of || (made && made->mistake == task.mistake_of->mistake);
  return !task.facts_of && task.beside.empty() && has_mistake;
}

/// The shown state as the outcome of a task.
Outcome Session::shown() const {
  Outcome outcome;
  outcome.trace = state_.trace;
  outcome.shown = {state_.layers, state_.checking.of_step};
  return outcome;
}

/// All changes of the trace go through here. The setup is checked at once, then computed now if that is quick, else by
/// the worker.
std::vector<Problem> Session::go_to(const Setup& target, const std::optional<Destination>& destination,
                                    Meanwhile meanwhile) {
  const Task task = task_for(target, destination);
  const Setup* const shown_setup = state_.trace ? &state_.trace->setup : nullptr;
  if (auto found = refusals(task, memory_limit_, shown_setup); !found.empty()) return refuse(std::move(found));
  // What was said is about the setup as it was, but a file that was written is still there.
  if (target != setup() && !state_.notice.empty() && state_.written.empty())
    change([](SessionState& state) { state.notice.clear(); });
  if (target == setup() && target.layer == setup().layer &&
      needs_no_more(task)) {  // the target is shown already: a running computation is obsolete
    worker_->stop();
    pending_.reset();
    show(shown(), destination);
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
  if (!pending_ || pending_->task != task || pending_->task.setup.layer != target.layer)
    worker_->start(task, meanwhile);
  const bool passing = pending_ && pending_->passing && meanwhile == Meanwhile::finish;
  pending_ = Pending{task, destination, pending_ ? std::move(pending_->history) : history_, passing,
                     changes_in(destination ? destination->step : lesson().at, target)};
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

namespace {

/// Whether the open step has the review's present question.
bool shows_item(const Review& review, const LessonState& lesson) {
  return lesson.lecture() != nullptr && lesson.lecture()->id == review.item().lecture &&
         lesson.at.index == review.item().step;
}

}  // namespace

/// Shows the outcome of a computation.
void Session::arrive(Outcome outcome, const std::optional<Destination>& destination) {
  recomputed_ = std::move(outcome.recomputed);
  summary_ = std::move(outcome.summary);
  if (timed_) compute_seconds_ = outcome.seconds;
  const Index steps = outcome.trace->setup.training.steps - setup().training.steps;
  if (steps > 0) pace_.took(steps, outcome.seconds);
  std::optional<Destination> checked = destination;
  if (destination && destination->step.is_unchecked()) {
    const auto& unchecked = destination->step.lecture;
    checked->step.lecture = std::make_shared<OpenLecture>(OpenLecture{unchecked->lecture, std::move(outcome.facts)});
    history_.replace_lecture(unchecked, checked->step.lecture);
  }
  change([&](SessionState& state) { state.course = outcome.course; });
  show(outcome, checked);
}

/// Shows a trace, and adapts selection and display to it.
void Session::show(const Outcome& outcome, const std::optional<Destination>& destination) {
  const bool opens_step = destination && (destination->look || destination->step != lesson().at);
  change([&](SessionState& state) {
    if (destination) state.lesson.go_to(destination->step);
    if (destination && state.review && !shows_item(*state.review, state.lesson)) state.review.reset();
    const Setup& setup = outcome.trace->setup;
    state.selection = fitting(chosen_, setup);
    state.hovered = existing(state.hovered, setup);
    state.display = shown_with(setup, state, state.display);
    state.training.playing &= setup.has_task();
    state.computing = pending_.has_value();
    state.blank = false;
    state.problems.clear();
    state.trace = outcome.trace;
    state.layers = outcome.shown.model;
    const ComputedModel* const reference =
        destination && destination->reference ? outcome.of(*destination->reference) : nullptr;
    if (reference != nullptr) state.checking.reference = reference->model;
    // Another step may have been opened while it was computed.
    const Step* const step = state.lesson.step();
    const auto& work = outcome.shown.with_mistake;
    state.checking.of_step = step != nullptr && work && work->mistake == step->mistake ? work : nullptr;
    if (opens_step) state.checking.instead_of_step = false;
    state.lesson.find_changes(setup);
    state.lesson.traces = traces_of_words(state, outcome, destination ? destination->answered : std::nullopt);
  });
  if (!destination) return;
  seconds_on_step_ = 0;
  if (destination->look && destination->step.lecture) look_at_step();
  mark_step();
  look_at_answer();
}

void Session::look_at_step() {
  auto [selection, view] = look_of_step(*lesson().lecture(), lesson().at.index, setup());
  if (lesson().step()->compare || state_.checking.is_of_step()) view = View::compare;
  choose(selection, false);
  change([&](SessionState& state) {
    state.hovered.reset();
    state.display.view = view;
  });
}

void Session::look_at_answer() {
  const Question* const question = lesson().question();
  if (question == nullptr || lesson().asks()) return;
  if (question->kind != Question::Kind::cell && question->kind != Question::Kind::find) return;
  if (state_.pinned && !choice_at(*question, cell_of(selection(), setup()), setup())) return;
  const std::optional<double> answer = step_words()->question->answer;
  for (const Cell& cell : cells_of(*question, setup())) {
    const auto choice = choice_at(*question, cell, setup());
    if (!choice || static_cast<double>(*choice) != answer) continue;
    const Selection found = at_cell(selection(), cell, setup());
    const auto matrix = [](const Selection& at) { return std::tuple(at.tensor, at.batch, at.head); };
    if (cell.layer == setup().layer && matrix(found) == matrix(selection())) choose(found, state_.pinned);
  }
}

void Session::mark_step() {
  if (lesson().lecture() == nullptr) return;
  const bool is_answered = lesson().question() != nullptr && !lesson().asks();
  const auto words = is_answered ? step_words() : nullptr;
  const bool is_judged = words && !words_wait();
  const StepMark mark = is_judged ? words->question->mark() : StepMark::seen;
  if (is_judged)
    change([&](SessionState& state) {
      auto& verdict = state.lesson.answers[state.lesson.at.index].verdict;
      if (!verdict) verdict = std::make_shared<const AskedQuestion>(*words->question);
    });
  auto marked = with_mark(state_.marks, lesson().lecture()->id, lesson().at.index, mark);
  change([&](SessionState& state) { state.marks = std::move(marked); });
  if (mark < StepMark::shown || !state_.review || state_.review->noted || !shows_item(*state_.review, lesson())) return;
  change([&](SessionState& state) {
    state.reviews = with_review(state.reviews, state.review->item(), mark == StepMark::shown);
    state.review->noted = true;
  });
}

// --- In the background -----------------------------------------------------------------------------------------------

/// Infinity means no background: everything is computed before the call returns.
void Session::compute_in_background(double longest, std::optional<double> slice) {
  longest_in_frame_ = std::isinf(longest) ? std::nullopt : std::optional(longest);
  if (slice) worker_->work_in_slices(*slice);
}

void Session::set_wake(std::function<void()> wake) { worker_->set_wake(std::move(wake)); }

bool Session::take_in() {
  const std::uint64_t before = revision_;
  if (kept_words_.take_in(state_)) {
    ++revision_;
    mark_step();
  }
  if (!pending_) return revision_ != before;
  std::optional<Outcome> outcome = worker_->take();
  if (!outcome) return revision_ != before;
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

/// Shows an intermediate state of a gesture whose last state is pending_.
void Session::pass(Outcome outcome) {
  if (!outcome.trace) return;
  arrive(std::move(outcome), std::nullopt);
  const HistoryEntry shown{setup(), wanted_step(), start_, state_.model, state_.draft};
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
  start_ = history_.current().start;
  set_model(history_.current().model);
  end_gesture();
  history_.replace(entry());  // the step may have changed meanwhile
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
  stop_steps();
  // While dragging, intermediate states are shown if they are quick to compute; otherwise nothing would move until the
  // drag ends.
  const bool passing = history_.continues(gesture) && pending_ && !pending_->destination && pending_->then.empty() &&
                       estimated_seconds(pending_->task.setup, state_.trace.get()) < longest_passing;
  const auto destination = pending_ ? pending_->destination : std::nullopt;
  if (auto found = go_to(next, destination, passing ? Meanwhile::finish : Meanwhile::stop); !found.empty())
    return found;
  history_.record(entry(), gesture);
  return {};
}

void Session::look_at_layer(Index layer) {
  if (layer < 0 || layer >= wanted().sizes.layers || layer == wanted().layer) return;
  go_to(seen_at(wanted(), layer), pending_ ? pending_->destination : std::nullopt);
}

std::vector<Problem> Session::open_setup(const Setup& setup, std::shared_ptr<const OpenModel> model) {
  stop_playing();
  if (auto found = go_to(setup, Destination{}); !found.empty()) return found;
  begin_start(std::move(model));
  history_.remember(entry());
  return {};
}

void Session::begin_start(std::shared_ptr<const OpenModel> model) {
  start_ = ++last_start_;
  forget_draft();
  set_model(std::move(model));
  // The page is for the sentence that was opened on it.
  if (display().mode == WindowMode::sentence) edit_display([](Display& d) { d.mode = WindowMode::automatic; });
}

void Session::undo() {
  stop_playing();
  if (can_undo() && return_to(history_.before())) history_.undo();
}

void Session::redo() {
  stop_playing();
  if (can_redo() && return_to(history_.after())) history_.redo();
}

void Session::go_to_history(std::size_t position) {
  stop_playing();
  if (position < history_.size() && position != history_.position() && return_to(history_.at(position)))
    history_.go_to(position);
}

std::string Session::undo_words() const {
  return can_undo() ? words_between(history_.before(), history_.current()) : std::string();
}

std::string Session::redo_words() const {
  return can_redo() ? words_between(history_.current(), history_.after()) : std::string();
}

void Session::forget_history() {
  end_gesture();
  history_.forget_others();
}

/// If the entry belongs to the same part of the lecture, the step stays the same.
bool Session::return_to(const HistoryEntry& entry) {
  std::optional<Destination> destination = Destination{entry.step};
  if (in_same_setup(wanted_step(), entry.step)) destination = pending_ ? pending_->destination : std::nullopt;
  // What was done is undone in the layer that is shown.
  const Index layer = std::min(wanted().layer, entry.setup.sizes.layers - 1);
  if (!go_to(seen_at(entry.setup, layer), destination).empty()) return false;
  start_ = entry.start;
  set_model(entry.model);
  change([&](SessionState& state) { state.draft = entry.draft; });
  return true;
}

void Session::stop_steps() {
  seconds_on_step_ = 0;
  change([](SessionState& state) { state.lesson.playing = false; });
}

void Session::stop_playing() {
  stop_steps();
  end_gesture();
  change([](SessionState& state) {
    state.training.playing = false;
    state.symbols_owed = 0;
  });
}

void Session::set_model(std::shared_ptr<const OpenModel> model) {
  change([&](SessionState& state) {
    state.model = std::move(model);
    state.display = shown_with(setup(), state, state.display);
  });
}

// --- Display ---------------------------------------------------------------------------------------------------------

void Session::set_display(const Display& display) {
  change([&](SessionState& state) { state.display = shown_with(setup(), state, display); });
}

void Session::set_ink(Ink ink) {
  change([&](SessionState& state) { state.ink = std::move(ink); });
}

void Session::show_over(Over over) {
  change([&](SessionState& state) { state.over = over; });
}

void Session::show(View view) {
  if (const auto why = why_absent(view, setup(), state()); !why.empty()) return notify(std::string(why));
  change([&](SessionState& state) { state.display.view = view; });
  // A view of the weights alone selects them, so that explanations are about the weights too.
  if (info(view).of_weights) choose(on_tensor(selection(), shown_in(view, selection().tensor), setup()), state_.pinned);
}

void Session::choose(const Selection& selection, bool pinned) {
  chosen_ = fitting(selection, setup());
  const Cell cell = cell_of(chosen_, setup());
  if (const auto choice = pinned && lesson().asks() ? choice_at(*lesson().question(), cell, setup()) : std::nullopt)
    change([&](SessionState& state) { state.lesson.guess(static_cast<double>(*choice)); });
  change([&](SessionState& state) {
    state.selection = chosen_;
    state.pinned = pinned;
  });
}

// --- The shell -------------------------------------------------------------------------------------------------------

void Session::request(Request request) { requests_.push_back(std::move(request)); }

std::vector<Request> Session::take_requests() { return std::exchange(requests_, {}); }

void Session::notify(std::string notice, std::filesystem::path written) {
  change([&](SessionState& state) {
    state.notice = as_known(std::move(notice));
    state.written = std::move(written);
    ++state.notices;
  });
}

}  // namespace headlight
