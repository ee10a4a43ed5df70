// What the weights of a head mean, from features to features: W_qk = W_q · W_kᵀ says how much a query's feature asks
// for a key's feature, W_vo = W_v · W_o what the head writes into the output for a feature of the key that it looks at.
// Nothing is made from them. Biases stand outside of them.
#include <array>

#include <fmt/format.h>

#include "core/compute/matrix_product.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/graph.hpp"
#include "core/stages/list.hpp"
#include "core/stages/terms.hpp"

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

/// (d_model, columns of the head) · (columns of the head, d_model) for each head -> (head, d_model, d_model)
template <TensorId result_id>
void compute(Trace& trace, Workspace& workspace) {
  const Stage& stage = stage_of(result_id);
  const TensorId left = operand_at(stage, Slot::left, trace.setup)->tensor;
  const Operand right = *operand_at(stage, Slot::right, trace.setup);
  Tensor result = workspace.tensor(trace[left].precision(), shape(result_id, trace.setup));  // (head, d_model, d_model)
  const Index features = result.shape()[1];
  with_element_type(result.precision(), [&](auto zero) {
    using T = decltype(zero);
    multiply_all<T>(
        workspace, result.shape()[0], [&](Index head) { return matrix<T>(part_of(left, head, trace)); },
        [&](Index head) {
          const MatrixView<T> part = matrix<T>(part_of(right.tensor, head, trace));
          return right.transposed ? transposed(part) : part;
        },
        [&](Index head) {
          T* to = result.writable<T>() + head * features * features;
          return WritableMatrix<T>(to, features, features, RowStride(features));
        },
        as_it_is);
  });
  trace[result_id] = result;  // (head, d_model, d_model)
}

/// "h·d_head + d": the place of a head's feature among the columns of all heads.
std::string column(Axis axis, const Setup& setup) {
  return axis == Axis::kv_columns && setup.kv_heads() != setup.sizes.heads ? "h // (heads/kv_heads)·d_head + d"
                                                                           : "h·d_head + d";
}

Explanation explain_asking(const Trace& trace, const Cell& cell) {
  Explanation explanation = explain_product(trace, cell);
  explanation.formula = fmt::format("W_qk[h,f,g] = Σ_d W_q[f, {}] · W_k[g, {}]",
                                    column(Axis::head_columns, trace.setup), column(Axis::kv_columns, trace.setup));
  if (trace.setup.position.encoding == Encoding::rotary)
    explanation.note = "before the rotation: as a query and a key meet that stand at the same position";
  return explanation;
}

Explanation explain_writing(const Trace& trace, const Cell& cell) {
  Explanation explanation = explain_product(trace, cell);
  explanation.formula = fmt::format("W_vo[h,f,g] = Σ_d W_v[f, {}] · W_o[{}, g]", column(Axis::kv_columns, trace.setup),
                                    column(Axis::head_columns, trace.setup));
  return explanation;
}

/// A weight with an axis for the heads, (d_model, head, d_head), each key and value head once for each of its queries'.
std::string by_heads(TensorId weight, const Code& code) {
  if (!info(weight).has(Axis::kv_columns) || !code.has_groups())
    return fmt::format("{}.reshape(d_model, heads, d_head)", name(weight));
  const std::string split = fmt::format("{}.reshape(d_model, kv_heads, d_head)", name(weight));
  return code.in_torch() ? fmt::format("{}.repeat_interleave(heads // kv_heads, dim=1)", split)
                         : fmt::format("np.repeat({}, heads // kv_heads, axis=1)", split);
}

std::string einsum(const Code& code) { return code.in_torch() ? "torch.einsum" : "np.einsum"; }

CodeLines asking_code(const Code& code) {
  return {{fmt::format("W_qk = {}(\"fhd,ghd->hfg\", {}, {})", einsum(code), by_heads(TensorId::W_q, code),
                       by_heads(TensorId::W_k, code)),
           shape_words(TensorId::W_qk, code)}};
}

CodeLines writing_code(const Code& code) {
  return {{fmt::format("W_vo = {}(\"fhd,hdg->hfg\", {}, W_o.reshape(heads, d_head, d_model))", einsum(code),
                       by_heads(TensorId::W_v, code)),
           shape_words(TensorId::W_vo, code)}};
}

}  // namespace

Stage asking_stage() {
  static constexpr std::array operands{Operand{TensorId::W_q}, Operand{TensorId::W_k, Slot::right, true}};
  return {.result = TensorId::W_qk,
          .kind = StageKind::product,
          .phase = Phase::project,
          .title = "What a head asks for",
          .formula = "W_qk = W_q · W_kᵀ, head by head",
          .operands = operands,
          .same_settings = same_heads,
          .compute = compute<TensorId::W_qk>,
          .explain = explain_asking,
          .code = asking_code,
          .heading = [](const Code&) {
            return std::string("What each head asks for, and what it writes, from features to features.");
          }};
}

Stage writing_stage() {
  static constexpr std::array operands{Operand{TensorId::W_v}, Operand{TensorId::W_o, Slot::right}};
  return {.result = TensorId::W_vo,
          .kind = StageKind::product,
          .phase = Phase::output,
          .title = "What a head writes",
          .formula = "W_vo = W_v · W_o, head by head",
          .operands = operands,
          .same_settings = same_heads,
          .compute = compute<TensorId::W_vo>,
          .explain = explain_writing,
          .code = writing_code};
}

}  // namespace headlight
