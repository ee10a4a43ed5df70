// How a layer learns, step by step.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/compute/threads.hpp"
#include "core/compute/workspace.hpp"
#include "core/model/setup.hpp"
#include "core/model/shape.hpp"

namespace headlight {

struct CurvePoint {
  Index step = 0;             ///< counted from 1
  double loss = 0;            ///< of the step's batch before its update
  double shown_loss = 0;      ///< of the sequences that are shown, after it
  double shown_accuracy = 0;  ///< the share of right answers among theirs
};
struct LearningCurve {
  std::vector<CurvePoint> points;    ///< one for each step, in order
  std::optional<Index> exploded_at;  ///< the step that left numbers that are not finite; the points end before it
};

/// The first `steps` steps of a setup with a task, whatever its training.steps is. Throws as Engine::compute does.
LearningCurve learning_curve(const Setup& setup, Index steps, const std::shared_ptr<Threads>& threads,
                             const Progress& progress = {}, std::int64_t memory_limit = default_memory_limit);

/// The points as CSV, with every digit.
std::string as_csv(const LearningCurve& curve);

/// The failure at that step, in one sentence.
std::string words_of_explosion(Index step);

}  // namespace headlight
