// What the weights of a head mean, from features to features: W_qk = W_q · W_kᵀ is how much a query's feature asks for
// a key's feature, W_vo = W_v · W_o what the head writes into the output for a feature of the key that it looks at.
// Nothing is computed from them, and they leave the biases out.
#include <array>

#include <fmt/format.h>

#include "core/compute/matrix_product.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/explain.hpp"
#include "core/stages/graph.hpp"

namespace headlight {
namespace {

using Slot = Operand::Slot;

/// The part of a projection that is a head's: the columns of W_q, W_k and W_v, the rows of W_o.
Tensor part_of(TensorId weight, Index head, const Trace& trace) {
  const Setup& setup = trace.setup;
  const int axis = *info(weight).block_axis();
  const bool shared = info(weight).has(Axis::kv_columns);
  return trace[weight].narrowed(axis, (shared ? setup.kv_head_of(head) : head) * setup.d_head(), setup.d_head());
}

/// (d_model, columns of the head) · (columns of the head, d_source) for each head -> (head, d_model, d_source), or
/// likewise (head, d_source, d_out)
Tensor compute(const Stage& stage, const Trace& trace, Workspace& workspace) {
  const TensorId left = left_operand(stage, trace.setup);
  const Operand right = *operand_at(stage, Slot::right, trace.setup);
  Tensor result =
      workspace.tensor(trace[left].precision(), shape(stage.result, trace.setup));  // (head, features, features)
  const Index rows = result.shape()[1], columns = result.shape()[2];
  with_element_type(result.precision(), [&](auto zero) {
    using T = decltype(zero);
    multiply_all<T>(
        workspace, result.shape()[0], [&](Index head) { return matrix<T>(part_of(left, head, trace)); },
        [&](Index head) {
          const MatrixView<T> part = matrix<T>(part_of(right.tensor, head, trace));
          return right.transposed ? transposed(part) : part;
        },
        [&](Index head) {
          T* to = result.writable<T>() + head * rows * columns;
          return WritableMatrix<T>(to, rows, columns, RowStride(columns));
        },
        as_it_is);
  });
  return result;
}

/// The indices of a weight in the formula: "f, h·d_head + d" for W_q, "h·d_head + d, g" for W_o.
std::string indices_of(TensorId weight, char feature, const Setup& setup) {
  const bool shared = info(weight).has(Axis::kv_columns) && setup.kv_heads() != setup.sizes.heads;
  const std::string column = shared ? "h // (heads/kv_heads)·d_head + d" : "h·d_head + d";
  return *info(weight).block_axis() == 0 ? fmt::format("{}, {}", column, feature)
                                         : fmt::format("{}, {}", feature, column);
}

Explanation explain_cell(const Stage& stage, const Trace& trace, const Cell& cell) {
  const Setup& setup = trace.setup;
  const TensorId left = left_operand(stage, setup);
  const Operand right = *operand_at(stage, Slot::right, setup);
  Explanation explanation = explain_product(stage, trace, cell);
  explanation.formula =
      fmt::format("{}[h,f,g] = Σ_d {}[{}] · {}[{}]", name(stage.result), name(left), indices_of(left, 'f', setup),
                  name(right.tensor), indices_of(right.tensor, 'g', setup));
  if (right.transposed && setup.position.encoding == Encoding::rotary)
    explanation.note = "before the rotation: as for a query and a key at the same position";
  return explanation;
}

/// A weight with an axis for the heads, (features, head, d_head) or (head, d_head, features), each key and value head
/// once for each query head that shares it.
std::string by_heads(TensorId weight, const Code& code) {
  if (*info(weight).block_axis() == 0)
    return fmt::format("{}.reshape(heads, d_head, {})", name(weight), extent_code(Axis::d_out, code));
  const std::string features = extent_code(info(weight).axes[0], code);
  if (!info(weight).has(Axis::kv_columns) || !code.has_groups())
    return fmt::format("{}.reshape({}, heads, d_head)", name(weight), features);
  const std::string split = fmt::format("{}.reshape({}, kv_heads, d_head)", name(weight), features);
  return code.in_torch() ? fmt::format("{}.repeat_interleave(heads // kv_heads, dim=1)", split)
                         : fmt::format("np.repeat({}, heads // kv_heads, axis=1)", split);
}

CodeLines code(const Stage& stage, const Code& code) {
  const TensorId left = left_operand(stage, code.setup);
  const Operand right = *operand_at(stage, Slot::right, code.setup);
  return {{fmt::format("{} = {}.einsum(\"fhd,{}->hfg\", {}, {})", name(stage.result), code.in_torch() ? "torch" : "np",
                       right.transposed ? "ghd" : "hdg", by_heads(left, code), by_heads(right.tensor, code)),
           shape_words(stage.result, code)}};
}

}  // namespace

namespace operations {

extern constinit const Operation multiply_by_head{
    .kind = StageKind::product,
    .title = "",
    .formula = "{0} = {1} · {2}, head by head",
    .same_settings = same_heads,
    .compute = compute,
    .explain = explain_cell,
    .code = code,
    .heading = "What each head asks for, and what it writes, from features to features."};

}  // namespace operations

}  // namespace headlight
