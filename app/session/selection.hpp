// What the person looks at: one cell of one tensor, carried along when the tensor or the setup changes.
#pragma once

#include "core/model/cell.hpp"
#include "core/model/names.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// A place in the whole trace. All five parts are kept for every tensor, so that going from `scores` to `X` and back
/// finds the same head again; a tensor reads the parts that it has.
struct Selection {
  TensorId tensor = TensorId::X;
  Index batch = 0;
  Index head = 0;    ///< a query head, also for K_heads and V_heads, which may have fewer
  Index row = 0;     ///< place on the last axis but one; 0 for biases
  Index column = 0;  ///< place on the last axis

  friend bool operator==(const Selection&, const Selection&) = default;
};

/// As the picture shows them, not as the tensor stores them.
enum class Direction : std::uint8_t { left, right, up, down };

/// The cell of its tensor. The selection must fit the setup.
Cell cell_of(const Selection& selection, const Setup& setup);

/// The nearest selection that exists under the setup: every part clamped, and a tensor that is gone replaced by the one
/// that took its place (dropped_weights by weights, Y by X, a bias by its weight). The one place where this is decided.
Selection fitting(Selection selection, const Setup& setup);

/// The same batch item and head where the cell's tensor has none; otherwise the cell's own. Clamped to the setup.
Selection at_cell(Selection selection, const Cell& cell, const Setup& setup);

/// Another tensor, at the place that means the same: a key column of `scores` becomes that key's row of `K_heads`.
Selection on_tensor(Selection selection, TensorId tensor, const Setup& setup);

/// One cell further in the picture; stays inside the tensor.
Selection moved(Selection selection, Direction direction, const Setup& setup);

/// The tensor of the neighbouring place in the forward pass that exists under the setup; itself at either end.
TensorId next_tensor(TensorId tensor, const Setup& setup);
TensorId previous_tensor(TensorId tensor, const Setup& setup);

/// Whether the picture turns the tensor: its rows are drawn as columns. Weights turn with `weight_layout = "out_in"`,
/// biases never, everything else with `token_axis = "columns"`.
bool shown_turned(TensorId tensor, const Setup& setup);

}  // namespace headlight
