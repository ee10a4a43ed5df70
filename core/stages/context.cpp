// context = weights @ V_heads (the dropped weights while dropout > 0)
#include <array>

#include <fmt/format.h>

#include "core/compute/matrix_product.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/list.hpp"
#include "core/stages/terms.hpp"

namespace headlight {
namespace {

TensorId mixing_weights(const Trace& trace) {
  return trace.has(TensorId::dropped_weights) ? TensorId::dropped_weights : TensorId::weights;
}

/// Each head writes its columns of one (batch, query, heads · d_head) block, so that concatenating them is free.
void compute(Trace& trace, Workspace& workspace) {
  const Tensor& weights = trace[mixing_weights(trace)];
  const Tensor& values = trace[TensorId::V_heads];
  const Shape extents = shape(TensorId::concat, trace.setup);
  const Index heads = trace.setup.sizes.heads;
  const Index width = trace.setup.d_head();
  Tensor joined = workspace.tensor(weights.precision(), extents);
  with_element_type(weights.precision(), [&](auto zero) {
    using T = decltype(zero);
    multiply_all<T>(
        workspace, extents[0] * heads, [&](Index n) { return matrix<T>(weights, n / heads, n % heads); },
        [&](Index n) { return matrix<T>(values, n / heads, kv_head_of(trace.setup, n % heads)); },
        [&](Index n) {
          T* to = joined.writable<T>() + n / heads * extents[1] * extents[2] + n % heads * width;
          return WritableMatrix<T>(to, extents[1], width, RowStride(extents[2]));
        },
        as_it_is);
  });
  trace[TensorId::context] = joined.split_heads(heads);
}

Explanation explain_cell(const Trace& trace, const Cell& cell) {
  const Index batch = cell.index[0], head = cell.index[1], query = cell.index[2], feature = cell.index[3];
  const Index kv_head = kv_head_of(trace.setup, head);
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula =
      fmt::format("context[b,h,i,d] = Σ_j {}[b,h,i,j] · V_heads[b,h,j,d]", name(mixing_weights(trace)));
  explanation.terms = product_terms(
      trace, trace.setup.key_length(), mixing_weights(trace), [&](Index key) { return Shape{batch, head, query, key}; },
      TensorId::V_heads, [&](Index key) { return Shape{batch, kv_head, key, feature}; },
      [&](Index key) { return trace.setup.key_label(key); });
  return explanation;
}

std::string code(const Setup& setup) {
  return fmt::format("context = {} @ V_heads", setup.attention.dropout > 0 ? "dropped_weights" : "weights");
}

}  // namespace

Stage context_stage() {
  static constexpr std::array inputs{TensorId::weights, TensorId::dropped_weights, TensorId::V_heads};
  static constexpr std::array outputs{TensorId::context};
  return {StageId::context,
          "Mix the values",
          "context = weights @ V_heads",
          inputs,
          outputs,
          nullptr,
          [](const Setup& setup) { return setup.key_length(); },
          compute,
          explain_cell,
          code};
}

}  // namespace headlight
