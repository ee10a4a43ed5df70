// X_plus_P = X + P, and likewise Y_plus_P. Both use the rows of P from the first on.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/compute/matrices.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/gradient.hpp"

namespace headlight {
namespace {

using Slot = Operand::Slot;

/// (batch, position, d_model), and (position, d_model) added for each batch item -> (batch, position, d_model)
Tensor compute(const Stage& stage, const Trace& trace, Workspace& workspace) {
  const Tensor& input = left_of(stage, trace);                         // (batch, position, d_model)
  const Tensor& encoding = *tensor_at(stage, Slot::added, trace);      // (position, d_model)
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
  return result;
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

Explanation explain_cell(const Stage& stage, const Trace& trace, const Cell& cell) {
  const TensorId input = left_operand(stage, trace.setup);
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = fmt::format("{}[b,i,f] = {}[b,i,f] + P[i,f]", name(stage.result), name(input));
  explanation.terms = {term("token", {factor(trace, input, cell.index)}),
                       term("position", {factor(trace, TensorId::P, {cell.index[1], cell.index[2]})})};
  return explanation;
}

CodeLines code(const Stage& stage, const Code& code) {
  const TensorId input = left_operand(stage, code.setup);
  const std::string rows =
      code.setup.is_cross() ? fmt::format("[:{}]", extent_code(info(stage.result).axes[1], code)) : std::string();
  return {{fmt::format("{} = {} + P{}", name(stage.result), name(input), rows), shape_words(stage.result, code)}};
}

}  // namespace

namespace operations {

extern constinit const Operation add_positions{
    .kind = StageKind::elementwise,
    .title = "Add the positions",
    .formula = "{0} = {1} + {2}",
    .compute = compute,
    .explain = explain_cell,
    .backward = {.compute = back,
                 .explain = explain_passed_on,
                 .code = back_code,
                 .is_window = [](const GradientPath& path) { return path.operand.slot == Slot::left; }},
    .code = code};

}  // namespace operations

}  // namespace headlight
