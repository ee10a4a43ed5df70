// weights = softmax(masked_scores) over the keys. The row's maximum is subtracted first so that exp cannot overflow.
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

/// (batch, head, query, key) -> (batch, head, query, key), one row of keys after the other
void compute(Trace& trace, Workspace& workspace) {
  const Tensor& scores = trace[TensorId::masked_scores];  // (batch, head, query, key)
  const Index keys = scores.shape()[3];
  Tensor result = workspace.tensor(scores.precision(), scores.shape());  // (batch, head, query, key)
  with_element_type(scores.precision(), [&](auto zero) {
    using T = decltype(zero);
    const Index rows_per_task = std::max<Index>(1, elements_per_task / 4 / std::max<Index>(keys, 16));
    workspace.ranges(scores.elements() / keys, rows_per_task, [&](Index begin, Index end) {
      softmax_rows(scores.data<T>() + begin * keys, result.writable<T>() + begin * keys, end - begin, keys);
    });
  });
  trace[TensorId::weights] = result;  // (batch, head, query, key)
}

/// The entries (key,) of the softmax row that the cell's weight belongs to, with the exponentials computed in double.
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

StageWords words(const Setup&) {
  return {.operation = "softmax",
          .below = "softmax over keys",
          .below_briefly = "softmax",
          .before = {{"softmax (", {}}},
          .after = {{")", {}}}};
}

/// The lines for PyTorch. `blind`: some query sees no key. Softmax would give it a row of NaN, so its row is set to 0.
CodeLines torch_code(const std::string& shape, bool blind) {
  if (!blind) return {{"weights = torch.softmax(masked_scores, dim=-1)", shape}};
  return {{"sees_a_key = visible.any(dim=-1, keepdim=True)", "without one, softmax has nothing to share out"},
          {"weights = torch.softmax(masked_scores, dim=-1).masked_fill(~sees_a_key, 0)", shape}};
}

CodeLines numpy_code(const std::string& shape, bool blind) {
  if (!blind) {
    return {{"e = np.exp(masked_scores - masked_scores.max(axis=-1, keepdims=True))", "less the largest: no overflow"},
            {"weights = e / e.sum(axis=-1, keepdims=True)", shape}};
  }
  return {
      {"sees_a_key = visible.any(axis=-1, keepdims=True)", "without one, the weights stay zero"},
      {"highest = np.where(sees_a_key, masked_scores.max(axis=-1, keepdims=True), 0)", "so that exp cannot overflow"},
      {"e = np.exp(masked_scores - highest)", shape},
      {"weights = e / np.where(sees_a_key, e.sum(axis=-1, keepdims=True), 1)", shape}};
}

CodeLines code(const Code& code) {
  const std::string shape = shape_words(TensorId::weights, code);
  const bool blind = !blind_queries(code.setup).empty();
  return code.in_torch() ? torch_code(shape, blind) : numpy_code(shape, blind);
}

std::string heading(const Code& code) {
  return blind_queries(code.setup).empty()
             ? "Softmax over the keys: each row sums to 1."
             : "Softmax over the keys: each row sums to 1, or stays zero where a query sees no key.";
}

}  // namespace

Stage softmax_stage() {
  static constexpr std::array operands{Operand{TensorId::masked_scores}};
  return {.result = TensorId::weights,
          .kind = StageKind::rowwise,
          .phase = Phase::weights,
          .title = "Softmax",
          .formula = "weights = softmax(masked_scores) over the keys",
          .operands = operands,
          .words = words,
          .compute = compute,
          .explain = explain_cell,
          .code = code,
          .heading = heading};
}

}  // namespace headlight
