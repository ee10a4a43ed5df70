// embed[b,i] = the row of W_E for the symbol that position i holds; in the task lookup, where it may hold a key and a
// value, the sum of both rows. As torch.nn.Embedding.
#include <algorithm>

#include <fmt/format.h>

#include "core/compute/matrices.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/gradient.hpp"

namespace headlight {
namespace {

/// Calls body(row of embed, symbol) for every symbol that a position holds, in the order of positions.
template <class Body>
void for_each_symbol(const Sequences& sequences, Body&& body) {
  const std::int64_t* one = sequences.ones.data();
  for (Index row = 0; row < sequences.count * sequences.length; ++row)
    for (Index n = 0; n < sequences.held; ++n, ++one)
      if (*one >= 0) body(row, *one);
}

/// (symbols, d_model) -> (batch, token, d_model)
Tensor compute(const Stage& stage, const Trace& trace, Workspace& workspace) {
  const Tensor table = left_of(stage, trace).contiguous();
  Tensor result = workspace.tensor(table.precision(), shape(stage.result, trace.setup));
  const Index features = table.shape()[1];
  with_element_type(table.precision(), [&](auto zero) {
    using T = decltype(zero);
    numbers(result.writable<T>(), result.elements()).setZero();
    for_each_symbol(*trace.sequences, [&](Index row, Index symbol) {
      numbers(result.writable<T>() + row * features, features) +=
          numbers(table.data<T>() + symbol * features, features);
    });
  });
  return result;
}

/// ∂L/∂W_E of a symbol: the sum over the positions that hold it, in their order.
Tensor back(const Trace& trace, Workspace& workspace, const GradientPath& path) {
  const Tensor arriving = trace[gradient_of(path.through->result)].contiguous();  // (batch, token, d_model)
  const Tensor& table = trace[path.operand.tensor];                               // (symbols, d_model)
  Tensor gradient = workspace.tensor(arriving.precision(), table.shape());
  const Index features = table.shape()[1];
  with_element_type(arriving.precision(), [&](auto zero) {
    using T = decltype(zero);
    numbers(gradient.writable<T>(), gradient.elements()).setZero();
    for_each_symbol(*trace.sequences, [&](Index row, Index symbol) {
      numbers(gradient.writable<T>() + symbol * features, features) +=
          numbers(arriving.data<T>() + row * features, features);
    });
  });
  return gradient;
}

Explanation explain_cell(const Stage& stage, const Trace& trace, const Cell& cell) {
  const Sequences& sequences = *trace.sequences;
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = "embed[b,i,f] = W_E[symbol at i,f]";
  const std::int64_t* one = sequences.ones.data() + (cell.index[0] * sequences.length + cell.index[1]) * sequences.held;
  for (Index n = 0; n < sequences.held; ++n)
    if (one[n] >= 0)
      explanation.terms.push_back(
          term("symbol", {factor(trace, left_operand(stage, trace.setup), {one[n], cell.index[2]})}));
  if (explanation.terms.empty()) explanation.terms.push_back(term("no symbol", {constant("0", 0)}));
  return explanation;
}

void explain_back(Explanation& explanation, const Trace& trace, const GradientPath& path, const Cell& cell) {
  const TensorId arriving = gradient_of(path.through->result);
  explanation.formula = fmt::format("{}Σ_b,i {}[b,i,f] where i holds the symbol",
                                    explanation.formula.empty() ? "" : " + ", name(arriving));
  const Index length = trace.sequences->length;
  for_each_symbol(*trace.sequences, [&](Index row, Index symbol) {
    if (symbol != cell.index[0]) return;
    const Shape index{row / length, row % length, cell.index[1]};
    explanation.terms.push_back(
        term(fmt::format("item {}, position {}", index[0], index[1]), {factor(trace, arriving, index)}));
  });
  if (explanation.terms.empty()) explanation.terms.push_back(term("no position holds it", {constant("0", 0)}));
}

/// The scripts' sequences have a 1 for each symbol, which picks its row.
CodeLines code(const Stage& stage, const Code& code) {
  return {{"embed = one_hot @ W_E", shape_words(stage.result, code)}};
}

std::string back_code(const Code&, const GradientPath&) { return "np.einsum(\"bis,bif->sf\", one_hot, grad_embed)"; }

}  // namespace

namespace operations {

extern constinit const Operation look_up{.kind = StageKind::looked_up,
                                         .title = "Embed the symbols",
                                         .formula = "{0}[b,i] = {1}[symbol at i]",
                                         .asks = true,
                                         .compute = compute,
                                         .explain = explain_cell,
                                         .backward = {.compute = back, .explain = explain_back, .code = back_code},
                                         .code = code,
                                         .heading = "Embed: a row of W_E for each symbol."};

}  // namespace operations

}  // namespace headlight
