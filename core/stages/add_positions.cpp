// X_plus_P = X + P, and likewise Y_plus_P. Both begin with the first row of P.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/compute/matrices.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/gradient.hpp"
#include "core/stages/list.hpp"

namespace headlight {
namespace {

using Slot = Operand::Slot;

TensorId input_of(TensorId sum, const Setup& setup) { return operand_at(stage_of(sum), Slot::left, setup)->tensor; }

/// (batch, position, d_model), and (position, d_model) added for each batch item -> (batch, position, d_model)
template <TensorId sum_id>
void compute(Trace& trace, Workspace& workspace) {
  const Tensor& input = trace[input_of(sum_id, trace.setup)];          // (batch, position, d_model)
  const Tensor& encoding = trace[TensorId::P];                         // (position, d_model)
  Tensor result = workspace.tensor(input.precision(), input.shape());  // (batch, position, d_model)
  const Index positions = input.shape()[1], features = input.shape()[2];
  with_element_type(input.precision(), [&](auto zero) {
    using T = decltype(zero);
    const auto table = matrix<T>(encoding);
    T* to = result.writable<T>();
    const Index rows_per_task = std::max<Index>(1, elements_per_task / features);
    workspace.ranges(input.shape()[0] * positions, rows_per_task, [&](Index begin, Index end) {
      for (Index row = begin; row < end; ++row) {
        WritableMatrix<T>(to + row * features, 1, features, RowStride(features)) =
            matrix<T>(input, row / positions).row(row % positions) + table.row(row % positions);
      }
    });
  });
  trace[sum_id] = result;  // (batch, position, d_model)
}

/// Back through X_plus_P = X + P: X gets the same numbers, P the sum over the batch items.
Tensor back(const Trace& trace, Workspace& workspace, const GradientPath& path) {
  const Tensor& sum = trace[gradient_of(path.through->result)];  // (batch, position, d_model)
  return path.operand.slot == Slot::added ? sum_over_batch(sum, workspace) : sum;
}

std::string back_code(const Code&, const GradientPath& path) {
  return fmt::format("{}{}", name(gradient_of(path.through->result)),
                     path.operand.slot == Slot::added ? ".sum(axis=0)" : "");
}

template <TensorId sum_id>
Explanation explain_cell(const Trace& trace, const Cell& cell) {
  const TensorId input = input_of(sum_id, trace.setup);
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = fmt::format("{}[b,i,f] = {}[b,i,f] + P[i,f]", name(sum_id), name(input));
  explanation.terms = {term("token", {factor(trace, input, cell.index)}),
                       term("position", {factor(trace, TensorId::P, {cell.index[1], cell.index[2]})})};
  return explanation;
}

template <TensorId sum_id>
CodeLines code(const Code& code) {
  const TensorId input = input_of(sum_id, code.setup);
  const std::string rows =
      code.setup.is_cross() ? fmt::format("[:{}]", extent_code(info(sum_id).axes[1], code)) : std::string();
  return {{fmt::format("{} = {} + P{}", name(sum_id), name(input), rows), shape_words(sum_id, code)}};
}

template <TensorId sum_id>
Stage sum_stage(std::string_view formula, std::span<const Operand> operands) {
  return {.result = sum_id,
          .kind = StageKind::elementwise,
          .phase = Phase::input,
          .title = "Add the positions",
          .formula = formula,
          .operands = operands,
          .compute = compute<sum_id>,
          .explain = explain_cell<sum_id>,
          .backward = {.compute = back,
                       .explain = explain_passed_on,
                       .code = back_code,
                       .is_window = [](const GradientPath& path) { return path.operand.slot == Slot::left; }},
          .code = code<sum_id>};
}

}  // namespace

Stage add_to_x_stage() {
  static constexpr std::array operands{Operand{TensorId::X}, Operand{TensorId::P, Slot::added}};
  return sum_stage<TensorId::X_plus_P>("X_plus_P = X + P", operands);
}

Stage add_to_y_stage() {
  static constexpr std::array operands{Operand{TensorId::Y}, Operand{TensorId::P, Slot::added}};
  return sum_stage<TensorId::Y_plus_P>("Y_plus_P = Y + P", operands);
}

}  // namespace headlight
