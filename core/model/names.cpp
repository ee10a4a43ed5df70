#include "core/model/names.hpp"

#include <algorithm>

#include "core/model/setup.hpp"

namespace headlight {
namespace {

using enum Axis;
using enum TensorId;
using enum TensorKind;

bool is_cross(const Setup& setup) { return setup.is_cross(); }
bool has_dropout(const Setup& setup) { return setup.attention.dropout > 0; }
/// A bias exists if a draw fills it.
template <TensorId bias_id>
bool has_bias(const Setup& setup) {
  return setup.draws(bias_id);
}

constexpr std::array<TensorInfo, tensor_count> tensors{{
    {.id = X,
     .name = "X",
     .symbol = "X",
     .words = "input",
     .about = "the input; queries come from it",
     .kind = input,
     .rank = 3,
     .axes = {batch, query, d_model}},
    {.id = Y,
     .name = "Y",
     .symbol = "Y",
     .words = "input",
     .about = "the second input; keys and values come from it",
     .kind = input,
     .rank = 3,
     .axes = {batch, key, d_model},
     .exists = is_cross},
    {.id = W_q,
     .name = "W_q",
     .symbol = "W_q",
     .about = "projects the input to queries",
     .kind = weight,
     .role = Role::query,
     .rank = 2,
     .axes = {d_model, head_columns}},
    {.id = b_q,
     .name = "b_q",
     .symbol = "b_q",
     .about = "added to every query",
     .kind = bias,
     .role = Role::query,
     .rank = 1,
     .axes = {head_columns},
     .weight = W_q,
     .exists = has_bias<b_q>},
    {.id = W_k,
     .name = "W_k",
     .symbol = "W_k",
     .about = "projects the input to keys",
     .kind = weight,
     .role = Role::key,
     .rank = 2,
     .axes = {d_model, kv_columns}},
    {.id = b_k,
     .name = "b_k",
     .symbol = "b_k",
     .about = "added to every key",
     .kind = bias,
     .role = Role::key,
     .rank = 1,
     .axes = {kv_columns},
     .weight = W_k,
     .exists = has_bias<b_k>},
    {.id = W_v,
     .name = "W_v",
     .symbol = "W_v",
     .about = "projects the input to values",
     .kind = weight,
     .role = Role::value,
     .rank = 2,
     .axes = {d_model, kv_columns}},
    {.id = b_v,
     .name = "b_v",
     .symbol = "b_v",
     .about = "added to every value",
     .kind = bias,
     .role = Role::value,
     .rank = 1,
     .axes = {kv_columns},
     .weight = W_v,
     .exists = has_bias<b_v>},
    {.id = W_o,
     .name = "W_o",
     .symbol = "W_o",
     .about = "mixes the heads into the output",
     .kind = weight,
     .role = Role::output,
     .rank = 2,
     .axes = {head_columns, d_model}},
    {.id = b_o,
     .name = "b_o",
     .symbol = "b_o",
     .about = "added to every output row",
     .kind = bias,
     .role = Role::output,
     .rank = 1,
     .axes = {d_model},
     .weight = W_o,
     .exists = has_bias<b_o>},
    {.id = Q,
     .name = "Q",
     .symbol = "Q",
     .words = "queries",
     .about = "the queries of all heads, side by side",
     .role = Role::query,
     .rank = 3,
     .axes = {batch, query, head_columns}},
    {.id = K,
     .name = "K",
     .symbol = "K",
     .words = "keys",
     .about = "the keys of all heads, side by side",
     .role = Role::key,
     .rank = 3,
     .axes = {batch, key, kv_columns}},
    {.id = V,
     .name = "V",
     .symbol = "V",
     .words = "values",
     .about = "the values of all heads, side by side",
     .role = Role::value,
     .rank = 3,
     .axes = {batch, key, kv_columns}},
    {.id = Q_heads,
     .name = "Q_heads",
     .symbol = "Q",
     .title = "Q per head",
     .words = "queries",
     .about = "the queries, head by head",
     .role = Role::query,
     .rank = 4,
     .axes = {batch, head, query, d_head}},
    {.id = K_heads,
     .name = "K_heads",
     .symbol = "K",
     .title = "K per head",
     .words = "keys",
     .about = "the keys, head by head",
     .role = Role::key,
     .rank = 4,
     .axes = {batch, kv_head, key, d_head}},
    {.id = V_heads,
     .name = "V_heads",
     .symbol = "V",
     .title = "V per head",
     .words = "values",
     .about = "the values, head by head",
     .role = Role::value,
     .rank = 4,
     .axes = {batch, kv_head, key, d_head}},
    {.id = dot_products,
     .name = "dot_products",
     .symbol = "dot products",
     .title = "Dot products",
     .about = "every query times every key",
     .rank = 4,
     .axes = {batch, head, query, key}},
    {.id = scores,
     .name = "scores",
     .symbol = "scores",
     .title = "Scores",
     .about = "dot products, scaled",
     .rank = 4,
     .axes = {batch, head, query, key}},
    {.id = masked_scores,
     .name = "masked_scores",
     .symbol = "masked scores",
     .title = "Masked scores",
     .about = "scores, with -inf where the key is hidden from the query",
     .rank = 4,
     .axes = {batch, head, query, key},
     .masked = true},
    {.id = weights,
     .name = "weights",
     .symbol = "weights",
     .title = "Attention weights",
     .about = "softmax over the keys: each row sums to 1",
     .rank = 4,
     .axes = {batch, head, query, key},
     .masked = true,
     .probability = true},
    {.id = dropped_weights,
     .name = "dropped_weights",
     .symbol = "dropped weights",
     .title = "Weights after dropout",
     .about = "weights after dropout: some zeroed, the others enlarged",
     .rank = 4,
     .axes = {batch, head, query, key},
     .masked = true,
     .probability = true,
     .exists = has_dropout},
    {.id = context,
     .name = "context",
     .symbol = "context",
     .title = "Context",
     .about = "the values, mixed by the weights",
     .rank = 4,
     .axes = {batch, head, query, d_head}},
    {.id = concat,
     .name = "concat",
     .symbol = "concat",
     .about = "the heads, side by side again",
     .rank = 3,
     .axes = {batch, query, head_columns}},
    {.id = output,
     .name = "output",
     .symbol = "output",
     .about = "what multi-head attention returns",
     .role = Role::output,
     .rank = 3,
     .axes = {batch, query, d_model}},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < tensor_count; ++i) {
    if (static_cast<std::size_t>(tensors[i].id) != i) return false;
  }
  return true;
}
static_assert(in_order(), "the table is indexed by TensorId");

constexpr std::size_t drawn_count = static_cast<std::size_t>(
    std::ranges::count_if(tensors, [](const TensorInfo& tensor) { return tensor.is_drawn(); }));

constexpr std::array<TensorId, drawn_count> drawn = [] {
  std::array<TensorId, drawn_count> ids{};
  std::size_t count = 0;
  for (const TensorInfo& tensor : tensors) {
    if (tensor.is_drawn()) ids[count++] = tensor.id;
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
    case d_model: return "d_model";
    case d_head: return "d_head";
    case head_columns: return "heads·d_head";
    case kv_columns: return "kv_heads·d_head";
  }
  return "";
}

std::optional<int> TensorInfo::place_of(Axis axis) const {
  const auto found = std::ranges::find(axis_list(), axis);
  if (found == axis_list().end()) return std::nullopt;
  return static_cast<int>(found - axis_list().begin());
}

std::optional<int> TensorInfo::head_axis() const {
  const auto place = has(head) ? place_of(head) : place_of(kv_head);
  return place && *place + 2 < rank ? place : std::nullopt;
}

std::optional<int> TensorInfo::batch_axis() const {
  const auto place = place_of(batch);
  return place && *place + 2 < rank ? place : std::nullopt;
}

bool TensorInfo::is_query_by_key() const {
  return rank >= 2 && place_of(query) == rank - 2 && place_of(key) == rank - 1;
}

std::optional<int> TensorInfo::block_axis() const {
  if (kind != TensorKind::weight && kind != TensorKind::bias) return std::nullopt;
  for (int place = 0; place < rank; ++place) {
    const Axis axis = axes[static_cast<std::size_t>(place)];
    if (axis == head_columns || axis == kv_columns) return place;
  }
  return std::nullopt;
}

const TensorInfo& info(TensorId id) { return tensors[static_cast<std::size_t>(id)]; }

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

bool is_in_projection(TensorId id) { return info(id).kind == TensorKind::weight && info(id).role != Role::output; }

}  // namespace headlight
