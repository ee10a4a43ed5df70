// Splitting and joining heads: windows on the same numbers, without a copy.
#include <array>

#include <fmt/format.h>

#include "core/stages/gradient.hpp"

namespace headlight {
namespace {

/// Splits heads: (batch, position, heads · d_head) -> (batch, head, position, d_head)
Tensor split_heads(const Stage& stage, const Trace& trace, Workspace&) {
  const Setup& setup = trace.setup;
  return left_of(stage, trace).split_heads(info(stage.result).has_kv_heads() ? setup.kv_heads() : setup.sizes.heads);
}

bool is_always(const GradientPath&) { return true; }

/// Joins the gradients of the heads: (batch, head, position, d_head) -> (batch, position, heads · d_head)
Tensor back_joined(const Trace& trace, Workspace&, const GradientPath& path) {
  return trace[gradient_of(path.through->result)].join_heads();
}

std::string back_joined_code(const Code& code, const GradientPath& path) {
  const TensorInfo& joined = info(path.operand.tensor);
  return fmt::format("{}{}.reshape(batch, {}, {})", name(gradient_of(path.through->result)), swapped(code, 1, 2),
                     extent_code(joined.axes[1], code), extent_code(joined.axes[2], code));
}

Explanation explain_split(const Stage& stage, const Trace& trace, const Cell& cell) {
  const TensorId joined = left_operand(stage, trace.setup);
  const Index column = cell.index[1] * trace.setup.d_head() + cell.index[3];
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = fmt::format("{}[b,h,i,d] = {}[b,i,h·d_head + d]", name(stage.result), name(joined));
  explanation.terms = {term("the same number", {factor(trace, joined, {cell.index[0], cell.index[2], column})})};
  return explanation;
}

CodeLines split_code(const Stage& stage, const Code& code) {
  const TensorInfo& joined = info(left_operand(stage, code.setup));
  return {{fmt::format("{} = {}.reshape(batch, {}, {}, d_head){}", name(stage.result), joined.name,
                       extent_code(joined.axes[1], code), extent_code(info(stage.result).axes[1], code),
                       swapped(code, 1, 2)),
           shape_words(stage.result, code)}};
}

/// Joins heads: (batch, head, query, d_head) -> (batch, query, heads · d_head)
Tensor join_heads(const Stage& stage, const Trace& trace, Workspace&) { return left_of(stage, trace).join_heads(); }

/// Splits the gradient of the joined heads: (batch, query, heads · d_head) -> (batch, head, query, d_head)
Tensor back_split(const Trace& trace, Workspace&, const GradientPath& path) {
  return trace[gradient_of(path.through->result)].split_heads(trace.setup.sizes.heads);
}

std::string back_split_code(const Code& code, const GradientPath&) {
  return fmt::format("grad_concat.reshape(batch, query_length, heads, d_head){}", swapped(code, 1, 2));
}

Explanation explain_concat(const Stage&, const Trace& trace, const Cell& cell) {
  const Index width = trace.setup.d_head();
  const Index column = cell.index[2];
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = "concat[b,i,h·d_head + d] = context[b,h,i,d]";
  const Shape index{cell.index[0], column / width, cell.index[1], column % width};
  explanation.terms = {term("the same number", {factor(trace, TensorId::context, index)})};
  return explanation;
}

CodeLines concat_code(const Stage&, const Code& code) {
  return {{fmt::format("concat = context{}.reshape(batch, query_length, heads * d_head)", swapped(code, 1, 2)),
           shape_words(TensorId::concat, code)}};
}

StageWords concat_words(const Setup&) { return in_brackets("concat", {}, "join heads", "join heads"); }

}  // namespace

namespace operations {

extern constinit const Operation split{.kind = StageKind::window,
                                       .title = "Split into heads",
                                       .formula = "{0}[h] = columns h·d_head … of {1}",
                                       .same_settings = same_heads,
                                       .compute = split_heads,
                                       .explain = explain_split,
                                       .backward = {.compute = back_joined,
                                                    .explain = explain_passed_on,
                                                    .code = back_joined_code,
                                                    .is_window = is_always},
                                       .code = split_code,
                                       .heading = "Split: each head takes d_head neighbouring columns."};

extern constinit const Operation join{
    .kind = StageKind::window,
    .title = "Concatenate the heads",
    .formula = "{0} = [{1} of head 0 | head 1 | …]",
    .same_settings = same_heads,
    .words = concat_words,
    .compute = join_heads,
    .explain = explain_concat,
    .backward = {.compute = back_split, .explain = explain_passed_on, .code = back_split_code, .is_window = is_always},
    .code = concat_code};

}  // namespace operations

}  // namespace headlight
