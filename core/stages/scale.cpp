// scores = dot_products · scale / temperature, plus position_bias where there is one
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/compute/matrices.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/gradient.hpp"
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
Tensor scaled(const Tensor& numbers_in, const Setup& setup, Workspace& workspace) {
  Tensor result = workspace.tensor(numbers_in.precision(), numbers_in.shape());  // (batch, head, query, key)
  with_element_type(numbers_in.precision(), [&](auto zero) {
    using T = decltype(zero);
    const T factor = static_cast<T>(setup.score_factor());
    const T* from = numbers_in.data<T>();
    T* to = result.writable<T>();
    workspace.ranges(numbers_in.elements(), elements_per_task, [&](Index begin, Index end) {
      numbers(to + begin, end - begin) = numbers(from + begin, end - begin) * factor;
    });
  });
  return result;
}

Tensor compute(const Stage& stage, const Trace& trace, Workspace& workspace) {
  Tensor result = scaled(left_of(stage, trace), trace.setup, workspace);
  if (const Tensor* bias = tensor_at(stage, Operand::Slot::added, trace)) {
    with_element_type(result.precision(), [&](auto zero) { add_bias<decltype(zero)>(*bias, result, workspace); });
  }
  return result;  // (batch, head, query, key)
}

/// Back through scores = dot_products · scale / temperature + position_bias: the gradient is scaled alike, and the
/// bias, which is the same for every batch item, gets the sum over them.
Tensor back(const Trace& trace, Workspace& workspace, const GradientPath& path) {
  const Tensor& result = trace[gradient_of(path.through->result)];  // (batch, head, query, key)
  if (path.operand.slot == Operand::Slot::added) return sum_over_batch(result, workspace);
  return scaled(result, trace.setup, workspace);
}

/// The factor as the setup writes it: "1/√4", "1/√4/0.5", "0.25", "1".
std::string factor_label(const Setup& setup) {
  std::string label = "1";
  if (std::holds_alternative<InverseSqrtDHead>(setup.attention.scale)) label = fmt::format("1/√{}", setup.d_head());
  if (const double* number = std::get_if<double>(&setup.attention.scale)) label = fmt::format("{}", *number);
  if (setup.attention.temperature != 1) label += fmt::format("/{}", setup.attention.temperature);
  return label;
}

Explanation explain_cell(const Stage& stage, const Trace& trace, const Cell& cell) {
  const TensorId products = left_operand(stage, trace.setup);
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula =
      fmt::format("{}[b,h,i,j] = {}[b,h,i,j] · scale / temperature", name(stage.result), name(products));
  explanation.terms = {term("scaled", {factor(trace, products, cell.index),
                                       constant(factor_label(trace.setup), trace.setup.score_factor())})};
  if (const auto* bias = operand_at(stage, Operand::Slot::added, trace.setup)) {
    const Shape index = index_in_operand(bias->tensor, cell, 0, trace.setup);
    explanation.formula += fmt::format(" + {}[h,i,j]", name(bias->tensor));
    explanation.terms.push_back(term("position", {factor(trace, bias->tensor, index)}));
  }
  return explanation;
}

void explain_back(Explanation& explanation, const Trace& trace, const GradientPath& path, const Cell& cell) {
  if (path.operand.slot == Operand::Slot::added) return explain_passed_on(explanation, trace, path, cell);
  explain_by_chain_rule(explanation, trace, path, cell, " · scale / temperature", [&](const Cell&) {
    return std::vector{constant(factor_label(trace.setup), trace.setup.score_factor())};
  });
}

/// "× 0.5", or "÷ 256" for a factor that so few digits don't say, if its inverse is whole.
std::string factor_words(double factor) {
  const double inverse = std::round(1 / factor);
  const bool is_inverse = std::isfinite(inverse) && inverse >= 2 && 1 / inverse == factor;
  if (is_inverse && number_from<double>(formula_number(factor)) != factor) return fmt::format("÷ {}", inverse);
  return "× " + formula_number(factor);
}

/// The operation on a dot product: "÷ √4 ÷ 0.5"; empty if the factor is 1 by the setup.
std::string operation(const Setup& setup) {
  std::string text;
  if (std::holds_alternative<InverseSqrtDHead>(setup.attention.scale)) text = fmt::format("÷ √{}", setup.d_head());
  if (const double* number = std::get_if<double>(&setup.attention.scale)) text = factor_words(*number);
  if (setup.attention.temperature != 1)
    text += fmt::format("{}÷ {}", text.empty() ? "" : " ", formula_number(setup.attention.temperature));
  return text;
}

std::vector<FormulaWord> formula_words(const Attention& attention) {
  std::vector<FormulaWord> words;
  if (std::holds_alternative<InverseSqrtDHead>(attention.scale)) words.push_back({"÷ √d", "head"});
  if (const double* number = std::get_if<double>(&attention.scale)) words.push_back({factor_words(*number), {}});
  if (attention.temperature != 1) words.push_back({"÷ " + formula_number(attention.temperature), {}});
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

/// " / d_head**0.5 / temperature", behind what is scaled
std::string scaling_code(const Attention& attention) {
  std::string formula;
  if (std::holds_alternative<InverseSqrtDHead>(attention.scale)) formula += " / d_head**0.5";
  if (std::holds_alternative<double>(attention.scale)) formula += " * scale";
  if (attention.temperature != 1) formula += " / temperature";
  return formula;
}

CodeLines code(const Stage& stage, const Code& code) {
  const Attention& attention = code.setup.attention;
  CodeLines lines;
  if (const double* scale = std::get_if<double>(&attention.scale))
    lines.push_back({fmt::format("scale = {}", float_text(*scale)), ""});
  if (attention.temperature != 1) {
    lines.push_back({fmt::format("temperature = {}", float_text(attention.temperature)),
                     "above 1 flattens the weights, below 1 sharpens them"});
  }
  const auto* bias = operand_at(stage, Operand::Slot::added, code.setup);
  lines.push_back({fmt::format("{} = {}{}{}", name(stage.result), name(left_operand(stage, code.setup)),
                               scaling_code(attention), bias ? fmt::format(" + {}", name(bias->tensor)) : ""),
                   shape_words(stage.result, code)});
  return lines;
}

std::string back_code(const Code& code, const GradientPath& path) {
  const std::string result(name(gradient_of(path.through->result)));
  return result + (path.operand.slot == Operand::Slot::added ? ".sum(axis=0)" : scaling_code(code.setup.attention));
}

}  // namespace

namespace operations {

extern constinit const Operation scale{.kind = StageKind::elementwise,
                                       .title = "Scale",
                                       .formula = "{0} = {1} · scale / temperature",
                                       .same_settings = same_factor,
                                       .words = words,
                                       .compute = compute,
                                       .explain = explain_cell,
                                       .backward = {.compute = back, .explain = explain_back, .code = back_code},
                                       .code = code,
                                       .heading = "Scale."};

}  // namespace operations

}  // namespace headlight
