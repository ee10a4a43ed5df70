// context = weights @ V_heads (dropped_weights instead of weights while dropout > 0)
#include <array>

#include <fmt/format.h>

#include "core/compute/matrix_product.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/list.hpp"
#include "core/stages/terms.hpp"

namespace headlight {
namespace {

bool drops_nothing(const Setup& setup) { return setup.attention.dropout <= 0; }

/// (batch, head, query, key) @ (batch, kv_head, key, d_head) -> (batch, head, query, d_head)
/// Each head writes its own columns of a (batch, query, heads · d_head) tensor, so that concatenating heads is a
/// window.
void compute(Trace& trace, Workspace& workspace) {
  const TensorId mixing = trace.has(TensorId::dropped_weights) ? TensorId::dropped_weights : TensorId::weights;
  const Tensor& weights = trace[mixing];                       // (batch, head, query, key)
  const Tensor& values = trace[TensorId::V_heads];             // (batch, kv_head, key, d_head)
  const Shape extents = shape(TensorId::concat, trace.setup);  // (batch, query, heads · d_head)
  const Index heads = trace.setup.sizes.heads;
  const Index width = trace.setup.d_head();
  Tensor joined = workspace.tensor(weights.precision(), extents);  // (batch, query, heads · d_head)
  with_element_type(weights.precision(), [&](auto zero) {
    using T = decltype(zero);
    multiply_all<T>(
        workspace, extents[0] * heads, [&](Index n) { return matrix<T>(weights, n / heads, n % heads); },
        [&](Index n) { return matrix<T>(values, n / heads, trace.setup.kv_head_of(n % heads)); },
        [&](Index n) {
          T* to = joined.writable<T>() + n / heads * extents[1] * extents[2] + n % heads * width;
          return WritableMatrix<T>(to, extents[1], width, RowStride(extents[2]));
        },
        as_it_is);
  });
  trace[TensorId::context] = joined.split_heads(heads);  // (batch, head, query, d_head)
}

CodeLines code(const Code& code) {
  const char* weights = drops_nothing(code.setup) ? "weights" : "dropped_weights";
  return {{fmt::format("context = {} @ {}", weights, for_each_query_head(code, TensorId::V_heads)),
           shape_words(TensorId::context, code)}};
}

std::string heading(const Code&) { return "Mix the values by the weights, and set the heads side by side again."; }

}  // namespace

Stage context_stage() {
  static constexpr std::array operands{Operand{TensorId::weights, Operand::Place::left, false, drops_nothing},
                                       Operand{TensorId::dropped_weights},
                                       Operand{TensorId::V_heads, Operand::Place::right}};
  return {.result = TensorId::context,
          .kind = StageKind::product,
          .phase = Phase::context,
          .title = "Mix the values",
          .formula = "context = weights @ V_heads",
          .operands = operands,
          .compute = compute,
          .explain = explain_product,
          .code = code,
          .heading = heading};
}

}  // namespace headlight
