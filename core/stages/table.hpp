// The forward pass as one table: each stage with its formula, what it reads and makes, and how it is computed.
// Adding a stage touches this table and the function that it names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/compute/workspace.hpp"
#include "core/model/explanation.hpp"
#include "core/model/trace.hpp"

namespace headlight {

enum class StageId : std::uint8_t {
  draw,
  project_queries,
  project_keys,
  project_values,
  split,
  dot_products,
  scale,
  mask,
  softmax,
  dropout,
  context,
  concat,
  output,
};

struct Stage {
  StageId id;
  std::string_view title;    ///< "Dot products"
  std::string_view formula;  ///< "dot_products = Q_heads @ K_headsᵀ"
  std::span<const TensorId> inputs;
  std::span<const TensorId> outputs;
  /// Whether two setups agree in all that the stage reads besides its input tensors; null where it reads nothing else.
  /// Then unchanged input tensors mean that it would compute what it already has.
  bool (*same_settings)(const Setup& a, const Setup& b);
  /// How many products each number that it makes adds up; null where it is no matrix product.
  Index (*terms)(const Setup& setup);
  /// Fills the outputs of `trace` from its inputs and its setup.
  void (*compute)(Trace& trace, Workspace& workspace);
  /// The explanation of one cell of one of the outputs.
  Explanation (*explain)(const Trace& trace, const Cell& cell);
  /// The line of code that does it, in the words of the setup's generator's library. Null for `draw`, which has a line
  /// for each tensor (draw_code in formats/script.hpp).
  std::string (*code)(const Setup& setup);
};

/// In the order in which they run. `draw` comes first; it is the one stage without `compute`, because its numbers
/// depend on a generator that runs on from draw to draw (random/draws.hpp).
std::span<const Stage> stages();
const Stage& stage(StageId id);
bool same_settings(const Stage& stage, const Setup& a, const Setup& b);
/// The stage that makes the tensor.
const Stage& stage_of(TensorId id);

}  // namespace headlight
