// scores = dot_products · scale / temperature
#include <array>

#include <fmt/format.h>

#include "core/compute/matrices.hpp"
#include "core/stages/list.hpp"
#include "core/stages/terms.hpp"

namespace headlight {
namespace {

bool same_factor(const Setup& a, const Setup& b) { return a.score_factor() == b.score_factor(); }

void compute(Trace& trace, Workspace& workspace) {
  const Tensor& products = trace[TensorId::dot_products];
  Tensor result = workspace.tensor(products.precision(), products.shape());
  with_element_type(products.precision(), [&](auto zero) {
    using T = decltype(zero);
    const T factor = static_cast<T>(trace.setup.score_factor());
    const T* from = products.data<T>();
    T* to = result.writable<T>();
    workspace.ranges(products.elements(), elements_per_task, [&](Index begin, Index end) {
      numbers(to + begin, end - begin) = numbers(from + begin, end - begin) * factor;
    });
  });
  trace[TensorId::scores] = result;
}

/// "1/√4", "1/√4/0.5", "0.25", "1": the factor in the words of the setup.
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
  return explanation;
}

std::string code(const Setup& setup) {
  const bool torch = setup.random.generator == GeneratorKind::torch;
  std::string line = "scores = dot_products";
  if (std::holds_alternative<InverseSqrtDHead>(setup.attention.scale))
    line += torch ? " / d_head ** 0.5" : " / np.sqrt(d_head)";
  if (const double* number = std::get_if<double>(&setup.attention.scale)) line += fmt::format(" * {}", *number);
  if (setup.attention.temperature != 1) line += fmt::format(" / {}", setup.attention.temperature);
  return line;
}

}  // namespace

Stage scale_stage() {
  static constexpr std::array inputs{TensorId::dot_products};
  static constexpr std::array outputs{TensorId::scores};
  return {StageId::scale,
          "Scale",
          "scores = dot_products · scale / temperature",
          inputs,
          outputs,
          same_factor,
          nullptr,
          compute,
          explain_cell,
          code};
}

}  // namespace headlight
