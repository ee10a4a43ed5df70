#include "core/model/names.hpp"

#include <algorithm>

namespace headlight {
namespace {

using enum Axis;

constexpr TensorInfo matrix(TensorId id, std::string_view name, Role role, Axis rows, Axis columns,
                            std::string_view about) {
  return {id, name, role, {rows, columns}, 2, about};
}
constexpr TensorInfo vector(TensorId id, std::string_view name, Role role, Axis columns, std::string_view about) {
  return {id, name, role, {columns}, 1, about};
}
constexpr TensorInfo sequence(TensorId id, std::string_view name, Role role, Axis position, Axis columns,
                              std::string_view about) {
  return {id, name, role, {batch, position, columns}, 3, about};
}
constexpr TensorInfo per_head(TensorId id, std::string_view name, Role role, Axis heads, Axis rows, Axis columns,
                              std::string_view about) {
  return {id, name, role, {batch, heads, rows, columns}, 4, about};
}

constexpr std::array<TensorInfo, tensor_count> tensors{{
    sequence(TensorId::X, "X", Role::neutral, query, d_model, "the input; queries come from it"),
    sequence(TensorId::Y, "Y", Role::neutral, key, d_model, "the second input; keys and values come from it"),
    matrix(TensorId::W_q, "W_q", Role::query, d_model, head_columns, "projects the input to queries"),
    vector(TensorId::b_q, "b_q", Role::query, head_columns, "added to every query"),
    matrix(TensorId::W_k, "W_k", Role::key, d_model, kv_columns, "projects the input to keys"),
    vector(TensorId::b_k, "b_k", Role::key, kv_columns, "added to every key"),
    matrix(TensorId::W_v, "W_v", Role::value, d_model, kv_columns, "projects the input to values"),
    vector(TensorId::b_v, "b_v", Role::value, kv_columns, "added to every value"),
    matrix(TensorId::W_o, "W_o", Role::output, head_columns, d_model, "mixes the heads into the output"),
    vector(TensorId::b_o, "b_o", Role::output, d_model, "added to every output row"),
    sequence(TensorId::Q, "Q", Role::query, query, head_columns, "the queries of all heads, side by side"),
    sequence(TensorId::K, "K", Role::key, key, kv_columns, "the keys of all heads, side by side"),
    sequence(TensorId::V, "V", Role::value, key, kv_columns, "the values of all heads, side by side"),
    per_head(TensorId::Q_heads, "Q_heads", Role::query, head, query, d_head, "the queries, head by head"),
    per_head(TensorId::K_heads, "K_heads", Role::key, kv_head, key, d_head, "the keys, head by head"),
    per_head(TensorId::V_heads, "V_heads", Role::value, kv_head, key, d_head, "the values, head by head"),
    per_head(TensorId::dot_products, "dot_products", Role::neutral, head, query, key, "every query times every key"),
    per_head(TensorId::scores, "scores", Role::neutral, head, query, key, "dot products, scaled"),
    per_head(TensorId::masked_scores, "masked_scores", Role::neutral, head, query, key,
             "scores, with -inf where the key is hidden from the query"),
    per_head(TensorId::weights, "weights", Role::neutral, head, query, key,
             "softmax over the keys: each row sums to 1"),
    per_head(TensorId::dropped_weights, "dropped_weights", Role::neutral, head, query, key,
             "weights after dropout: some zeroed, the others enlarged"),
    per_head(TensorId::context, "context", Role::neutral, head, query, d_head, "the values, mixed by the weights"),
    sequence(TensorId::concat, "concat", Role::neutral, query, head_columns, "the heads, side by side again"),
    sequence(TensorId::output, "output", Role::output, query, d_model, "what multi-head attention returns"),
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < tensor_count; ++i) {
    if (static_cast<std::size_t>(tensors[i].id) != i) return false;
  }
  return true;
}
static_assert(in_order(), "the table is indexed by TensorId");

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

const TensorInfo& info(TensorId id) { return tensors[static_cast<std::size_t>(id)]; }

std::string_view name(TensorId id) { return info(id).name; }

std::optional<TensorId> tensor_named(std::string_view wanted) {
  const auto is_named = [&](const TensorInfo& tensor) { return tensor.name == wanted; };
  const auto* found = std::find_if(tensors.begin(), tensors.end(), is_named);
  if (found == tensors.end()) return std::nullopt;
  return found->id;
}

std::span<const TensorInfo> all_tensors() { return tensors; }

}  // namespace headlight
