// weights = softmax(masked_scores) over the keys, with the row's maximum subtracted so that nothing overflows.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/compute/softmax.hpp"
#include "core/stages/list.hpp"
#include "core/stages/terms.hpp"

namespace headlight {
namespace {

void compute(Trace& trace, Workspace& workspace) {
  const Tensor& scores = trace[TensorId::masked_scores];
  const Index keys = scores.shape()[3];
  Tensor result = workspace.tensor(scores.precision(), scores.shape());
  with_element_type(scores.precision(), [&](auto zero) {
    using T = decltype(zero);
    const Index rows_per_task = std::max<Index>(1, elements_per_task / 4 / std::max<Index>(keys, 16));
    workspace.ranges(scores.elements() / keys, rows_per_task, [&](Index begin, Index end) {
      softmax_rows(scores.data<T>() + begin * keys, result.writable<T>() + begin * keys, end - begin, keys);
    });
  });
  trace[TensorId::weights] = result;
}

/// The row of masked scores that the cell's weight belongs to, with the exponentials taken in double.
std::vector<SoftmaxEntry> row_of(const Trace& trace, const Cell& cell) {
  const Index keys = trace.setup.key_length();
  std::vector<SoftmaxEntry> row;
  double largest = -std::numeric_limits<double>::infinity();
  Shape index = cell.index;
  for (Index key = 0; key < keys; ++key) {
    index[3] = key;
    const Cell score{TensorId::masked_scores, index};
    row.push_back({score, trace.value(score), 0, trace.value({TensorId::weights, index})});
    largest = std::max(largest, row.back().score_value);
  }
  if (std::isinf(largest)) return row;
  for (SoftmaxEntry& entry : row) entry.exponential = std::exp(entry.score_value - largest);
  return row;
}

Explanation explain_cell(const Trace& trace, const Cell& cell) {
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = "weights[b,h,i,j] = exp(masked_scores[b,h,i,j] − max) / Σ_k exp(masked_scores[b,h,i,k] − max)";
  explanation.softmax_row = row_of(trace, cell);
  double sum = 0;
  for (const SoftmaxEntry& entry : explanation.softmax_row) sum += entry.exponential;
  if (sum == 0) {
    explanation.note = fmt::format("query {} sees no key: its weights are a row of zeros", cell.index[2]);
    explanation.terms = {term("no key visible", {constant("0", 0)})};
    return explanation;
  }
  const SoftmaxEntry& own = explanation.softmax_row[static_cast<std::size_t>(cell.index[3])];
  if (std::isinf(own.score_value)) explanation.note = "the key is hidden from the query: its weight is exactly 0";
  Factor exponential{fmt::format("exp({} − max)", to_string(own.score)), own.exponential, own.score};
  explanation.terms = {term("share", {std::move(exponential), constant("1/Σ exp", 1 / sum)})};
  return explanation;
}

std::string code(const Setup& setup) {
  const bool torch = setup.random.generator == GeneratorKind::torch;
  return torch ? "weights = torch.softmax(masked_scores, dim=-1)"
               : "e = np.exp(masked_scores - masked_scores.max(axis=-1, keepdims=True))\n"
                 "weights = e / e.sum(axis=-1, keepdims=True)";
}

}  // namespace

Stage softmax_stage() {
  static constexpr std::array inputs{TensorId::masked_scores};
  static constexpr std::array outputs{TensorId::weights};
  return {StageId::softmax,
          "Softmax",
          "weights = softmax(masked_scores) over the keys",
          inputs,
          outputs,
          nullptr,
          nullptr,
          compute,
          explain_cell,
          code};
}

}  // namespace headlight
