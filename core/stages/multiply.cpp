// dot_products = Q_heads @ K_headsᵀ, of the rotated ones where positions are rotary
#include <array>

#include <fmt/format.h>

#include "core/compute/matrix_product.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/gradient.hpp"

namespace headlight {
namespace {

using Slot = Operand::Slot;

/// (batch, head, query, d_head) @ (batch, kv_head, key, d_head)ᵀ -> (batch, head, query, key)
Tensor compute(const Stage& stage, const Trace& trace, Workspace& workspace) {
  const Tensor& queries = left_of(stage, trace);  // (batch, head, query, d_head)
  const Tensor& keys = right_of(stage, trace);    // (batch, kv_head, key, d_head)
  Tensor result = workspace.tensor(queries.precision(), shape(stage.result, trace.setup));
  multiply_queries(trace.setup, workspace, queries, keys.transposed(2, 3), result);
  return result;  // (batch, head, query, key)
}

/// Back through dot_products = Q_heads @ K_headsᵀ: ∂L/∂Q_heads = ∂L/∂dot_products @ K_heads, and ∂L/∂K_heads =
/// ∂L/∂dot_productsᵀ @ Q_heads, summed over the query heads that share a key head.
Tensor back(const Trace& trace, Workspace& workspace, const GradientPath& path) {
  const Tensor& result = trace[gradient_of(path.through->result)];  // (batch, head, query, key)
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

CodeLines code(const Stage& stage, const Code& code) {
  const TensorId queries = left_operand(stage, code.setup);
  const TensorId keys = right_operand(stage, code.setup);
  return {
      {fmt::format("dot_products = {} @ {}{}", name(queries), for_each_query_head(code, keys), swapped(code, -2, -1)),
       shape_words(stage.result, code)}};
}

std::string_view heading(const Stage&, const Code& code) {
  return code.has_groups()
             ? "Every query times every key. Neighbouring query heads share a key head, and later its value head."
             : "Every query times every key.";
}

}  // namespace

namespace operations {

extern constinit const Operation multiply{
    .kind = StageKind::product,
    .title = "Dot products",
    .formula = "{0} = {1} @ {2}",
    .compute = compute,
    .explain = explain_product,
    .backward = {.compute = back, .explain = explain_product_backward, .code = back_code},
    .code = code,
    .varying_heading = heading};

}  // namespace operations

namespace {

void multiply_each_head(const Setup& setup, Workspace& workspace, const Tensor& left, const Tensor& right,
                        Tensor& result, LastRows wanted) {
  const Index heads = setup.sizes.heads, sharing = heads / setup.kv_heads();
  with_element_type(result.precision(), [&](auto zero) {
    using T = decltype(zero);
    multiply_all<T>(
        workspace, result.shape()[0] * heads, [&](Index n) { return matrix<T>(left, n / heads, n % heads); },
        [&](Index n) { return matrix<T>(right, n / heads, n % heads / sharing); },
        [&](Index n) { return writable<T>(result, n / heads, n % heads); }, as_it_is, wanted);
  });
}

}  // namespace

void multiply_heads(const Setup& setup, Workspace& workspace, const Tensor& left, const Tensor& right, Tensor& result) {
  multiply_each_head(setup, workspace, left, right, result, {});
}

void multiply_queries(const Setup& setup, Workspace& workspace, const Tensor& left, const Tensor& right,
                      Tensor& result) {
  multiply_each_head(setup, workspace, left, right, result, {setup.past(), setup.sizes.query_length});
}

void add_up_heads(const Setup& setup, Workspace& workspace, const Tensor& left, const Tensor& right, Tensor& result) {
  const Index kv_heads = setup.kv_heads(), sharing = setup.sizes.heads / kv_heads;
  with_element_type(result.precision(), [&](auto zero) {
    using T = decltype(zero);
    const auto into = [&](Tensor& sum, Index sharer) {
      const auto head = [&](Index n) { return n % kv_heads * sharing + sharer; };
      multiply_all<T>(
          workspace, sum.shape()[0] * kv_heads,
          [&](Index n) { return transposed(matrix<T>(left, n / kv_heads, head(n))); },
          [&](Index n) { return matrix<T>(right, n / kv_heads, head(n)); },
          [&](Index n) { return writable<T>(sum, n / kv_heads, n % kv_heads); }, as_it_is);
    };
    into(result, 0);
    if (sharing == 1) return;
    Tensor summand = workspace.tensor(result.precision(), result.shape());  // (batch, kv_head, key, d_head)
    for (Index sharer = 1; sharer < sharing; ++sharer) {
      into(summand, sharer);
      for (Index item = 0; item < result.shape()[0]; ++item)
        for (Index head = 0; head < kv_heads; ++head) writable<T>(result, item, head) += matrix<T>(summand, item, head);
    }
  });
}

}  // namespace headlight
