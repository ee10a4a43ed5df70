// scores = dot_products · scale / temperature, plus position_bias where there is one
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/compute/matrices.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/graph.hpp"
#include "core/stages/list.hpp"
#include "core/stages/terms.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

bool same_factor(const Setup& a, const Setup& b) { return a.score_factor() == b.score_factor(); }

/// Adds (head, query, key) to (batch, head, query, key), the same to every batch item.
template <class T>
void add_bias(const Tensor& bias, Tensor& scores, Workspace& workspace) {
  const Index keys = bias.shape()[2], rows = bias.elements() / keys;
  const Index rows_per_task = std::max<Index>(1, elements_per_task / keys);
  workspace.ranges(scores.elements() / keys, rows_per_task, [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row)
      numbers(scores.writable<T>() + row * keys, keys) += numbers(bias.data<T>() + row % rows * keys, keys);
  });
}

/// (batch, head, query, key) -> (batch, head, query, key), each number by itself
void compute(Trace& trace, Workspace& workspace) {
  const Tensor& products = trace[TensorId::dot_products];                    // (batch, head, query, key)
  Tensor result = workspace.tensor(products.precision(), products.shape());  // (batch, head, query, key)
  with_element_type(products.precision(), [&](auto zero) {
    using T = decltype(zero);
    const T factor = static_cast<T>(trace.setup.score_factor());
    const T* from = products.data<T>();
    T* to = result.writable<T>();
    workspace.ranges(products.elements(), elements_per_task, [&](Index begin, Index end) {
      numbers(to + begin, end - begin) = numbers(from + begin, end - begin) * factor;
    });
    if (trace.has(TensorId::position_bias)) add_bias<T>(trace[TensorId::position_bias], result, workspace);
  });
  trace[TensorId::scores] = result;  // (batch, head, query, key)
}

/// The factor as the setup writes it: "1/√4", "1/√4/0.5", "0.25", "1".
std::string factor_label(const Setup& setup) {
  std::string label = "1";
  if (std::holds_alternative<InverseSqrtDHead>(setup.attention.scale)) label = fmt::format("1/√{}", setup.d_head());
  if (const double* number = std::get_if<double>(&setup.attention.scale)) label = fmt::format("{}", *number);
  if (setup.attention.temperature != 1) label += fmt::format("/{}", setup.attention.temperature);
  return label;
}

Explanation explain_cell(const Trace& trace, const Cell& cell) {
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = "scores[b,h,i,j] = dot_products[b,h,i,j] · scale / temperature";
  explanation.terms = {term("scaled", {factor(trace, TensorId::dot_products, cell.index),
                                       constant(factor_label(trace.setup), trace.setup.score_factor())})};
  if (trace.has(TensorId::position_bias)) {
    const Shape place = index_in_operand(TensorId::position_bias, cell, 0, trace.setup);
    explanation.formula += " + position_bias[h,i,j]";
    explanation.terms.push_back(term("position", {factor(trace, TensorId::position_bias, place)}));
  }
  return explanation;
}

/// The operation on a dot product: "÷ √4 ÷ 0.5"; empty if the factor is 1 by the setup.
std::string operation(const Setup& setup) {
  std::string text;
  if (std::holds_alternative<InverseSqrtDHead>(setup.attention.scale)) text = fmt::format("÷ √{}", setup.d_head());
  if (const double* number = std::get_if<double>(&setup.attention.scale)) text = fmt::format("× {:.4g}", *number);
  if (setup.attention.temperature != 1)
    text += fmt::format("{}÷ {:.4g}", text.empty() ? "" : " ", setup.attention.temperature);
  return text;
}

std::vector<FormulaWord> formula_words(const Attention& attention) {
  std::vector<FormulaWord> words;
  if (std::holds_alternative<InverseSqrtDHead>(attention.scale)) words.push_back({"÷ √d", "head"});
  if (const double* number = std::get_if<double>(&attention.scale))
    words.push_back({fmt::format("× {:.4g}", *number), {}});
  if (attention.temperature != 1) words.push_back({fmt::format("÷ {:.4g}", attention.temperature), {}});
  return words;
}

StageWords words(const Setup& setup) {
  const std::string done = operation(setup);
  const std::string below = done.empty() ? "not scaled" : done;
  return {.operation = done.empty() ? "× 1" : done,
          .below = below,
          .below_briefly = below,
          .before = {},
          .after = formula_words(setup.attention)};
}

CodeLines code(const Code& code) {
  const Attention& attention = code.setup.attention;
  CodeLines lines;
  std::string formula = "scores = dot_products";
  if (std::holds_alternative<InverseSqrtDHead>(attention.scale)) formula += " / d_head**0.5";
  if (const double* scale = std::get_if<double>(&attention.scale)) {
    lines.push_back({fmt::format("scale = {}", float_text(*scale)), ""});
    formula += " * scale";
  }
  if (attention.temperature != 1) {
    lines.push_back({fmt::format("temperature = {}", float_text(attention.temperature)),
                     "above 1 flattens the weights, below 1 sharpens them"});
    formula += " / temperature";
  }
  if (exists(TensorId::position_bias, code.setup)) formula += " + position_bias";
  lines.push_back({formula, shape_words(TensorId::scores, code)});
  return lines;
}

}  // namespace

Stage scores_stage() {
  static constexpr std::array operands{Operand{TensorId::dot_products},
                                       Operand{TensorId::position_bias, Operand::Place::added}};
  return {.result = TensorId::scores,
          .kind = StageKind::elementwise,
          .phase = Phase::scores,
          .title = "Scale",
          .formula = "scores = dot_products · scale / temperature",
          .operands = operands,
          .same_settings = same_factor,
          .words = words,
          .compute = compute,
          .explain = explain_cell,
          .code = code,
          .heading = [](const Code&) { return std::string("Scale."); }};
}

}  // namespace headlight
