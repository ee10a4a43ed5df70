// A setup for each task, to begin with.
#pragma once

#include "core/model/setup.hpp"

namespace headlight {

/// A layer with two heads and one-hot positions that has the task still to learn: it does in `offered_steps` steps, to
/// over 99 % of the answers from any seed that was tried. `task` is not `none`.
Setup offered_setup(TaskName task);
constexpr Index offered_steps = 300;

}  // namespace headlight
