// A layer that learns, before a scripted person.
#pragma once

#include "core/setup/edits.hpp"
#include "scripted.hpp"

namespace headlight::testing {

/// The setups of the design's pictures.
inline Setup drawn_setup(Index symbols, Index length, Index batch, std::int64_t seed, std::int64_t task_seed,
                         double rate, Index training_batch, Index steps) {
  Setup setup = offered_setup(TaskName::previous);
  setup.task = {TaskName::previous, symbols, task_seed};
  setup.sizes = {batch, length, {}, symbols + length, 2, {}};
  setup.training = {OptimizerKind::adam, rate, training_batch, steps};
  return with_seed(setup, seed);
}
inline Setup learn_setup(Index steps = 210) { return drawn_setup(6, 8, 16, 8, 0, 0.005, 32, steps); }
inline Setup backward_setup() { return drawn_setup(4, 4, 1, 5, 3, 0.01, 16, 40); }

struct Learner : Scripted {
  explicit Learner(const Setup& setup, View view = View::learn, int width = 1280, int height = 720)
      : Scripted(shown(setup, view), width, height) {}

  static Session shown(const Setup& setup, View view) {
    Session session(setup);
    session.set_timed(false);
    session.show(view);
    session.forget_history();
    return session;
  }
  /// Where a step is on the time axis, which ends at 400.
  Point step_at(Index step) {
    const Rect track = item("timeline/axis");
    const float share = static_cast<float>(step) / 400;
    return {track.x + 8 + (track.w - 16) * share, track.bottom() - 40};
  }
};

}  // namespace headlight::testing
