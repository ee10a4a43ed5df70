// Carries out a setup's list of draws: the inputs, weights and biases of a trace.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/compute/workspace.hpp"
#include "core/model/setup.hpp"
#include "core/model/tensor.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// What a fill_drawn() drew and from which generator states, so that the next call repeats only the draws that an edit
/// changed. A value.
class DrawCache {
 public:
  DrawCache() = default;

 private:
  friend DrawCache fill_drawn(std::span<Trace* const> traces, const DrawCache& last, Workspace& workspace);
  struct State;
  std::shared_ptr<const State> state_;
};

/// Fills every tensor that the setup draws or gives, and the dropout decisions, of traces of layers of one valid setup.
/// Tensors that the setup does not have or draw are emptied.
///
/// The draws consume random numbers in the order of the list, each in the layout that the setup asks for: X and Y as
/// (batch, d_model, position) if tokens are columns, weights as (out, in) if the weight layout says so, and always for
/// PyTorch's initialisations (`linear`, `xavier_uniform`). The trace gets windows that turn them back to (batch,
/// position, d_model) and (in, out). A later draw of the same tensor, or of the same head's block, replaces the earlier
/// one. Numbers that are neither drawn nor given are 0, those of a gain 1. A draw that fills only tensors that are
/// given as a whole is left out and consumes nothing; a given part replaces numbers after all draws. The dropout
/// decisions are drawn last, with the generator in the state that the list leaves.
///
/// With a task, X is not drawn but made of the task's sequences, which have a generator of their own (sequences.hpp).
///
/// A draw with the same shape, layout and precision that starts from the same generator state as a draw in `last` keeps
/// that draw's tensor: Tensor::same_window holds, and `kept` is the same pointer. Throws Stopped if the caller has
/// cancelled.
DrawCache fill_drawn(std::span<Trace* const> traces, const DrawCache& last, Workspace& workspace);
/// The same for one of them.
DrawCache fill_drawn(Trace& trace, const DrawCache& last, Workspace& workspace);

// --- A weight or bias assembled from its draws: none, one of the whole tensor, or blocks of single heads -------------

/// What a draw fills: a whole tensor, or the block of it that belongs to one head (columns of W_q, W_k, W_v, entries of
/// their biases, rows of W_o).
struct Region {
  TensorId id;
  std::optional<Index> head;
};

Shape region_shape(const Region& region, const Setup& setup);

/// What was drawn for one tensor: the last draw of the whole tensor, and later draws of single heads' blocks. Numbers
/// that no draw fills are 0, those of a gain 1.
class Assembly {
 public:
  /// Adds a draw of the whole tensor or of one head's block. `values` has the axes of the tensor in the trace; empty
  /// means zeros.
  void place(std::optional<Index> head, Tensor values);

  /// The assembled tensor. If only the whole tensor was drawn, that draw is returned without a copy.
  Tensor assemble(TensorId id, const Setup& setup) const;

  /// Whether both hold the same windows in the same places; assembled to the same shape they then give the same tensor.
  friend bool operator==(const Assembly& a, const Assembly& b);

 private:
  struct Block {
    Index head;
    Tensor values;
  };
  Tensor whole_;
  std::vector<Block> blocks_;  ///< one for each head that has a draw, in the order of the draws
};

}  // namespace headlight
