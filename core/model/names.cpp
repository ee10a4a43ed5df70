#include "core/model/names.hpp"

#include <algorithm>
#include <array>

#include "core/model/setup.hpp"

namespace headlight {
namespace {

using enum Axis;
using enum TensorId;
using enum TensorKind;

bool is_cross(const Setup& setup) { return setup.is_cross(); }
bool has_dropout(const Setup& setup) { return setup.attention.dropout > 0; }
bool adds_positions(const Setup& setup) { return setup.position.is_added(); }
bool adds_positions_to_y(const Setup& setup) { return setup.is_cross() && setup.position.is_added(); }
bool has_position_table(const Setup& setup) { return setup.position.encoding != Encoding::learned; }
bool rotates(const Setup& setup) { return setup.position.encoding == Encoding::rotary; }
bool has_norm(const Setup& setup) { return setup.has_norm(); }
bool norms_before(const Setup& setup) { return setup.norms(NormPlacement::before); }
bool norms_after(const Setup& setup) { return setup.norms(NormPlacement::after); }
bool has_stream(const Setup& setup) { return setup.block.residual; }
bool has_mlp(const Setup& setup) { return setup.has_mlp(); }
bool has_gate(const Setup& setup) { return setup.has_mlp() && setup.block.gated; }
bool has_middle(const Setup& setup) { return setup.block.residual && (setup.has_mlp() || norms_after(setup)); }
bool has_end(const Setup& setup) { return setup.block.residual && (setup.has_mlp() || !norms_after(setup)); }
bool norms_mlp(const Setup& setup) { return setup.has_norm() && setup.has_mlp(); }
bool norms_before_mlp(const Setup& setup) { return norms_before(setup) && setup.has_mlp(); }
bool norms_after_mlp(const Setup& setup) { return norms_after(setup) && setup.has_mlp(); }
bool norms_at_the_end(const Setup& setup) { return setup.has_norm() && setup.norm.final; }
bool embeds_symbols(const Setup& setup) { return setup.embedding.learned; }
bool unembeds(const Setup& setup) { return setup.embedding.unembed; }
bool has_answers(const Setup& setup) { return setup.has_task() || setup.embedding.unembed; }
bool norms_heads(const Setup& setup) { return setup.attention.qk_norm; }
bool norms_each_head(const Setup& setup) { return setup.attention.qk_norm && !setup.norms_all_heads(); }
bool norms_all_heads(const Setup& setup) { return setup.norms_all_heads(); }
bool has_sinks(const Setup& setup) { return setup.attention.sink == Sink::learned; }
bool caps_scores(const Setup& setup) { return setup.attention.soft_cap != 0; }
bool has_position_biases(const Setup& setup) { return setup.position.biases_scores(); }
bool has_task(const Setup& setup) { return setup.has_task(); }
/// X is made of a task's sequences, or it is what the layer below leaves.
bool is_made_input(const Setup& setup) { return setup.has_task() || !setup.is_first(); }
/// Matrices from features to features are worth having where features mean something, and not where they would be the
/// largest tensors of all.
bool has_head_matrices(const Setup& setup) {
  constexpr Index most_numbers = Index{1} << 20;
  if (!setup.names_features()) return false;
  const auto fits = [&](Index rows, Index columns) {
    return Shape{setup.sizes.heads, rows, columns}.elements() <= most_numbers;
  };
  return fits(setup.sizes.d_model, setup.d_source()) && fits(setup.d_source(), setup.d_out());
}
/// A bias exists if a draw or a value fills it.
template <TensorId bias_id>
bool has_bias(const Setup& setup) {
  return setup.fills(bias_id);
}
template <TensorId bias_id>
bool has_mlp_bias(const Setup& setup) {
  return setup.has_mlp() && setup.fills(bias_id);
}
bool has_gate_bias(const Setup& setup) { return has_gate(setup) && setup.fills(b_gate); }
bool has_unembedding_bias(const Setup& setup) { return setup.embedding.unembed && setup.fills(b_U); }
/// A LayerNorm has a shift, an RMSNorm only if a draw or a value fills it.
bool is_shifted(const Setup& setup, TensorId shift_id) {
  return setup.norm.kind == NormKind::layer || (setup.has_norm() && setup.fills(shift_id));
}
bool has_shift(const Setup& setup) { return is_shifted(setup, norm_bias); }
bool has_mlp_shift(const Setup& setup) { return norms_mlp(setup) && is_shifted(setup, mlp_norm_bias); }
bool has_final_shift(const Setup& setup) { return norms_at_the_end(setup) && is_shifted(setup, final_norm_bias); }

constexpr std::array forward_tensors{
#define HEADLIGHT_TENSOR(word, ...) TensorInfo{.id = word, .name = #word, __VA_ARGS__},
#include "core/model/tensor_table.inc"
};
constexpr std::array asides{
#define HEADLIGHT_ASIDE(word, ...) TensorInfo{.id = word, .name = #word, __VA_ARGS__},
#include "core/model/tensor_table.inc"
};
static_assert(forward_tensors.size() == forward_count, "the loss is the last row");

struct GradientWords {
  std::string_view name, symbol, about;
};
constexpr GradientWords gradient_words[] = {
#define HEADLIGHT_TENSOR(word, ...) {"grad_" #word, "∂" #word, "how the loss changes with each number of " #word},
#include "core/model/tensor_table.inc"
};

/// A gradient is a tensor like the one that it belongs to, but computed, and its numbers are neither shares nor hidden
/// as −inf.
constexpr TensorInfo gradient_info(TensorInfo tensor) {
  const GradientWords& words = gradient_words[static_cast<std::size_t>(tensor.id)];
  tensor.id = gradient_of(tensor.id);
  tensor.name = words.name;
  tensor.symbol = words.symbol;
  tensor.title = {};
  tensor.words = {};
  tensor.about = words.about;
  tensor.kind = computed;
  tensor.weight = {};
  tensor.made = nullptr;
  tensor.probability = false;
  tensor.known_alone = false;
  return tensor;
}

constexpr std::array<TensorInfo, tensor_count> tensors = [] {
  std::array<TensorInfo, tensor_count> all{};
  for (const TensorInfo& tensor : forward_tensors) {
    const TensorInfo gradient = gradient_info(tensor);
    all[static_cast<std::size_t>(tensor.id)] = tensor;
    all[static_cast<std::size_t>(gradient.id)] = gradient;
  }
  for (const TensorInfo& tensor : asides) all[static_cast<std::size_t>(tensor.id)] = tensor;
  return all;
}();

constexpr std::size_t drawn_count = static_cast<std::size_t>(
    std::ranges::count_if(tensors, [](const TensorInfo& tensor) { return tensor.can_be_given(); }));

constexpr bool is_of_norm(const TensorInfo& tensor) { return tensor.kind == gain || tensor.kind == shift; }

constexpr std::array<TensorId, drawn_count> drawn = [] {
  std::array<TensorId, drawn_count> ids{};
  std::size_t count = 0;
  for (const bool of_norms : {false, true}) {
    for (const TensorInfo& tensor : tensors)
      if (tensor.can_be_given() && is_of_norm(tensor) == of_norms) ids[count++] = tensor.id;
  }
  return ids;
}();

}  // namespace

std::string_view axis_name(Axis axis) {
  switch (axis) {
    case batch: return "batch";
    case head: return "head";
    case kv_head: return "kv_head";
    case query: return "query";
    case key: return "key";
    case position: return "position";
    case Axis::token: return "token";
    case d_model: return "d_model";
    case Axis::d_source: return "d_source";
    case Axis::d_out: return "d_out";
    case d_head: return "d_head";
    case head_columns: return "heads·d_head";
    case kv_columns: return "kv_heads·d_head";
    case answers: return "answers·symbols";
    case symbols: return "symbols";
    case d_mlp: return "d_mlp";
  }
  return "";
}

std::optional<int> TensorInfo::index_of(Axis axis) const {
  const auto found = std::ranges::find(axis_list(), axis);
  if (found == axis_list().end()) return std::nullopt;
  return static_cast<int>(found - axis_list().begin());
}

std::optional<int> TensorInfo::head_axis() const {
  const auto axis = has(head) ? index_of(head) : index_of(kv_head);
  return axis && *axis + 2 < rank ? axis : std::nullopt;
}

std::optional<int> TensorInfo::batch_axis() const {
  const auto axis = index_of(batch);
  return axis && *axis + 2 < rank ? axis : std::nullopt;
}

bool TensorInfo::is_query_by_key() const {
  return rank >= 2 && index_of(query) == rank - 2 && index_of(key) == rank - 1;
}

std::optional<int> TensorInfo::block_axis() const {
  if (kind != TensorKind::weight && kind != TensorKind::bias) return std::nullopt;
  for (int i = 0; i < rank; ++i) {
    const Axis axis = axes[static_cast<std::size_t>(i)];
    if (axis == head_columns || axis == kv_columns) return i;
  }
  return std::nullopt;
}

const TensorInfo& info(TensorId id) { return tensors[index_of(id)]; }

std::string_view name(TensorId id) { return info(id).name; }

std::optional<TensorId> tensor_named(std::string_view wanted) {
  const auto found = std::ranges::find(tensors, wanted, &TensorInfo::name);
  if (found == tensors.end()) return std::nullopt;
  return found->id;
}

std::span<const TensorInfo> all_tensors() { return tensors; }

std::span<const TensorId> drawn_tensors() { return drawn; }

std::vector<TensorId> tensors_of(TensorKind kind) {
  std::vector<TensorId> ids;
  for (const TensorInfo& tensor : tensors) {
    if (tensor.kind == kind) ids.push_back(tensor.id);
  }
  return ids;
}

std::optional<TensorId> bias_of(TensorId weight_id) {
  const auto found = std::ranges::find(tensors, std::optional(weight_id), &TensorInfo::weight);
  if (found == tensors.end()) return std::nullopt;
  return found->id;
}

std::optional<TensorId> shift_of(TensorId gain_id) {
  const TensorInfo& next = tensors[index_of(gain_id) + 1];
  return info(gain_id).kind == gain && next.kind == shift ? std::optional(next.id) : std::nullopt;
}

bool is_in_projection(TensorId id) { return info(id).kind == TensorKind::weight && info(id).role != Role::output; }

}  // namespace headlight
