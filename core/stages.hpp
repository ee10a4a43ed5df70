// The forward pass as one table: each stage with its formula, what it reads and makes, and how it is computed.
// Adding a stage touches this table and the function that it names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/explanation.hpp"
#include "core/trace.hpp"

namespace headlight {

enum class StageId : std::uint8_t {
  draw, project_queries, project_keys, project_values, split, dot_products, scale, mask, softmax, dropout, context,
  concat, output,
};

/// The settings that a stage reads, as a list that compares: equal lists and unchanged input tensors mean that the stage
/// would compute what it already has.
using StageSettings = std::vector<std::variant<std::int64_t, double, std::string>>;

struct Stage {
  StageId id;
  std::string_view title;    ///< "Dot products"
  std::string_view formula;  ///< "dot_products = Q_heads @ K_headsᵀ"
  std::span<const TensorId> inputs;
  std::span<const TensorId> outputs;
  StageSettings (*settings)(const Trace& trace);
  /// Fills the outputs of `trace` from its inputs and its setup.
  void (*compute)(Trace& trace);
  /// The explanation of one cell of one of the outputs.
  Explanation (*explain)(const Trace& trace, const Cell& cell);
  /// The line of code that does it, in the words of the setup's generator's library.
  std::string (*code)(const Setup& setup);
};

/// In the order in which they run. `draw` comes first; it is the one stage without `compute`, because its numbers depend
/// on a generator that runs on from draw to draw (random/draws.hpp).
std::span<const Stage> stages();
const Stage& stage(StageId id);
/// The stage that makes the tensor.
const Stage& stage_of(TensorId id);

}  // namespace headlight
