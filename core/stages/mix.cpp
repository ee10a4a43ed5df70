// context = weights @ V_heads (dropped_weights instead of weights while dropout > 0), and zero for an ablated head
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/compute/matrices.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/gradient.hpp"

namespace headlight {
namespace {

/// The ablated heads of the layer that the setup is asked about.
std::vector<Index> ablated_here(const Setup& setup) {
  std::vector<Index> heads;
  for (const LayerHead& each : setup.attention.ablated_heads)
    if (each.layer == setup.layer) heads.push_back(each.head);
  return heads;
}

bool same_ablation(const Setup& a, const Setup& b) {
  const bool is_all_the_same = a.layer == b.layer && a.attention.ablated_heads == b.attention.ablated_heads;
  return is_all_the_same || ablated_here(a) == ablated_here(b);
}

/// Makes ablated heads 0 in a tensor (batch, head, query, d_head).
void clear_ablated(const Tensor& heads, const Setup& setup) {
  for (const Index head : ablated_here(setup))
    copy_numbers(Tensor::zeros(heads.precision(), {}), heads.selected(1, head));
}

/// (batch, head, query, key) @ (batch, kv_head, key, d_head) -> (batch, head, query, d_head). Each head writes its own
/// columns of a (batch, query, heads · d_head) tensor, so that concatenating heads is a window.
Tensor compute(const Stage& stage, const Trace& trace, Workspace& workspace) {
  const Tensor& weights = left_of(stage, trace);  // (batch, head, query, key)
  const Tensor& values = right_of(stage, trace);  // (batch, kv_head, key, d_head)
  Tensor context =
      workspace.tensor(weights.precision(), shape(TensorId::concat, trace.setup)).split_heads(trace.setup.sizes.heads);
  multiply_queries(trace.setup, workspace, weights, values, context);
  clear_ablated(context, trace.setup);
  return context;  // (batch, head, query, d_head)
}

/// In an ablated head each term still shows what it would be, times 0.
Explanation explain_cell(const Stage& stage, const Trace& trace, const Cell& cell) {
  Explanation explanation = explain_product(stage, trace, cell);
  const Index head = cell.index[1];
  if (!trace.setup.is_ablated(head)) return explanation;
  for (Term& each : explanation.terms) {
    each.factors.push_back(constant("ablated", 0));
    each.value = 0;
  }
  explanation.formula += " · 0";
  explanation.note = fmt::format("head {} is ablated: its context is zero", trace.setup.head_label(head));
  return explanation;
}

/// The gradient of the context, (batch, head, query, d_head), as far as weights and values made it: 0 in ablated heads.
Tensor without_ablated(const Tensor& gradient, const Setup& setup) {
  if (ablated_here(setup).empty()) return gradient;
  Tensor copy = Tensor::uninitialized(gradient.precision(), gradient.shape());
  copy_numbers(gradient, copy);
  clear_ablated(copy, setup);
  return copy;
}

/// Back through context = weights @ V_heads: ∂L/∂weights = ∂L/∂context @ V_headsᵀ, and ∂L/∂V_heads = weightsᵀ @
/// ∂L/∂context, summed over the query heads that share a value head.
Tensor back(const Trace& trace, Workspace& workspace, const GradientPath& path) {
  const Tensor result = without_ablated(trace[gradient_of(path.through->result)], trace.setup);
  const Tensor& weights = left_of(*path.through, trace);  // (batch, head, query, key)
  const Tensor& values = right_of(*path.through, trace);  // (batch, kv_head, key, d_head)
  if (path.operand.slot == Operand::Slot::left) {
    Tensor gradient = workspace.tensor(weights.precision(), weights.shape());  // (batch, head, query, key)
    multiply_heads(trace.setup, workspace, result, values.transposed(2, 3), gradient);
    return gradient;
  }
  Tensor gradient = laid_out_like(values, workspace);  // (batch, kv_head, key, d_head)
  add_up_heads(trace.setup, workspace, weights, result, gradient);
  return gradient;
}

/// A term of an ablated head is 0 whatever it would be.
void explain_back(Explanation& explanation, const Trace& trace, const GradientPath& path, const Cell& cell) {
  explain_product_backward(explanation, trace, path, cell);
  std::size_t ablated = 0;
  for (Term& each : explanation.terms) {
    const Index head = each.factors.front().cell->index[1];
    if (!trace.setup.is_ablated(head)) continue;
    each.factors.push_back(constant("ablated", 0));
    each.value = 0;
    if (++ablated == explanation.terms.size())
      explanation.note = fmt::format("0, because head {} is ablated", trace.setup.head_label(head));
  }
}

/// The ablated heads as a list of Python, which may be another one while the layer learns; empty if there are none.
std::string ablated_in(const Code& code) {
  const auto ablated = ablated_here(code.setup);
  const auto learning = ablated_here(while_learning(code.setup));
  if (code.setup.training.steps > 0 && ablated != learning)
    return fmt::format("[{}] if step == steps else [{}]", fmt::join(ablated, ", "), fmt::join(learning, ", "));
  return ablated.empty() ? "" : fmt::format("[{}]", fmt::join(ablated, ", "));
}

std::string back_code(const Code& code, const GradientPath& path) {
  const std::string ablated = ablated_in(code);
  const std::string result =
      ablated.empty() ? "grad_context"
                      : fmt::format("np.where(np.isin(np.arange(heads), {})[:, None, None], 0, grad_context)", ablated);
  if (path.operand.slot == Operand::Slot::left)
    return fmt::format("{} @ {}{}", result, for_each_query_head(code, right_operand(*path.through, code.setup)),
                       swapped(code, -2, -1));
  const std::string_view weights = name(left_operand(*path.through, code.setup));
  return sum_of_sharing_heads(code, fmt::format("{}{} @ {}", weights, swapped(code, -2, -1), result));
}

CodeLines code(const Stage& stage, const Code& code) {
  const std::string_view weights = name(left_operand(stage, code.setup));
  CodeLines lines{
      {fmt::format("context = {} @ {}", weights, for_each_query_head(code, right_operand(stage, code.setup))),
       shape_words(stage.result, code)}};
  const std::string ablated = ablated_in(code);
  if (!ablated.empty()) {
    const bool is_one = ablated_here(code.setup).size() == 1;
    lines.push_back(
        {fmt::format("context[:, {}] = 0", ablated), is_one ? "this head is ablated" : "these heads are ablated"});
  }
  return lines;
}

}  // namespace

namespace operations {

extern constinit const Operation mix{.kind = StageKind::product,
                                     .title = "Mix the values",
                                     .formula = "{0} = {1} @ {2}",
                                     .same_settings = same_ablation,
                                     .compute = compute,
                                     .explain = explain_cell,
                                     .backward = {.compute = back, .explain = explain_back, .code = back_code},
                                     .code = code,
                                     .heading = "Mix the values by the weights, and put the heads side by side again."};

}  // namespace operations

}  // namespace headlight
