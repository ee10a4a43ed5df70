// Tasks, and the layer that learns them.
#pragma once

#include "core/model/setup.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// Another task, with the setup that learns it (offered_setup). Without one the layer stays as it is drawn, and X is
/// drawn again.
Setup with_task(const Setup& setup, TaskName task);

/// Another number of symbols; d_model follows where the symbols and the positions just fill it, or no longer fit.
Setup with_symbols(const Setup& setup, Index symbols);

/// After another number of steps, within what a setup can have.
Setup with_steps(const Setup& setup, Index steps);

/// The setup with the weights that a trace of it has learnt, given, and no steps to make. An edit of the layer itself,
/// in the middle of its training, goes on from there: training it from the start under the edit would give another
/// layer. The setup as it is where nothing has been learnt.
Setup going_on_from(const Setup& setup, const Trace& trace);

}  // namespace headlight
