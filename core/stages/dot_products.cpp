// dot_products = Q_heads @ K_headsᵀ
#include <array>

#include "core/compute/matrix_product.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/list.hpp"
#include "core/stages/terms.hpp"

namespace headlight {
namespace {

void compute(Trace& trace, Workspace& workspace) {
  const Tensor& queries = trace[TensorId::Q_heads];
  const Tensor& keys = trace[TensorId::K_heads];
  const Shape extents = shape(TensorId::dot_products, trace.setup);
  const Index heads = extents[1];
  Tensor result = workspace.tensor(queries.precision(), extents);
  with_element_type(queries.precision(), [&](auto zero) {
    using T = decltype(zero);
    multiply_all<T>(
        workspace, extents[0] * heads, [&](Index n) { return matrix<T>(queries, n / heads, n % heads); },
        [&](Index n) { return transposed(matrix<T>(keys, n / heads, kv_head_of(trace.setup, n % heads))); },
        [&](Index n) {
          T* to = result.writable<T>() + n * extents[2] * extents[3];
          return WritableMatrix<T>(to, extents[2], extents[3], RowStride(extents[3]));
        },
        as_it_is);
  });
  trace[TensorId::dot_products] = result;
}

Explanation explain_cell(const Trace& trace, const Cell& cell) {
  const Index batch = cell.index[0], head = cell.index[1], query = cell.index[2], key = cell.index[3];
  const Index kv_head = kv_head_of(trace.setup, head);
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = trace.setup.kv_heads() == trace.setup.sizes.heads
                            ? "dot_products[b,h,i,j] = Σ_d Q_heads[b,h,i,d] · K_heads[b,h,j,d]"
                            : "dot_products[b,h,i,j] = Σ_d Q_heads[b,h,i,d] · K_heads[b,h // (heads/kv_heads),j,d]";
  explanation.terms = product_terms(
      trace, trace.setup.d_head(), TensorId::Q_heads, [&](Index d) { return Shape{batch, head, query, d}; },
      TensorId::K_heads, [&](Index d) { return Shape{batch, kv_head, key, d}; }, feature_label);
  return explanation;
}

std::string code(const Setup& setup) {
  const bool torch = setup.random.generator == GeneratorKind::torch;
  return torch ? "dot_products = Q_heads @ K_heads.transpose(-2, -1)"
               : "dot_products = Q_heads @ K_heads.transpose(0, 1, 3, 2)";
}

}  // namespace

Stage dot_products_stage() {
  static constexpr std::array inputs{TensorId::Q_heads, TensorId::K_heads};
  static constexpr std::array outputs{TensorId::dot_products};
  return {StageId::dot_products,
          "Dot products",
          "dot_products = Q_heads @ K_headsᵀ",
          inputs,
          outputs,
          nullptr,
          [](const Setup& setup) { return setup.d_head(); },
          compute,
          explain_cell,
          code};
}

}  // namespace headlight
