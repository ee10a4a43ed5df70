// The tensors of multi-head attention as one table: what each is called, how it is indexed and what it means.
// Everything that the app knows about a tensor is in its row of tensor_table.inc, except how it is computed: that is
// its line of core/stages/forward_pass.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace headlight {

struct Setup;

/// Every tensor of the forward pass, in its order, then their gradients, then the tensors from which nothing else is
/// computed. Which of them exist depends on the setup.
enum class TensorId : std::uint8_t {
#define HEADLIGHT_TENSOR(word, ...) word,
#include "core/model/tensor_table.inc"
  last_gradient = 2 * loss + 1,
#define HEADLIGHT_ASIDE(word, ...) word,
#include "core/model/tensor_table.inc"
  end
};

/// The index of a tensor in an array with one element for each.
constexpr std::size_t index_of(TensorId id) { return static_cast<std::size_t>(id); }

constexpr std::size_t forward_count = index_of(TensorId::loss) + 1;
constexpr std::size_t tensor_count = index_of(TensorId::end);

/// Whether nothing is computed from the tensor: it shows what a head's weights mean, and has no gradient.
constexpr bool is_aside(TensorId id) { return id > TensorId::last_gradient; }

/// Every tensor of the forward pass has a gradient, ∂L/∂T, of the same shape. The gradients follow the tensors in the
/// reverse order, which is that of the backward pass. So each tensor is still made only from tensors before it.
constexpr TensorId gradient_of(TensorId id) {
  return static_cast<TensorId>(index_of(TensorId::last_gradient) - index_of(id));
}
constexpr bool is_gradient(TensorId id) { return id > TensorId::loss && id <= TensorId::last_gradient; }
/// The tensor itself, for its gradient too.
constexpr TensorId without_gradient(TensorId id) { return is_gradient(id) ? gradient_of(id) : id; }

/// The things that an axis of a tensor counts.
enum class Axis : std::uint8_t {
  batch,         ///< batch items
  head,          ///< query heads
  kv_head,       ///< key and value heads; fewer than heads in grouped-query attention
  query,         ///< query positions
  key,           ///< key positions
  position,      ///< positions of either: as many as the longer of queries and keys
  token,         ///< positions of X: in self-attention those of the past, then the queries
  d_model,       ///< features of the input
  d_source,      ///< features of the source of keys and values: those of the input, or of the second one
  d_out,         ///< features of the output
  d_head,        ///< features of one head
  head_columns,  ///< heads · d_head: all query heads side by side
  kv_columns,    ///< kv_heads · d_head
  answers,       ///< answers · symbols: the symbols of a task, once for each answer that it asks for
  symbols,       ///< the symbols that a position of a task may hold
  d_mlp,         ///< neurons of the MLP
};
std::string_view axis_name(Axis axis);

/// The role of a tensor, which decides the colour of its frame and label, never the colour of its cells.
enum class Role : std::uint8_t { neutral, query, key, value, output };

/// Which layers of a model have a tensor of their own: all of them, or one alone, so that a model has it once.
enum class OfLayers : std::uint8_t { each, first, last };

/// Where a tensor's numbers come from: inputs, weights, biases, a learned encoding of the positions, an embedding of
/// the symbols, the gains and the shift of a norm, and the sinks of a softmax are drawn or given; everything else is
/// computed. Without a draw or a value gains are 1 and everything else 0. Attention weights are computed too, unless
/// they are all that is known of a layer.
enum class TensorKind : std::uint8_t { input, weight, bias, encoding, embedding, gain, shift, sink, computed };

