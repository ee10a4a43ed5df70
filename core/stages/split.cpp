// Splitting and joining heads: windows on the same numbers, no copies.
#include <array>

#include <fmt/format.h>

#include "core/stages/list.hpp"
#include "core/stages/terms.hpp"

namespace headlight {
namespace {

bool same_heads(const Setup& a, const Setup& b) {
  return a.sizes.heads == b.sizes.heads && a.kv_heads() == b.kv_heads();
}

void split(Trace& trace, Workspace&) {
  trace[TensorId::Q_heads] = trace[TensorId::Q].split_heads(trace.setup.sizes.heads);
  trace[TensorId::K_heads] = trace[TensorId::K].split_heads(trace.setup.kv_heads());
  trace[TensorId::V_heads] = trace[TensorId::V].split_heads(trace.setup.kv_heads());
}

Explanation explain_split(const Trace& trace, const Cell& cell) {
  const TensorId joined = cell.tensor == TensorId::Q_heads   ? TensorId::Q
                          : cell.tensor == TensorId::K_heads ? TensorId::K
                                                             : TensorId::V;
  const Index column = cell.index[1] * trace.setup.d_head() + cell.index[3];
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = fmt::format("{}[b,h,i,d] = {}[b,i,h·d_head + d]", name(cell.tensor), name(joined));
  explanation.terms = {term("the same number", {factor(trace, joined, {cell.index[0], cell.index[2], column})})};
  return explanation;
}

std::string split_code(const Setup& setup) {
  const bool torch = setup.random.generator == GeneratorKind::torch;
  return torch ? "Q_heads = Q.view(batch, query_length, heads, d_head).transpose(1, 2)"
               : "Q_heads = Q.reshape(batch, query_length, heads, d_head).transpose(0, 2, 1, 3)";
}

void concat(Trace& trace, Workspace&) { trace[TensorId::concat] = trace[TensorId::context].join_heads(); }

Explanation explain_concat(const Trace& trace, const Cell& cell) {
  const Index width = trace.setup.d_head();
  const Index column = cell.index[2];
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = "concat[b,i,h·d_head + d] = context[b,h,i,d]";
  const Shape place{cell.index[0], column / width, cell.index[1], column % width};
  explanation.terms = {term("the same number", {factor(trace, TensorId::context, place)})};
  return explanation;
}

std::string concat_code(const Setup& setup) {
  const bool torch = setup.random.generator == GeneratorKind::torch;
  return torch ? "concat = context.transpose(1, 2).reshape(batch, query_length, d_model)"
               : "concat = context.transpose(0, 2, 1, 3).reshape(batch, query_length, d_model)";
}

}  // namespace

Stage split_stage() {
  static constexpr std::array inputs{TensorId::Q, TensorId::K, TensorId::V};
  static constexpr std::array outputs{TensorId::Q_heads, TensorId::K_heads, TensorId::V_heads};
  return {StageId::split,
          "Split into heads",
          "Q_heads[h] = columns h·d_head … of Q",
          inputs,
          outputs,
          same_heads,
          nullptr,
          split,
          explain_split,
          split_code};
}

Stage concat_stage() {
  static constexpr std::array inputs{TensorId::context};
  static constexpr std::array outputs{TensorId::concat};
  return {StageId::concat,
          "Concatenate the heads",
          "concat = [context of head 0 | head 1 | …]",
          inputs,
          outputs,
          same_heads,
          nullptr,
          concat,
          explain_concat,
          concat_code};
}

}  // namespace headlight
