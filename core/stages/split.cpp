// Splitting and joining heads: windows on the same numbers, without a copy.
#include <array>

#include <fmt/format.h>

#include "core/stages/gradient.hpp"
#include "core/stages/list.hpp"

namespace headlight {
namespace {

/// Splits heads: (batch, position, heads · d_head) -> (batch, head, position, d_head)
template <TensorId heads_id, TensorId joined_id>
void split(Trace& trace, Workspace&) {
  const Setup& setup = trace.setup;
  trace[heads_id] = trace[joined_id].split_heads(info(heads_id).has_kv_heads() ? setup.kv_heads() : setup.sizes.heads);
}

bool is_always(const GradientPath&) { return true; }

/// Joins what comes back to heads: (batch, head, position, d_head) -> (batch, position, heads · d_head)
Tensor back_joined(const Trace& trace, Workspace&, const GradientPath& path) {
  return trace[gradient_of(path.through->result)].join_heads();
}

std::string back_joined_code(const Code& code, const GradientPath& path) {
  const TensorInfo& joined = info(path.operand.tensor);
  return fmt::format("{}{}.reshape(batch, {}, {})", name(gradient_of(path.through->result)), swapped(code, 1, 2),
                     extent_code(joined.axes[1], code), extent_code(joined.axes[2], code));
}

template <TensorId heads_id, TensorId joined_id>
Explanation explain_split(const Trace& trace, const Cell& cell) {
  const Index column = cell.index[1] * trace.setup.d_head() + cell.index[3];
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = fmt::format("{}[b,h,i,d] = {}[b,i,h·d_head + d]", name(heads_id), name(joined_id));
  explanation.terms = {term("the same number", {factor(trace, joined_id, {cell.index[0], cell.index[2], column})})};
  return explanation;
}

template <TensorId heads_id, TensorId joined_id>
CodeLines split_code(const Code& code) {
  return {{fmt::format("{} = {}.reshape(batch, {}, {}, d_head){}", name(heads_id), name(joined_id),
                       extent_code(info(joined_id).axes[1], code), extent_code(info(heads_id).axes[1], code),
                       swapped(code, 1, 2)),
           shape_words(heads_id, code)}};
}

template <TensorId heads_id, TensorId joined_id>
Stage split_stage(std::string_view formula) {
  static constexpr std::array operands{Operand{joined_id}};
  return {.result = heads_id,
          .kind = StageKind::window,
          .phase = Phase::split,
          .title = "Split into heads",
          .formula = formula,
          .operands = operands,
          .same_settings = same_heads,
          .compute = split<heads_id, joined_id>,
          .explain = explain_split<heads_id, joined_id>,
          .backward = {.compute = back_joined,
                       .explain = explain_passed_on,
                       .code = back_joined_code,
                       .is_window = is_always},
          .code = split_code<heads_id, joined_id>};
}

/// Joins heads: (batch, head, query, d_head) -> (batch, query, heads · d_head)
void join(Trace& trace, Workspace&) { trace[TensorId::concat] = trace[TensorId::context].join_heads(); }

/// Splits what comes back to the heads: (batch, query, heads · d_head) -> (batch, head, query, d_head)
Tensor back_split(const Trace& trace, Workspace&, const GradientPath&) {
  return trace[gradient_of(TensorId::concat)].split_heads(trace.setup.sizes.heads);
}

std::string back_split_code(const Code& code, const GradientPath&) {
  return fmt::format("grad_concat.reshape(batch, query_length, heads, d_head){}", swapped(code, 1, 2));
}

Explanation explain_concat(const Trace& trace, const Cell& cell) {
  const Index width = trace.setup.d_head();
  const Index column = cell.index[2];
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = "concat[b,i,h·d_head + d] = context[b,h,i,d]";
  const Shape place{cell.index[0], column / width, cell.index[1], column % width};
  explanation.terms = {term("the same number", {factor(trace, TensorId::context, place)})};
  return explanation;
}

CodeLines concat_code(const Code& code) {
  return {{fmt::format("concat = context{}.reshape(batch, query_length, heads * d_head)", swapped(code, 1, 2)),
           shape_words(TensorId::concat, code)}};
}

StageWords concat_words(const Setup&) {
  return {.operation = {},
          .below = "join heads",
          .below_briefly = "join heads",
          .before = {{"concat (", {}}},
          .after = {{")", {}}}};
}

}  // namespace

Stage split_queries_stage() {
  Stage stage = split_stage<TensorId::Q_heads, TensorId::Q>("Q_heads[h] = columns h·d_head … of Q");
  stage.heading = [](const Code&) { return std::string("Split: each head takes d_head neighbouring columns."); };
  return stage;
}
Stage split_keys_stage() { return split_stage<TensorId::K_heads, TensorId::K>("K_heads[h] = columns h·d_head … of K"); }
Stage split_values_stage() {
  return split_stage<TensorId::V_heads, TensorId::V>("V_heads[h] = columns h·d_head … of V");
}

Stage concat_stage() {
  static constexpr std::array operands{Operand{TensorId::context}};
  return {.result = TensorId::concat,
          .kind = StageKind::window,
          .phase = Phase::concat,
          .title = "Concatenate the heads",
          .formula = "concat = [context of head 0 | head 1 | …]",
          .operands = operands,
          .same_settings = same_heads,
          .words = concat_words,
          .compute = join,
          .explain = explain_concat,
          .backward = {.compute = back_split,
                       .explain = explain_passed_on,
                       .code = back_split_code,
                       .is_window = is_always},
          .code = concat_code};
}

}  // namespace headlight
