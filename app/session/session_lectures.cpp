// The lecture side of a session: opening, stepping, playing, and what differs from the lecture.
#include <algorithm>

#include "app/session/session.hpp"
#include "app/session/setup_edits.hpp"

namespace headlight {
namespace {

constexpr double seconds_per_step = 6;

/// Throws InputError where a part cannot be computed, or there is nothing to show.
std::shared_ptr<const OpenLecture> opened(const Lecture& lecture) {
  if (lecture.parts.empty() || lecture.steps.empty()) {
    throw InputError({lecture.id, "steps", "none", "at least one step and one part"});
  }
  return std::make_shared<OpenLecture>(OpenLecture{lecture, check(lecture)});
}

}  // namespace

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

}  // namespace headlight
