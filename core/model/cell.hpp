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
  Shape index;  ///< one entry per axis of the tensor, in the order of the names table

  friend bool operator==(const Cell&, const Cell&) = default;
};

/// The cell as text: "scores[0,1,2,0]"
std::string to_string(const Cell& cell);

/// Reads "scores[0,1,2,0]" (spaces allowed). Throws InputError with what was found and which tensors, ranks and ranges
/// the setup allows.
Cell parse_cell(std::string_view text, const Setup& setup);

/// Whether the tensor exists under this setup and the index is inside it.
bool contains(const Setup& setup, const Cell& cell);

}  // namespace headlight
