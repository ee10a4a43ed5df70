// The selected cell of the selected tensor, and how it changes with the tensor and the setup.
#pragma once

#include <string>

#include "core/model/cell.hpp"
#include "core/model/names.hpp"
#include "core/model/setup.hpp"
#include "core/model/tensor.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// All indices are kept for every tensor, so that going from `scores` to `X` and back returns to the same head. A
/// tensor uses only the indices that it has axes for.
struct Selection {
  TensorId tensor = TensorId::X;
  Index batch = 0;
  Index head = 0;    ///< a query head, also for K_heads and V_heads, which may have fewer heads
  Index row = 0;     ///< index on the last axis but one; 0 for biases
  Index column = 0;  ///< index on the last axis

  friend bool operator==(const Selection&, const Selection&) = default;
};

/// A selection that a person has pinned, and its layer of the model.
struct Pin {
  Selection selection;
  Index layer = 0;

  friend bool operator==(const Pin&, const Pin&) = default;
};

/// Directions in the picture, which may show the tensor transposed.
enum class Direction : std::uint8_t { left, right, up, down };

/// The selected cell. The selection must fit the setup.
Cell cell_of(const Selection& selection, const Setup& setup);

/// The cell as people read it where a model has several layers: "L0.resid_post[0,7,3]". There layer 0 is written too,
/// since it isn't always the one that is shown.
std::string text_of(const Cell& cell, const Setup& setup);

/// The nearest selection that exists under the setup: every index is clamped, and a tensor that no longer exists is
/// replaced (dropped_weights by weights, Y by X, a bias by its weight). Only this function decides that.
Selection fitting(Selection selection, const Setup& setup);

/// The selection of the cell, clamped to the setup. Batch item and head stay as they were if the cell's tensor has
/// none.
Selection at_cell(Selection selection, const Cell& cell, const Setup& setup);

/// The selection on another tensor, with the same meaning: a key column of `scores` becomes that key's row of
/// `K_heads`.
Selection on_tensor(Selection selection, TensorId tensor, const Setup& setup);

/// The selection one cell further in the picture; it stays inside the tensor.
Selection moved(Selection selection, Direction direction, const Setup& setup);

/// The next or previous tensor of the forward pass that exists under the setup; the same tensor at either end.
TensorId next_tensor(TensorId tensor, const Setup& setup);
TensorId previous_tensor(TensorId tensor, const Setup& setup);

/// Whether the picture transposes the tensor. Weights are transposed with `weight_layout = "out_in"`, vectors never,
/// everything else with `token_axis = "columns"`.
bool shown_turned(TensorId tensor, const Setup& setup);

/// For the clipboard, with every digit, tabs between columns and one row per line: the selected row (in stored order:
/// the row of a query in `scores`), or the matrix of its batch item and head.
std::string row_text(const Trace& trace, const Selection& selection);
std::string matrix_text(const Trace& trace, const Selection& selection);

/// The part of the selection's tensor that one picture shows, as a window: the matrix of its batch item and head, or a
/// whole bias.
Tensor matrix_of(const Trace& trace, const Selection& selection);

}  // namespace headlight
