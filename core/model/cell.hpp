// One number of a trace: its tensor and its index in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/model/names.hpp"
#include "core/model/setup.hpp"

namespace headlight {

struct Cell {
  TensorId tensor = TensorId::X;
  Shape index;      ///< one entry per axis of the tensor, in the order of the names table
  Index layer = 0;  ///< of the model

  friend bool operator==(const Cell&, const Cell&) = default;
};

/// The cell as text: "scores[0,1,2,0]", "L1.scores[0,1,2,0]". Layer 0 is not written, and a tensor that a model has
/// once has no layer.
std::string to_string(const Cell& cell);

/// Reads "scores[0,1,2,0]" or "L1.scores[0,1,2,0]" (spaces allowed), whatever layer the setup is asked about. Throws
/// InputError with what was found and which tensors, ranks and ranges the setup allows.
Cell parse_cell(std::string_view text, const Setup& setup);

/// The layer of a tensor that a model has once; `layer` for others.
Index layer_with(TensorId tensor, Index layer, const Setup& setup);

/// The tensor's name among those of all layers: "L0.weights" where the model has several layers and each has its own.
std::string name_in_model(TensorId tensor, const Setup& setup);

/// Whether the layer that the setup is asked about has the tensor, with this index inside it.
bool has_index(const Setup& setup, TensorId tensor, const Shape& index);
/// Whether the tensor exists in the cell's layer and the index is inside it.
bool contains(const Setup& setup, const Cell& cell);

}  // namespace headlight
