// A setup's list of draws, carried out: the inputs, weights and biases of a trace.
#pragma once

#include <memory>

#include "core/compute/workspace.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// What a fill_drawn() made and what it made it from, so that the next one repeats only what an edit changed. A value.
class DrawCache {
 public:
  DrawCache() = default;

 private:
  friend DrawCache fill_drawn(Trace& trace, const DrawCache& last, Workspace& workspace);
  struct State;
  std::shared_ptr<const State> state_;
};

/// Fills X, Y, W_*, b_* and the decisions of dropout of a trace whose setup is valid, and empties those that the setup
/// does not have.
///
/// The draws consume random numbers in the order of the list, each in the layout that the setup asks for: X and Y as
/// (batch, d_model, position) where tokens are columns, weights as (out, in) where the layout says so, and always where
/// PyTorch initialises them (`linear`, `xavier_uniform`). The trace gets windows that turn them back to (batch,
/// position, d_model) and (in, out). A later draw of the same tensor, or of the same head's block, replaces the
/// earlier. What is not drawn is zero. With dropout, the decisions come last, from the generator as the list leaves it.
///
/// Draws whose shape, layout and precision are what they were, and that start from the generator's state that they
/// started from, keep the tensors of the last time: Tensor::same_window holds, and `kept` is the same pointer.
DrawCache fill_drawn(Trace& trace, const DrawCache& last, Workspace& workspace);

}  // namespace headlight
