// weights = softmax(masked_scores) over the keys. The row's maximum is subtracted first so that exp cannot overflow.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/compute/softmax.hpp"
#include "core/model/mask.hpp"
#include "core/stages/gradient.hpp"
#include "core/stages/overflow.hpp"

namespace headlight {
namespace {

/// Whether all scores of a row are −∞ although its query sees a key: they are too large for their precision. Softmax
/// has no answer then, and not the row of zeros of a query that sees none.
template <class T>
bool has_overflowed(const T* scores, Index row, const Shape& shape, const Setup& setup) {
  const Index keys = shape[3];
  const auto is_hidden = [](T score) { return score == -std::numeric_limits<T>::infinity(); };
  if (!std::all_of(scores, scores + keys, is_hidden)) return false;
  return !Mask(setup).is_blind(row / (shape[1] * shape[2]), row % shape[2]);
}

/// (batch, head, query, key) -> (batch, head, query, key), one row of keys after the other
Tensor compute(const Stage& stage, const Trace& trace, Workspace& workspace) {
  const Tensor& scores = left_of(stage, trace);  // (batch, head, query, key)
  const Index keys = scores.shape()[3];
  Tensor result = workspace.tensor(scores.precision(), scores.shape());  // (batch, head, query, key)
  with_element_type(scores.precision(), [&](auto zero) {
    using T = decltype(zero);
    const Index rows_per_task = std::max<Index>(1, elements_per_task / 4 / std::max<Index>(keys, 16));
    workspace.ranges(scores.elements() / keys, rows_per_task, [&](Index begin, Index end) {
      softmax_rows(scores.data<T>() + begin * keys, result.writable<T>() + begin * keys, end - begin, keys);
      for (Index row = begin; row < end; ++row) {
        const T* const from = scores.data<T>() + row * keys;
        if (from[0] == -std::numeric_limits<T>::infinity() && has_overflowed(from, row, scores.shape(), trace.setup))
          std::fill_n(result.writable<T>() + row * keys, keys, std::numeric_limits<T>::quiet_NaN());
      }
    });
  });
  return result;
}

/// Back through weights = softmax(masked_scores): ∂L/∂masked_scores = weights · (∂L/∂weights − Σ_k weights ·
/// ∂L/∂weights), the sum over the row. A score matters as far as its own weight gains more than the row does.
Tensor back(const Trace& trace, Workspace& workspace, const GradientPath&) {
  const Tensor& weights = trace[TensorId::weights];              // (batch, head, query, key)
  const Tensor& result = trace[gradient_of(TensorId::weights)];  // (batch, head, query, key)
  const Index keys = weights.shape()[3];
  Tensor gradient = workspace.tensor(weights.precision(), weights.shape());  // (batch, head, query, key)
  with_element_type(weights.precision(), [&](auto zero) {
    using T = decltype(zero);
    const Index rows_per_task = std::max<Index>(1, elements_per_task / std::max<Index>(keys, 16));
    workspace.ranges(weights.elements() / keys, rows_per_task, [&](Index begin, Index end) {
      const Index first = begin * keys;
      softmax_rows_backward(weights.data<T>() + first, result.data<T>() + first, gradient.writable<T>() + first,
                            end - begin, keys);
    });
  });
  return gradient;
}

void explain_back(Explanation& explanation, const Trace& trace, const GradientPath&, const Cell& cell) {
  const Tensor& weights = trace[TensorId::weights];              // (batch, head, query, key)
  const Tensor& result = trace[gradient_of(TensorId::weights)];  // (batch, head, query, key)
  const Shape& i = cell.index;
  const Index row = ((i[0] * weights.shape()[1] + i[1]) * weights.shape()[2] + i[2]) * weights.shape()[3];
  // The sum as it was computed, to the last bit: where the row is sharp, the difference below is made of its last bits.
  const double mean = with_element_type(weights.precision(), [&](auto zero) {
    using T = decltype(zero);
    return static_cast<double>(weighted_sum(weights.data<T>() + row, result.data<T>() + row, weights.shape()[3]));
  });
  const Factor own = factor(trace, gradient_of(TensorId::weights), i);
  const Factor weight = factor(trace, TensorId::weights, i);
  explanation.formula = "weights[b,h,i,j] · (grad_weights[b,h,i,j] − Σ_k weights[b,h,i,k] · grad_weights[b,h,i,k])";
  explanation.terms.push_back(term(
      "share", {weight, Factor{fmt::format("{} − Σ weights · grad_weights", own.name()), own.value - mean, own.cell}}));
  if (weight.value == 0)
    explanation.note = fmt::format("0, because {} is 0: the key has no share to gain or lose", weight.name());
  else if (weight.value == 1)
    explanation.note = fmt::format("{} is 1: the softmax is saturated, and no score matters", weight.name());
  else if (own.value == mean) explanation.note = "0, because its weight gains as much as the row does";
}

std::string back_code(const Code&, const GradientPath&) {
  return "weights * (grad_weights - (weights * grad_weights).sum(axis=-1, keepdims=True))";
}

/// The entries (key,) of the softmax row that the cell's weight belongs to, with the exponentials computed in double.
std::vector<SoftmaxEntry> row_of(const Stage& stage, const Trace& trace, const Cell& cell) {
  const TensorId scores = left_operand(stage, trace.setup);
  const Index keys = trace.setup.key_length();
  std::vector<SoftmaxEntry> row;
  double largest = -std::numeric_limits<double>::infinity();
  Shape index = cell.index;
  for (Index key = 0; key < keys; ++key) {
    index[3] = key;
    const Cell score{scores, index};
    row.push_back({score, trace.value(score), 0, trace.value({stage.result, index})});
    const double here = row.back().score_value;
    largest = here > largest || std::isnan(here) ? here : largest;  // NaN stays
  }
  if (largest == -std::numeric_limits<double>::infinity()) return row;
  for (SoftmaxEntry& entry : row) entry.exponential = std::exp(entry.score_value - largest);
  return row;
}

Explanation explain_cell(const Stage& stage, const Trace& trace, const Cell& cell) {
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = fmt::format("{0}[b,h,i,j] = exp({1}[b,h,i,j] − max) / Σ_k exp({1}[b,h,i,k] − max)",
                                    name(stage.result), name(left_operand(stage, trace.setup)));
  explanation.softmax_row = row_of(stage, trace, cell);
  if (Mask(trace.setup).is_blind(cell.index[0], cell.index[2])) {
    explanation.note = fmt::format("query {} sees no key: its weights are a row of zeros", cell.index[2]);
    explanation.terms = {term("no key visible", {constant("0", 0)})};
    return explanation;
  }
  double sum = 0;
  for (const SoftmaxEntry& entry : explanation.softmax_row) sum += entry.exponential;
  const SoftmaxEntry& own = explanation.softmax_row[static_cast<std::size_t>(cell.index[3])];
  if (is_hidden(trace, cell)) explanation.note = "the key is hidden from the query: its weight is exactly 0";
  else if (own.score_value == -std::numeric_limits<double>::infinity() && explanation.value == 0)
    explanation.note = fmt::format("0, because {} is −∞: {}", to_string(own.score), note_of_overflow(trace, own.score));
  Factor exponential{fmt::format("exp({} − max)", to_string(own.score)), own.exponential, own.score};
  explanation.terms = {term("share", {std::move(exponential), constant("1/Σ exp", 1 / sum)})};
  return explanation;
}

StageWords words(const Setup&) { return in_brackets("softmax", "softmax", "softmax over keys", "softmax"); }

/// The lines for PyTorch. `blind`: some query sees no key. Softmax would give it a row of NaN, so its row is set to 0.
CodeLines torch_code(const std::string& shape, bool blind, bool walks_back) {
  if (!blind) return {{"weights = torch.softmax(masked_scores, dim=-1)", shape}};
  if (walks_back) {  // autograd would make NaN of what is then filled with 0
    return {{"sees_a_key = visible.any(dim=-1, keepdim=True)", "without one, softmax has nothing to share out"},
            {"weights = torch.softmax(masked_scores.masked_fill(~sees_a_key, 0), dim=-1).masked_fill(~sees_a_key, 0)",
             shape}};
  }
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

CodeLines code(const Stage& stage, const Code& code) {
  const std::string shape = shape_words(stage.result, code);
  const bool blind = !blind_queries(code.setup).empty();
  return code.in_torch() ? torch_code(shape, blind, code.setup.has_task()) : numpy_code(shape, blind);
}

std::string_view heading(const Stage&, const Code& code) {
  return blind_queries(code.setup).empty()
             ? "Softmax over the keys: each row sums to 1."
             : "Softmax over the keys: each row sums to 1, or stays zero where a query sees no key.";
}

constexpr std::array read_back{TensorId::weights};

}  // namespace

namespace operations {

extern constinit const Operation softmax{
    .kind = StageKind::rowwise,
    .title = "Softmax",
    .formula = "{0} = softmax({1}) over the keys",
    .words = words,
    .compute = compute,
    .explain = explain_cell,
    .backward = {.compute = back, .explain = explain_back, .code = back_code, .reads = read_back},
    .code = code,
    .varying_heading = heading};

}  // namespace operations

}  // namespace headlight
