// dot_products = Q_heads @ K_headsᵀ, of the rotated ones where positions are rotary
#include <array>

#include <fmt/format.h>

#include "core/compute/matrix_product.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/gradient.hpp"
#include "core/stages/head_products.hpp"
#include "core/stages/list.hpp"

namespace headlight {
namespace {

using Slot = Operand::Slot;

bool rotates_none(const Setup& setup) { return setup.position.encoding != Encoding::rotary; }

TensorId operand(Slot slot, const Setup& setup) {
  return operand_at(stage_of(TensorId::dot_products), slot, setup)->tensor;
}

/// (batch, head, query, d_head) @ (batch, kv_head, key, d_head)ᵀ -> (batch, head, query, key)
void compute(Trace& trace, Workspace& workspace) {
  const Tensor& queries = trace[operand(Slot::left, trace.setup)];  // (batch, head, query, d_head)
  const Tensor& keys = trace[operand(Slot::right, trace.setup)];    // (batch, kv_head, key, d_head)
  const Shape extents = shape(TensorId::dot_products, trace.setup);
  const Index heads = extents[1];
  Tensor result = workspace.tensor(queries.precision(), extents);  // (batch, head, query, key)
  with_element_type(queries.precision(), [&](auto zero) {
    using T = decltype(zero);
    multiply_all<T>(
        workspace, extents[0] * heads, [&](Index n) { return matrix<T>(queries, n / heads, n % heads); },
        [&](Index n) { return transposed(matrix<T>(keys, n / heads, trace.setup.kv_head_of(n % heads))); },
        [&](Index n) {
          T* to = result.writable<T>() + n * extents[2] * extents[3];
          return WritableMatrix<T>(to, extents[2], extents[3], RowStride(extents[3]));
        },
        as_it_is);
  });
  trace[TensorId::dot_products] = result;  // (batch, head, query, key)
}

/// Back through dot_products = Q_heads @ K_headsᵀ: ∂L/∂Q_heads = ∂L/∂dot_products @ K_heads, and ∂L/∂K_heads =
/// ∂L/∂dot_productsᵀ @ Q_heads, summed over the query heads that share a key head.
Tensor back(const Trace& trace, Workspace& workspace, const GradientPath& path) {
  const Tensor& result = trace[gradient_of(TensorId::dot_products)];  // (batch, head, query, key)
  const auto other = [&](Operand::Slot slot) -> const Tensor& { return *tensor_at(*path.through, slot, trace); };
  Tensor gradient = laid_out_like(trace[path.operand.tensor], workspace);  // (batch, head or kv_head, position, d_head)
  if (path.operand.slot == Slot::left) multiply_heads(trace.setup, workspace, result, other(Slot::right), gradient);
  else add_up_heads(trace.setup, workspace, result, other(Slot::left), gradient);
  return gradient;
}

std::string back_code(const Code& code, const GradientPath& path) {
  const Operand::Slot slot = path.operand.slot;
  const bool left = slot == Slot::left;
  const TensorId other = operand_at(*path.through, left ? Slot::right : Slot::left, code.setup)->tensor;
  if (left) return fmt::format("grad_dot_products @ {}", for_each_query_head(code, other));
  return sum_of_sharing_heads(code, fmt::format("{} @ {}", "grad_dot_products" + swapped(code, -2, -1), name(other)));
}

CodeLines code(const Code& code) {
  return {{fmt::format("dot_products = {} @ {}{}", name(operand(Slot::left, code.setup)),
                       for_each_query_head(code, operand(Slot::right, code.setup)), swapped(code, -2, -1)),
           shape_words(TensorId::dot_products, code)}};
}

std::string heading(const Code& code) {
  return code.has_groups()
             ? "Every query times every key. Neighbouring query heads share a key head, and later its value head."
             : "Every query times every key.";
}

}  // namespace

Stage dot_products_stage() {
  static constexpr std::array operands{
      Operand{TensorId::Q_heads, Slot::left, false, rotates_none}, Operand{TensorId::Q_rotated},
      Operand{TensorId::K_heads, Slot::right, true, rotates_none}, Operand{TensorId::K_rotated, Slot::right, true}};
  return {.result = TensorId::dot_products,
          .kind = StageKind::product,
          .phase = Phase::scores,
          .title = "Dot products",
          .formula = "dot_products = Q_heads @ K_headsᵀ",
          .operands = operands,
          .compute = compute,
          .explain = explain_product,
          .backward = {.compute = back, .explain = explain_product_backward, .code = back_code},
          .code = code,
          .heading = heading};
}

}  // namespace headlight
