// Edits of the task, and of the layer that learns it.
#pragma once

#include "core/model/setup.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// A layer with two heads and one-hot positions that has the task still to learn: it does in `offered_steps` steps, to
/// over 99 % of the answers from any seed that was tried. `task` is not `none`.
Setup offered_setup(TaskName task);
constexpr Index offered_steps = 300;

/// Another task, with the setup that learns it (offered_setup). Without one the layer stays as it is drawn, and X is
/// drawn again.
Setup with_task(const Setup& setup, TaskName task);

/// Another number of symbols; d_model follows where the symbols and the positions just fill it, or no longer fit.
Setup with_symbols(const Setup& setup, Index symbols);

/// After another number of steps, within what a setup can have.
Setup with_steps(const Setup& setup, Index steps);

/// The setup with the weights that a trace of it has learnt, given, and no steps to make. An edit of the layer itself,
/// in the middle of its training, continues from there: training it from the start under the edit would give another
/// layer. The setup unchanged if nothing has been learnt.
Setup going_on_from(const Setup& setup, const Trace& trace);

}  // namespace headlight
