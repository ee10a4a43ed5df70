#include "app/session/session.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>

#include "app/session/setup_edits.hpp"
#include "core/explanation.hpp"
#include "core/shapes.hpp"

namespace headlight {
namespace {

constexpr double seconds_per_step = 6;

std::optional<Cell> existing(const std::optional<Cell>& cell, const Setup& setup) {
  return cell && contains(setup, *cell) ? cell : std::nullopt;
}

/// The link of the term that weighs most; for a weight, the score that it comes from.
std::optional<Cell> main_source(const Explanation& explanation) {
  for (const SoftmaxEntry& entry : explanation.softmax_row) {
    if (entry.score.index == explanation.cell.index) return entry.score;
  }
  const Factor* found = nullptr;
  double largest = -1;
  for (const Term& term : explanation.terms) {
    const double weight = std::isnan(term.value) ? 0 : std::abs(term.value);
    if (weight <= largest) continue;
    const auto link =
        std::find_if(term.factors.begin(), term.factors.end(), [](const Factor& f) { return f.cell.has_value(); });
    if (link == term.factors.end()) continue;
    found = &*link;
    largest = weight;
  }
  return found != nullptr ? found->cell : std::nullopt;
}

/// Throws InputError where a part cannot be computed, or there is nothing to show.
std::shared_ptr<const OpenLecture> opened(const Lecture& lecture) {
  if (lecture.parts.empty() || lecture.steps.empty()) {
    throw InputError({lecture.id, "steps", "none", "at least one step and one part"});
  }
  return std::make_shared<OpenLecture>(OpenLecture{lecture, check(lecture)});
}

}  // namespace

Session::Session(const Setup& setup, std::int64_t memory_limit) : engine_(memory_limit) {
  state_.trace = engine_.compute(setup);
  setups_.visit(moment_of(state_));
}

/// The one way in which the state changes: the revision rises exactly when it differs afterwards.
template <class Edit>
void Session::change(Edit&& edit) {
  SessionState next = state_;
  edit(next);
  if (next == state_) return;
  state_ = std::move(next);
  ++revision_;
}

Session::Moment Session::moment_of(const SessionState& state) const {
  return {state.trace->setup, state.lecture, state.step};
}

std::vector<Problem> Session::compute(const Setup& setup, std::shared_ptr<const Trace>& trace) {
  const auto start = std::chrono::steady_clock::now();
  const auto refuse = [&](const std::vector<Problem>& problems) {
    change([&](SessionState& state) { state.problems = problems; });
    return problems;
  };
  try {
    trace = engine_.compute(setup);
  } catch (const InputError& error) {
    return refuse(error.problems());
  } catch (const std::bad_alloc&) {
    return refuse({{"", "sizes", "a trace of " + format_bytes(estimate_memory(setup).total_bytes),
                    "what this machine has free"}});
  }
  compute_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {};
}

/// A new trace, and everything that has to fit it.
void Session::apply(SessionState& state, std::shared_ptr<const Trace> trace) const {
  const Setup& setup = trace->setup;
  state.selection = fitting(state.selection, setup);
  state.hovered = existing(state.hovered, setup);
  state.display = fitting(state.display, setup.sizes.heads);
  state.problems.clear();
  state.trace = std::move(trace);
}

// --- The setup -------------------------------------------------------------------------------------------------------

std::vector<Problem> Session::edit(const Setup& next, std::string_view gesture) {
  if (next == setup()) {
    change([](SessionState& state) { state.problems.clear(); });
    return {};
  }
  std::shared_ptr<const Trace> trace;
  if (auto found = compute(next, trace); !found.empty()) return found;
  const bool continues = !gesture.empty() && gesture == gesture_ && setups_.can_go_back();
  const bool came_back = continues && setups_.before().setup == next;
  change([&](SessionState& state) { apply(state, std::move(trace)); });
  if (came_back) setups_.drop();
  else if (continues) setups_.replace(moment_of(state_));
  else setups_.visit(moment_of(state_));
  gesture_ = came_back ? std::string_view{} : gesture;
  return {};
}

void Session::undo() {
  end_gesture();
  if (can_undo()) return_to(setups_.go_back());
}

void Session::redo() {
  end_gesture();
  if (can_redo()) return_to(setups_.go_forward());
}

void Session::forget_history() {
  end_gesture();
  setups_.forget_others();
}

void Session::return_to(const Moment& moment) {
  std::shared_ptr<const Trace> trace;
  if (!compute(moment.setup, trace).empty()) return;
  change([&](SessionState& state) {
    apply(state, std::move(trace));
    const bool same_part = state.lecture == moment.lecture &&
                           (!state.lecture || state.lecture->lecture.steps[state.step].part ==
                                                  moment.lecture->lecture.steps[moment.step].part);
    if (same_part) return;
    state.lecture = moment.lecture;
    state.step = moment.step;
  });
}

// --- The selection ---------------------------------------------------------------------------------------------------

Cell Session::cell() const {
  if (!state_.pinned && state_.hovered) return *state_.hovered;
  return cell_of(state_.selection, setup());
}

void Session::hover(const std::optional<Cell>& cell) {
  change([&](SessionState& state) { state.hovered = existing(cell, setup()); });
}

void Session::pin(const Cell& cell) {
  if (!contains(setup(), cell)) return;
  change([&](SessionState& state) {
    state.selection = at_cell(state.selection, cell, setup());
    state.pinned = true;
  });
  if (pins_.empty() || pins_.current() != state_.selection) pins_.visit(state_.selection);
}

void Session::pin() { pin(cell()); }

void Session::release() {
  change([](SessionState& state) { state.pinned = false; });
}

void Session::select(const Selection& selection) {
  change([&](SessionState& state) { state.selection = fitting(selection, setup()); });
}

void Session::select_tensor(TensorId tensor) { select(on_tensor(selection(), tensor, setup())); }

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

void Session::select_pin() {
  change([&](SessionState& state) {
    state.selection = fitting(pins_.current(), setup());
    state.pinned = true;
  });
}

bool Session::walk_upstream() {
  const auto source = main_source(explain(trace(), cell()));
  if (!source) return false;
  pin();
  pin(*source);
  return true;
}

bool Session::walk_downstream() {
  const Explanation explanation = explain(trace(), cell());
  if (explanation.goes_into.empty()) return false;
  const Cell next = explanation.goes_into.front().first;
  pin();
  pin(next);
  return true;
}

// --- Display ---------------------------------------------------------------------------------------------------------

void Session::set_display(const Display& display) {
  change([&](SessionState& state) { state.display = fitting(display, setup().sizes.heads); });
}

void Session::show(View view) {
  change([&](SessionState& state) { state.display.view = view; });
}

// --- Compare ---------------------------------------------------------------------------------------------------------

void Session::set_reference() {
  change([](SessionState& state) { state.reference = state.trace; });
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
  return found == lectures_.end() ? std::vector<Problem>{} : replace_lecture(**found);
}

/// The open lecture changed on disk: its new version takes the place of the old one, also where undo would find it.
std::vector<Problem> Session::replace_lecture(const Lecture& lecture) {
  const auto old = state_.lecture;
  std::shared_ptr<const OpenLecture> next;
  try {
    next = opened(lecture);
  } catch (const InputError& error) {
    return error.problems();
  }
  const auto entering = changes().empty() ? Entering::fresh : Entering::keeping_edits;
  if (auto found = enter(next, state_.step, entering); !found.empty()) return found;
  setups_.for_each([&](Moment& moment) {
    if (moment.lecture != old) return;
    moment.lecture = next;
    moment.step = std::min(moment.step, lecture.steps.size() - 1);
  });
  return {};
}

std::vector<Problem> Session::open_lecture(std::string_view id, std::size_t step) {
  const auto found = std::find_if(lectures_.begin(), lectures_.end(), [&](const auto& l) { return l->id == id; });
  if (found != lectures_.end()) return open_lecture(**found, step);
  std::string ids;
  for (const auto& lecture : lectures_) ids += (ids.empty() ? "" : ", ") + lecture->id;
  return {{"", "lecture", std::string(id), ids}};
}

std::vector<Problem> Session::open_lecture(const Lecture& lecture, std::size_t step) {
  try {
    return enter(opened(lecture), step, Entering::fresh);
  } catch (const InputError& error) {
    return error.problems();
  }
}

void Session::restart_lecture() {
  if (state_.lecture) enter(state_.lecture, 0, Entering::fresh);
}

std::vector<Problem> Session::enter(std::shared_ptr<const OpenLecture> opened, std::size_t step, Entering entering) {
  end_gesture();
  const Lecture& lecture = opened->lecture;
  step = std::min(step, lecture.steps.size() - 1);
  const Setup target = entering == Entering::fresh ? lecture.parts[lecture.steps[step].part].setup : setup();
  std::shared_ptr<const Trace> trace;
  if (auto found = compute(target, trace); !found.empty()) return found;
  change([&](SessionState& state) {
    state.lecture = std::move(opened);
    state.step = step;
    apply(state, std::move(trace));
  });
  seconds_on_step_ = 0;
  remember();
  look_at_step();
  return {};
}

/// A new setup is a step of undo; another place with the same setup is not.
void Session::remember() {
  if (setups_.current().setup == setup()) setups_.replace(moment_of(state_));
  else setups_.visit(moment_of(state_));
}

void Session::close_lecture() {
  end_gesture();
  change([](SessionState& state) {
    state.lecture.reset();
    state.step = 0;
    state.playing = false;
  });
  remember();
}

const Step* Session::step() const { return lecture() ? &lecture()->steps[state_.step] : nullptr; }

const Part* Session::part() const { return lecture() ? &lecture()->parts[step()->part] : nullptr; }

std::size_t Session::step_count() const { return lecture() ? lecture()->steps.size() : 0; }

void Session::go_to_step(std::size_t target) {
  if (target >= step_count()) return;
  end_gesture();
  const std::size_t part = lecture()->steps[target].part;
  const bool other_part = part != step()->part;
  std::shared_ptr<const Trace> trace = state_.trace;
  if (other_part && !compute(lecture()->parts[part].setup, trace).empty()) return;
  change([&](SessionState& state) {
    state.step = target;
    apply(state, std::move(trace));
  });
  seconds_on_step_ = 0;
  remember();
  look_at_step();
}

/// What the present step points at: its cell, and its view where it names one.
void Session::look_at_step() {
  change([&](SessionState& state) {
    state.selection = at_cell(state.selection, step()->look_at, setup());
    state.pinned = false;
    state.hovered.reset();
    state.display.view = view_named(step()->view).value_or(state.display.view);
  });
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
  if (!state_.playing) return;
  seconds_on_step_ += seconds;
  if (seconds_on_step_ < seconds_per_step) return;
  seconds_on_step_ = 0;
  step_by(1);
  if (!can_step(1)) set_playing(false);
}

std::vector<Change> Session::changes() const {
  return part() ? headlight::changes(part()->setup, setup()) : std::vector<Change>{};
}

std::vector<Problem> Session::reset_to_lecture(std::string_view key) {
  if (part() == nullptr) return {};
  end_gesture();
  const Setup plain = with_key_of(part()->setup, setup(), key);
  const Setup adapted = fitted(plain);
  const bool kept = with_key_of(part()->setup, adapted, key) == adapted;
  return edit(problems(plain).empty() || !kept ? plain : adapted);
}

std::vector<Problem> Session::reset_to_lecture() {
  if (part() == nullptr) return {};
  end_gesture();
  return edit(part()->setup);
}

Badge Session::badge() const {
  if (lecture() == nullptr) return {};
  const auto differing = changes();
  const auto count =
      std::count_if(differing.begin(), differing.end(), [](const Change& c) { return c.affects_numbers; });
  return badge_of(*lecture(), state_.step, state_.lecture->facts, static_cast<std::size_t>(count));
}

// --- The shell -------------------------------------------------------------------------------------------------------

void Session::request(Request request) { requests_.push_back(std::move(request)); }

std::vector<Request> Session::take_requests() { return std::exchange(requests_, {}); }

void Session::notify(std::string notice) {
  change([&](SessionState& state) { state.notice = std::move(notice); });
}

}  // namespace headlight
