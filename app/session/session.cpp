#include "app/session/session.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>

#include "core/explanation.hpp"
#include "core/shapes.hpp"

namespace headlight {
namespace {

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

}  // namespace

Session::Session(const Setup& setup, std::int64_t memory_limit) : engine_(memory_limit) {
  state_.trace = engine_.compute(setup);
  setups_.visit(moment_of(state_));
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
  if (timed_) compute_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {};
}

void Session::set_timed(bool timed) {
  timed_ = timed;
  if (!timed) compute_seconds_.reset();
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
  change([&](SessionState& state) {
    state.display.view = view;
    // Who looks at whom is about weights, and so is what explains it.
    const TensorId tensor = state.selection.tensor;
    if (view == View::tokens && tensor != TensorId::weights && tensor != TensorId::dropped_weights)
      state.selection = on_tensor(state.selection, TensorId::weights, state.trace->setup);
  });
}

// --- Compare ---------------------------------------------------------------------------------------------------------

void Session::set_reference() {
  change([](SessionState& state) { state.reference = state.trace; });
}

void Session::clear_reference() {
  change([](SessionState& state) { state.reference.reset(); });
}

// --- The shell -------------------------------------------------------------------------------------------------------

void Session::request(Request request) { requests_.push_back(std::move(request)); }

std::vector<Request> Session::take_requests() { return std::exchange(requests_, {}); }

void Session::notify(std::string notice) {
  change([&](SessionState& state) { state.notice = std::move(notice); });
}

}  // namespace headlight
