#include "app/session/trainer.hpp"

#include "app/session/session.hpp"
#include "core/setup/edits.hpp"

namespace headlight {
void Trainer::set_playing(bool playing) {
  if (playing == session_.state_.training.playing || !session_.setup().has_task()) return;
  session_.stop_playing();
  session_.pace_.begin();
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
