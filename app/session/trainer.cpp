#include "app/session/trainer.hpp"

#include <algorithm>
#include <cmath>

#include "app/session/lesson.hpp"
#include "app/session/session.hpp"
#include "core/setup/edits.hpp"

namespace headlight {
namespace {

constexpr double seconds_of_a_piece = 0.02;
constexpr double longest_debt = 0.25;  ///< seconds; steps that are later than this are skipped
constexpr Index most_at_once = 1000;

double steps_a_second(TrainingSpeed speed) {
  switch (speed) {
    case TrainingSpeed::one: return 1;
    case TrainingSpeed::ten: return 10;
    case TrainingSpeed::hundred: return 100;
    case TrainingSpeed::full: break;
  }
  return 0;
}

}  // namespace

Index TrainingPace::due(TrainingSpeed speed, double seconds) {
  if (speed == TrainingSpeed::full) return at_once_;
  const double rate = steps_a_second(speed);
  owed_ = std::min(owed_ + seconds * rate, std::max(1.0, longest_debt * rate));
  const double whole = std::floor(owed_);
  owed_ -= whole;
  return static_cast<Index>(whole);
}

void TrainingPace::took(Index steps, double seconds) {
  const double fitting = seconds > 0 ? seconds_of_a_piece * static_cast<double>(steps) / seconds : most_at_once;
  at_once_ =
      std::clamp<Index>(static_cast<Index>(std::min<double>(fitting, most_at_once)), 1, 2 * std::max<Index>(steps, 1));
}

void Trainer::set_playing(bool playing) {
  if (playing == session_.state_.training.playing || !session_.setup().has_task()) return;
  session_.pace_.begin();
  session_.end_gesture();
  Lesson(session_).set_playing(false);
  session_.change([&](SessionState& state) { state.training.playing = playing; });
}

void Trainer::set_speed(TrainingSpeed speed) {
  session_.pace_.begin();
  session_.change([&](SessionState& state) { state.training.speed = speed; });
}

std::vector<Problem> Trainer::go_to(Index step, std::string_view gesture) {
  if (gesture.empty()) session_.end_gesture();
  return session_.edit(with_steps(session_.wanted(), step), gesture);
}

void Trainer::advance(double seconds) {
  constexpr std::string_view gesture = "train";
  if (!session_.state_.training.playing || session_.pending_) return;
  const Index from = session_.setup().training.steps;
  const Index reached = trained_steps(session_);
  if (reached < from || from == most_steps) {
    go_to(reached, gesture);
    return set_playing(false);
  }
  const Index due = session_.pace_.due(session_.state_.training.speed, seconds);
  if (due > 0 && !go_to(from + due, gesture).empty()) set_playing(false);
}

Index trained_steps(const Session& session) { return session.trace().learning ? session.trace().learning->steps : 0; }

}  // namespace headlight
