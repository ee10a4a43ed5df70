// A trace: every tensor that a setup gives in one of its layers. It does not change after the engine has made it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
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
  Trace() {}  // not defaulted: make_shared would clear its memory first, and then again
  /// Without a tensor yet.
  explicit Trace(Setup of) : setup(std::move(of)) {}

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
  Tensor from_below;  ///< what the layer below leaves, (batch, query, d_model), which X is; empty in the first layer
  Tensor from_above;  ///< its gradient: that of X of the layer above; empty in the last layer, and without a task
  Tensor hidden;      ///< as `hidden_cells` gives it where there are no masked scores, but a mask; else empty
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

  /// A number of this layer, widened to double (exact). Pictures, labels, files and explanations all read numbers here.
  double number(TensorId id, const Shape& index) const { return (*this)[id].at(std::span(index.begin(), index.end())); }
  /// The same for operations, whose cells have no layer yet.
  double number(const Cell& cell) const { return number(cell.tensor, cell.index); }
  /// The number in a cell. Throws std::logic_error for a cell of another layer, which would be another number.
  double value(const Cell& cell) const {
    if (cell.layer != setup.layer) throw std::logic_error(to_string(cell) + " is not in this layer");
    return number(cell.tensor, cell.index);
  }
};

/// A tensor of a layer of a model.
struct LayerTensor {
  Index layer = 0;
  TensorId tensor = TensorId::X;

  template <class T>
  auto& in(std::span<T> layers) const {
    return layers[static_cast<std::size_t>(layer)][tensor];
  }
  friend bool operator==(const LayerTensor&, const LayerTensor&) = default;
};
/// What training changes: learned_tensors() of layer 0, then of layer 1, and so on.
std::vector<LayerTensor> learned_in_model(const Setup& setup);

/// What a setup gives: the trace of each of its layers, in order, each asked about its own layer.
struct ModelTrace {
  std::vector<std::shared_ptr<const Trace>> layers;

  /// Nothing: of no setup at all.
  bool empty() const { return layers.empty(); }
  const Trace& at(Index layer) const { return *layers.at(static_cast<std::size_t>(layer)); }
  const Trace& first() const { return *layers.front(); }
  const Trace& last() const { return *layers.back(); }
  double value(const Cell& cell) const { return at(cell.layer).value(cell); }
  friend bool operator==(const ModelTrace&, const ModelTrace&) = default;
};

}  // namespace headlight
