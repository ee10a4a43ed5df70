// The names of the field, in the order in which a forward pass makes them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace headlight {

/// Every tensor that a trace can hold. Which ones exist depends on the setup; see shapes.hpp.
enum class TensorId : std::uint8_t {
  X,
  Y,
  W_q,
  b_q,
  W_k,
  b_k,
  W_v,
  b_v,
  W_o,
  b_o,
  Q,
  K,
  V,
  Q_heads,
  K_heads,
  V_heads,
  dot_products,
  scores,
  masked_scores,
  weights,
  dropped_weights,
  context,
  concat,
  output,
};
constexpr std::size_t tensor_count = static_cast<std::size_t>(TensorId::output) + 1;

/// What an axis of a tensor counts.
enum class Axis : std::uint8_t {
  batch,         ///< batch items
  head,          ///< query heads
  kv_head,       ///< key and value heads; fewer than heads in grouped-query attention
  query,         ///< query positions
  key,           ///< key positions
  d_model,       ///< features of the input and the output
  d_head,        ///< features of one head
  head_columns,  ///< heads · d_head: all query heads side by side
  kv_columns,    ///< kv_heads · d_head
};
std::string_view axis_name(Axis axis);

/// The identity of a tensor, which colours its frame and label, never its cells.
enum class Role : std::uint8_t { neutral, query, key, value, output };

struct TensorInfo {
  TensorId id;
  std::string_view name;
  Role role;
  std::array<Axis, 4> axes;
  int rank;
  std::string_view about;  ///< one sentence for tooltips

  std::span<const Axis> axis_list() const { return {axes.data(), static_cast<std::size_t>(rank)}; }
  bool has_heads() const { return rank == 4; }
  bool has_batch() const { return axes[0] == Axis::batch; }
};

const TensorInfo& info(TensorId id);
std::string_view name(TensorId id);
std::optional<TensorId> tensor_named(std::string_view name);
/// All of them, in the order of the forward pass.
std::span<const TensorInfo> all_tensors();

}  // namespace headlight