struct TensorInfo {
  TensorId id = TensorId::X;
  std::string_view name = {};    ///< the name in files, scripts and messages: "W_q"
  std::string_view symbol = {};  ///< as formulas and titles write it: "Q", "dot products"; "W_q" has subscript q
  std::string_view title = {};   ///< as a heading: "Attention weights"; empty for a tensor without heads
  std::string_view words = {};   ///< what a row of the tensor is, in the plural: "queries"; empty if the symbol says it
  std::string_view about = {};   ///< one sentence for tooltips
  TensorKind kind = TensorKind::computed;
  Role role = Role::neutral;
  int rank = 0;
  std::array<Axis, 4> axes{};                    ///< only the first `rank` entries count, outermost first
  OfLayers layers = OfLayers::each;              ///< which layers of a model have it
  std::optional<TensorId> weight = {};           ///< for a bias: the weight of the product that it is added to
  bool masked = false;                           ///< pictures hatch the cells that the mask hides
  bool probability = false;                      ///< its values are between 0 and 1
  bool known_alone = false;                      ///< may be given without anything that it is computed from
  bool (*exists)(const Setup& setup) = nullptr;  ///< whether a trace of the setup holds it; null: every trace does
  /// For what can be drawn: whether its stage makes it from the setup instead; null: never.
  bool (*made)(const Setup& setup) = nullptr;

  std::span<const Axis> axis_list() const { return {axes.data(), static_cast<std::size_t>(rank)}; }
  bool has(Axis axis) const { return index_of(axis).has_value(); }
  /// The index of an axis among the tensor's axes; none if it has no such axis.
  std::optional<int> index_of(Axis axis) const;
  /// The index of the axis that counts heads or batch items, if the tensor has one matrix for each. A matrix is the
  /// last two axes, so that a vector with one number per head has no such axis.
  std::optional<int> head_axis() const;
  std::optional<int> batch_axis() const;
  bool has_heads() const { return head_axis().has_value(); }
  /// Whether its head axis counts key and value heads, which several neighbouring query heads may share.
  bool has_kv_heads() const { return has_heads() && has(Axis::kv_head); }
  bool has_batch() const { return batch_axis().has_value(); }
  /// Whether its rows are queries and its columns keys.
  bool is_query_by_key() const;
  /// Whether a setup may draw or give it. `is_drawn` in shapes.hpp tells whether a particular setup does.
  constexpr bool can_be_drawn() const { return kind != TensorKind::computed; }
  /// The same, or whether it may be given as all that is known of a layer.
  constexpr bool can_be_given() const { return can_be_drawn() || known_alone; }
  /// The value of all its numbers if neither drawn nor given.
  constexpr double without_draws() const { return kind == TensorKind::gain ? 1 : 0; }
  /// Whether it holds how much each query looks at each key: a row is a distribution over the keys.
  bool is_attention() const { return probability && has(Axis::key); }
  /// Whether its hidden cells are −inf, and not 0.
  bool hides_as_infinity() const { return masked && !probability && !headlight::is_gradient(id); }
  /// Whether a model has it once, however many layers it has.
  constexpr bool is_of_model() const { return layers != OfLayers::each; }
  constexpr bool is_gradient() const { return headlight::is_gradient(id); }
  /// The axis along which each head has a block of d_head entries that can be drawn separately: columns of W_q, rows of
  /// W_o. None for computed tensors and for tensors that have no block per head.
  std::optional<int> block_axis() const;
};

const TensorInfo& info(TensorId id);
std::string_view name(TensorId id);
std::optional<TensorId> tensor_named(std::string_view name);
/// All tensors, gradients included, in the order of TensorId.
std::span<const TensorInfo> all_tensors();
/// Everything that can be drawn or given, in the order of TensorId, but gains and shifts of norms last.
std::span<const TensorId> drawn_tensors();

/// All tensors of a kind, in the order of TensorId.
std::vector<TensorId> tensors_of(TensorKind kind);

/// The bias that goes with a weight; none if `weight` is not a weight.
std::optional<TensorId> bias_of(TensorId weight);
/// The shift that goes with the gain of a norm: the row behind it; none for gains without one.
std::optional<TensorId> shift_of(TensorId gain);
/// Whether the tensor is W_q, W_k or W_v, which nn.MultiheadAttention packs into one in-projection and draws together.
bool is_in_projection(TensorId id);

}  // namespace headlight
