// X_plus_P = X + P, and likewise Y_plus_P. Both use the rows of P from the first on; where positions count from the
// first token that isn't padding, each batch item does so from there on.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/compute/matrices.hpp"
#include "core/model/positions.hpp"
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
  const Axis axis = info(stage.result).axes[1];
  with_element_type(input.precision(), [&](auto zero) {
    using T = decltype(zero);
    const auto table = matrix<T>(encoding);
    T* to = result.writable<T>();
    const Index rows_per_task = std::max<Index>(1, elements_per_task / features);
    workspace.ranges(input.shape()[0] * positions, rows_per_task, [&](Index begin, Index end) {
      for (Index row = begin; row < end; ++row) {
        WritableMatrix<T>(to + row * features, 1, features, RowStride(features)) =
            matrix<T>(input, row / positions).row(row % positions) +
            table.row(position_on(axis, row / positions, row % positions, trace.setup));
      }
    });
  });
  return result;
}

/// For each row of P the sum over the rows to which it is added: (batch, position, d_model) -> (position, d_model)
Tensor sum_by_position(const Tensor& all, const Setup& setup, Workspace& workspace) {
  const Index positions = all.shape()[1], features = all.shape()[2];
  Tensor sum = workspace.tensor(all.precision(), {positions, features});
  copy_numbers(Tensor::zeros(all.precision(), {}), sum);
  with_element_type(all.precision(), [&](auto zero) {
    using T = decltype(zero);
    for (Index row = 0; row < all.shape()[0] * positions; ++row) {
      const Index item = row / positions, position = position_on(Axis::token, item, row % positions, setup);
      WritableMatrix<T>(sum.writable<T>() + position * features, 1, features, RowStride(features)) +=
          matrix<T>(all, item).row(row % positions);
    }
  });
  return sum;
}

/// Back through X_plus_P = X + P: X gets the same numbers, P the sum over the batch items.
Tensor back(const Trace& trace, Workspace& workspace, const GradientPath& path) {
  const Tensor& sum = trace[gradient_of(path.through->result)];  // (batch, position, d_model)
  if (path.operand.slot != Slot::added) return sum;
  return positions_skip_padding(trace.setup) ? sum_by_position(sum, trace.setup, workspace)
                                             : sum_over_batch(sum, workspace);
}

std::string back_code(const Code& code, const GradientPath& path) {
  const std::string result(name(gradient_of(path.through->result)));
  if (path.operand.slot != Slot::added) return result;
  if (!positions_skip_padding(code.setup)) return result + ".sum(axis=0)";
  return fmt::format("np.einsum(\"bip,bif->pf\", position[..., None] == np.arange({}), {})",
                     extent_code(Axis::position, code), result);
}

Explanation explain_cell(const Stage& stage, const Trace& trace, const Cell& cell) {
  const Setup& setup = trace.setup;
  const TensorId input = left_operand(stage, setup);
  const Index position = position_on(info(stage.result).axes[1], cell.index[0], cell.index[1], setup);
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = fmt::format("{}[b,i,f] = {}[b,i,f] + P[i,f]", name(stage.result), name(input));
  explanation.terms = {term("token", {factor(trace, input, cell.index)}),
                       term("position", {factor(trace, TensorId::P, {position, cell.index[2]})})};
  if (positions_skip_padding(setup) && counts_padding(info(stage.result).axes[1], setup)) {
    explanation.formula =
        fmt::format("{}[b,i,f] = {}[b,i,f] + P[max(i − padding, 0),f]", name(stage.result), name(input));
    explanation.note = fmt::format("positions count from the first real token: item {} has {} of padding before it",
                                   cell.index[0], left_padding(cell.index[0], setup));
  }
  return explanation;
}

CodeLines code(const Stage& stage, const Code& code) {
  const TensorId input = left_operand(stage, code.setup);
  const Axis axis = info(stage.result).axes[1];
  if (counts_padding(axis, code.setup)) {
    CodeLines lines = padding_code(code);
    lines.push_back({fmt::format("position = {}", positions_code(axis, code)), "from the first real token"});
    lines.push_back(
        {fmt::format("{} = {} + P[position]", name(stage.result), name(input)), shape_words(stage.result, code)});
    return lines;
  }
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
    .same_settings = same_positions,
    .compute = compute,
    .explain = explain_cell,
    .backward = {.compute = back,
                 .explain = explain_passed_on,
                 .code = back_code,
                 .is_window = [](const GradientPath& path) { return path.operand.slot == Slot::left; }},
    .code = code};

}  // namespace operations

}  // namespace headlight
