// The tensors of multi-head attention as one table: what each is called, how it is indexed and what it means. Whatever
// the app knows about a tensor by itself stands here; how it is computed stands in core/stages/table.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace headlight {

struct Setup;

/// Every tensor that a trace can hold, in the order of a forward pass. Which ones exist depends on the setup.
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

/// Where a tensor's numbers come from: a draw fills inputs, weights and biases; everything else is computed.
enum class TensorKind : std::uint8_t { input, weight, bias, computed };

struct TensorInfo {
  TensorId id = TensorId::X;
  std::string_view name = {};
  std::string_view symbol = {};  ///< as formulas and titles write it: "Q", "dot products"; "W_q" has the subscript q
  std::string_view title = {};   ///< as a heading: "Attention weights"; empty for a tensor without heads
  std::string_view words = {};   ///< what its rows are: "queries"; empty where the symbol says it
  std::string_view about = {};   ///< one sentence for tooltips
  TensorKind kind = TensorKind::computed;
  Role role = Role::neutral;
  int rank = 0;
  std::array<Axis, 4> axes{};                    ///< the first `rank` of them, outermost first
  std::optional<TensorId> weight = {};           ///< of a bias: the weight whose product it is added to
  bool masked = false;                           ///< pictures hatch what the mask hides
  bool probability = false;                      ///< from 0 to 1
  bool (*exists)(const Setup& setup) = nullptr;  ///< whether a trace of the setup holds it; null: every trace does

  std::span<const Axis> axis_list() const { return {axes.data(), static_cast<std::size_t>(rank)}; }
  bool has(Axis axis) const;
  bool has_heads() const { return rank == 4; }
  /// Whether neighbouring query heads may share one entry of its head axis.
  bool has_kv_heads() const { return has_heads() && axes[1] == Axis::kv_head; }
  bool has_batch() const { return axes[0] == Axis::batch; }
  constexpr bool is_drawn() const { return kind != TensorKind::computed; }
  /// Whether what the mask hides is −inf in it, and not 0.
  bool hides_as_infinity() const { return masked && !probability; }
  /// The axis along which each head has a block of d_head entries that can be drawn by itself: columns of W_q, rows of
  /// W_o. None for computed tensors and where no block belongs to one head.
  std::optional<int> block_axis() const;
};

const TensorInfo& info(TensorId id);
std::string_view name(TensorId id);
std::optional<TensorId> tensor_named(std::string_view name);
/// All of them, in the order of TensorId.
std::span<const TensorInfo> all_tensors();
/// Inputs, weights and biases, in the order of TensorId.
std::span<const TensorId> drawn_tensors();

/// All tensors of a kind, in the order of TensorId.
std::vector<TensorId> tensors_of(TensorKind kind);

/// The bias of a weight; none where `weight` is none.
std::optional<TensorId> bias_of(TensorId weight);
/// W_q, W_k and W_v, which nn.MultiheadAttention packs into one in-projection and draws together.
bool is_in_projection(TensorId id);

}  // namespace headlight
