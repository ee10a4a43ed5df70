// A trace: every tensor that a setup gives. An immutable value once the engine has made it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/model/cell.hpp"
#include "core/model/mask.hpp"
#include "core/model/names.hpp"
#include "core/model/setup.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// One decision of dropout per weight: 1 where it is kept, else 0.
using Kept = std::vector<unsigned char>;

struct Trace {
  Setup setup;
  std::array<Tensor, tensor_count> tensors;  ///< indexed by TensorId; empty where the setup has no such tensor
  /// Which weights dropout keeps, row-major over the shape of `weights`. Drawn after everything else, from the same
  /// generator; null without dropout. Equal pointers mean equal decisions.
  std::shared_ptr<const Kept> kept;
  std::vector<BlindQuery> blind_queries;
  std::uint64_t version = 0;  ///< rises with every trace that an engine makes

  const Tensor& operator[](TensorId id) const { return tensors[static_cast<std::size_t>(id)]; }
  Tensor& operator[](TensorId id) { return tensors[static_cast<std::size_t>(id)]; }
  bool has(TensorId id) const { return !(*this)[id].empty(); }

  /// The number in a cell, widened to double (exact). The one accessor behind pictures, labels, files and explanations.
  double value(const Cell& cell) const {
    return (*this)[cell.tensor].at(std::span(cell.index.begin(), cell.index.end()));
  }
};

}  // namespace headlight
