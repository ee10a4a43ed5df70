// What a trace costs, known before anything is computed.
#pragma once

#include <vector>

#include "core/model/setup.hpp"

namespace headlight {

struct Stage;
struct Trace;

/// The least work that a stage must do.
struct Cost {
  double flops = 0;  ///< of its matrix products; a multiplication and an addition each count as one
  double bytes = 0;  ///< read and written, counting each tensor once; 0 for windows
  double draws = 0;  ///< random numbers drawn
};
Cost cost(const Stage& stage, const Setup& setup);

/// How many seconds Engine::compute(setup) takes if the engine's last trace is `last` (null: it has none). A rough
/// estimate for an ordinary laptop, right to within a factor of a few, which is enough to tell what fits into a frame.
/// It includes every stage that will run; after an edit of any draw it assumes that everything is drawn again.
double estimated_seconds(const Setup& setup, const Trace* last = nullptr);

/// The part of it that is training: the steps that the setup asks for, from the beginning unless `last` is of the same
/// training.
double estimated_training_seconds(const Setup& setup, const Trace* last = nullptr);

/// The rest in seconds for each stage of the table in one layer, in its order; 0 for stages that keep their result in
/// every layer.
std::vector<double> estimated_stage_seconds(const Setup& setup, const Trace* last = nullptr);

}  // namespace headlight
