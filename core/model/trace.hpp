// A trace: every tensor that a setup gives. It does not change after the engine has made it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/model/cell.hpp"
#include "core/model/mask.hpp"
#include "core/model/names.hpp"
#include "core/model/setup.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// The decision of dropout for each weight: 1 if it is kept, else 0.
using Kept = std::vector<unsigned char>;

/// How the weights of a trace were learnt.
struct Learning {
  Index steps = 0;                   ///< that were made; fewer than asked for where the layer exploded
  std::optional<Index> exploded_at;  ///< the step that left numbers that are not finite; it was undone
  std::vector<double> losses;        ///< of each step's batch before its update
};

struct Trace {
  Trace() = default;
  /// Without a tensor yet.
  explicit Trace(const Setup& of) : setup(of) {}

  Setup setup;
  std::array<Tensor, tensor_count> tensors;  ///< indexed by TensorId; empty if the setup has no such tensor
  /// Which weights dropout keeps: (batch, head, query, key) in row-major order, like `weights`. Drawn after all tensors
  /// from the same generator; null without dropout. Two traces with equal pointers have equal decisions.
  std::shared_ptr<const Kept> kept;
  /// The sequences that X is made of, and what is asked about them: one for each batch item. Null without a task. Two
  /// traces with equal pointers have the same.
  std::shared_ptr<const Sequences> sequences;
  std::shared_ptr<const Learning> learning;  ///< null where training.steps is 0
  std::vector<BlindQuery> blind_queries;
  Tensor hidden;              ///< as `hidden_cells` gives it where there are no masked scores, but a mask; else empty
  std::uint64_t version = 0;  ///< rises with every trace that an engine makes

  const Tensor& operator[](TensorId id) const { return tensors[index_of(id)]; }
  Tensor& operator[](TensorId id) { return tensors[index_of(id)]; }
  bool has(TensorId id) const { return !(*this)[id].empty(); }
  /// The cells of all tensors.
  Index elements() const {
    Index cells = 0;
    for (const Tensor& tensor : tensors)
      if (!tensor.empty()) cells += tensor.elements();
    return cells;
  }
  /// (batch, head, query, key): −inf where the mask hides the key. Empty where the setup has no mask.
  Tensor hidden_cells() const {
    return setup.mask.kinds.empty() || !has(TensorId::masked_scores) ? hidden : (*this)[TensorId::masked_scores];
  }

  /// The number in a cell, widened to double (exact). Pictures, labels, files and explanations all read numbers here.
  double value(const Cell& cell) const {
    return (*this)[cell.tensor].at(std::span(cell.index.begin(), cell.index.end()));
  }
};

}  // namespace headlight
