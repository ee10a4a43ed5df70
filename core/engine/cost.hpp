// What a trace costs, known before anything is computed.
#pragma once

#include <vector>

#include "core/model/setup.hpp"

namespace headlight {

struct Stage;
struct Trace;

/// The least that a stage must do.
struct Cost {
  double flops = 0;  ///< of its matrix products; a multiplication and an addition each count as one
  double bytes = 0;  ///< that it reads and writes, each tensor once; none for windows
  double draws = 0;  ///< random numbers
};
Cost cost(const Stage& stage, const Setup& setup);

/// What Engine::compute(setup) takes where the engine's last trace is `last` (null: it has none), in seconds. Rough:
/// for an ordinary laptop, and good to a factor of a few, which is enough to tell what fits into a frame. It never
/// leaves out a stage that runs; an edit of any draw counts as drawing everything.
double estimated_seconds(const Setup& setup, const Trace* last = nullptr);

/// The same for each stage of the table, in its order; 0 for those that need not run.
std::vector<double> estimated_stage_seconds(const Setup& setup, const Trace* last = nullptr);

}  // namespace headlight
