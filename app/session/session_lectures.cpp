// The lecture side of a session: opening, stepping, playing, and what differs from the lecture.
#include <algorithm>

#include "app/session/edits/setup_edits.hpp"
#include "app/session/session.hpp"

namespace headlight {
namespace {

constexpr double seconds_per_step = 6;

std::vector<Problem> problems_of(const Lecture& lecture) {
  if (lecture.parts.empty() || lecture.steps.empty())
    return {{lecture.id, "steps", "none", "at least one step and one part"}};
  for (const Part& part : lecture.parts)
    if (auto found = refusals(part.setup, default_memory_limit); !found.empty()) return found;
  return {};
}

/// Its facts are still to be compared.
std::shared_ptr<const OpenLecture> unchecked(std::shared_ptr<const Lecture> lecture) {
  return std::make_shared<OpenLecture>(OpenLecture{std::move(lecture), std::nullopt});
}

}  // namespace

std::vector<Problem> Session::set_lectures(std::vector<std::shared_ptr<const Lecture>> lectures) {
  lectures_ = std::move(lectures);
  ++revision_;
  if (lecture() == nullptr) return {};
  const auto same_id = [&](const auto& candidate) { return candidate->id == lecture()->id; };
  const auto found = std::find_if(lectures_.begin(), lectures_.end(), same_id);
  return found == lectures_.end() ? std::vector<Problem>{} : replace_lecture(*found);
}

/// The open lecture changed on disk: its new version takes the place of the old one, also where undo would find it.
std::vector<Problem> Session::replace_lecture(const std::shared_ptr<const Lecture>& lecture) {
  if (auto found = problems_of(*lecture); !found.empty()) return found;
  const auto old = state_.lecture;
  const auto entering = changes().empty() ? Entering::fresh : Entering::keeping_edits;
  if (auto found = enter(unchecked(lecture), state_.step, entering); !found.empty()) return found;
  replace_in_history(old, here().lecture);
  return {};
}

void Session::replace_in_history(const std::shared_ptr<const OpenLecture>& old,
                                 const std::shared_ptr<const OpenLecture>& next) {
  setups_.for_each([&](Moment& moment) {
    if (moment.lecture != old) return;
    moment.lecture = next;
    moment.step = std::min(moment.step, next->lecture->steps.size() - 1);
  });
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
  return enter(unchecked(lecture), step, Entering::fresh);
}

void Session::restart_lecture() {
  if (state_.lecture) enter(state_.lecture, 0, Entering::fresh);
}

std::vector<Problem> Session::enter(const std::shared_ptr<const OpenLecture>& opened, std::size_t step,
                                    Entering entering) {
  end_gesture();
  const Lecture& lecture = *opened->lecture;
  step = std::min(step, lecture.steps.size() - 1);
  const Setup target = entering == Entering::fresh ? lecture.parts[lecture.steps[step].part].setup : wanted();
  if (auto found = go_to(target, Place{opened, step, true}); !found.empty()) return found;
  remember();
  return {};
}

/// A new setup is a step of undo; another place with the same setup is not.
void Session::remember() {
  if (setups_.current().setup == wanted()) setups_.replace(moment());
  else setups_.visit(moment());
}

void Session::close_lecture() {
  end_gesture();
  if (pending_ && pending_->place) stop_computing();
  change([](SessionState& state) {
    state.lecture.reset();
    state.step = 0;
    state.playing = false;
  });
  remember();
}

const Step* Session::step() const { return lecture() ? &lecture()->steps[state_.step] : nullptr; }

const Part* Session::part() const { return lecture() ? &lecture()->parts[step()->part] : nullptr; }

const Part* Session::wanted_part() const {
  const Place place = here();
  if (!place.lecture) return nullptr;
  const Lecture& lecture = *place.lecture->lecture;
  return &lecture.parts[lecture.steps[place.step].part];
}

std::size_t Session::step_count() const { return lecture() ? lecture()->steps.size() : 0; }

void Session::go_to_step(std::size_t target) {
  if (target >= step_count()) return;
  end_gesture();
  if (pending_ && pending_->place) stop_computing();  // it would lead elsewhere
  const std::size_t part = lecture()->steps[target].part;
  const Place place{state_.lecture, target, true};
  if (part == step()->part) show(state_.trace, place);
  else if (!go_to(lecture()->parts[part].setup, place).empty()) return;
  remember();
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
  if (!state_.playing || state_.computing) return;
  seconds_on_step_ += seconds;
  if (seconds_on_step_ < seconds_per_step) return;
  seconds_on_step_ = 0;
  step_by(1);
  if (!can_step(1)) set_playing(false);
}

std::vector<Change> Session::changes() const {
  const Part* const part = wanted_part();
  return part ? headlight::changes(part->setup, wanted()) : std::vector<Change>{};
}

std::vector<Problem> Session::reset_to_lecture(std::string_view key) {
  const Part* const part = wanted_part();
  if (part == nullptr) return {};
  end_gesture();
  const Setup plain = with_key_of(part->setup, wanted(), key);
  const Setup adapted = fitted(plain);
  const bool kept = with_key_of(part->setup, adapted, key) == adapted;
  return edit(problems(plain).empty() || !kept ? plain : adapted);
}

std::vector<Problem> Session::reset_to_lecture() {
  const Part* const part = wanted_part();
  if (part == nullptr) return {};
  end_gesture();
  return edit(part->setup);
}

/// About the numbers that are shown, also while others are on their way.
Badge Session::badge() const {
  if (lecture() == nullptr) return {};
  const auto differing = headlight::changes(part()->setup, setup());
  const auto count =
      std::count_if(differing.begin(), differing.end(), [](const Change& c) { return c.affects_numbers; });
  return badge_of(*lecture(), state_.step, *state_.lecture->facts, static_cast<std::size_t>(count));
}

}  // namespace headlight
