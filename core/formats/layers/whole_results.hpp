// What the captured results of a whole model say about it.
#pragma once

#include "core/formats/layers/whole_model.hpp"

namespace headlight {

/// Compares a whole model with what left its layers, its last norm and its unembedding, where its file has that. What
/// is assumed is tried otherwise; where a stream differs all the same, the chain is cut before that layer. The largest
/// difference is told in `findings`. Nothing is computed that takes longer than `seconds`, which is said too.
void decide_by_results(WholeModel& whole, double seconds);

}  // namespace headlight
