// weights = softmax(masked_scores) over the keys. The row's maximum is subtracted first so that exp cannot overflow.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/compute/softmax.hpp"
#include "core/model/mask.hpp"
#include "core/stages/gradient.hpp"
#include "core/stages/overflow.hpp"

namespace headlight {
namespace {

using Slot = Operand::Slot;

bool has_sink(const Setup& setup) { return setup.attention.sink != Sink::none; }
bool same_sink(const Setup& a, const Setup& b) { return a.attention.sink == b.attention.sink; }

/// The score of a head that belongs to no key: one of the sinks, or 0.
double sink_of(Index head, const Trace& trace) {
  return trace.has(TensorId::sinks) ? trace.number({TensorId::sinks, {head}}) : 0;
}

/// Softmax of each row with the sink of its head behind the keys: (batch, head, query, key) -> use(row, its shares,
/// which are (key + 1,)). Products in order have it before the keys, where it is added at the same place however many
/// keys there are.
template <class T, class Use>
void softmax_with_sinks(const Tensor& scores, const Trace& trace, Workspace& workspace, Use&& use) {
  const Shape& extents = scores.shape();
  const Index keys = extents[3], rows = scores.elements() / keys;
  const Index rows_per_task = std::max<Index>(1, elements_per_task / 4 / std::max<Index>(keys, 16));
  const bool comes_first = workspace.products() == Products::in_order;
  workspace.ranges(rows, rows_per_task, [&](Index begin, Index end) {
    std::vector<T> row(static_cast<std::size_t>(keys + 1)), shares(row.size());
    for (Index n = begin; n < end; ++n) {
      std::copy_n(scores.data<T>() + n * keys, keys, row.begin() + (comes_first ? 1 : 0));
      (comes_first ? row.front() : row.back()) = static_cast<T>(sink_of(n / extents[2] % extents[1], trace));
      softmax_rows(row.data(), shares.data(), 1, keys + 1);
      if (comes_first) std::rotate(shares.begin(), shares.begin() + 1, shares.end());
      use(n, std::as_const(shares));
    }
  });
}

/// Whether all scores of a row are −∞ although its query sees a key, whose own score is −∞ before the mask: they are
/// too large for their precision. Softmax has no answer then, and not the row of zeros of a query that sees none.
template <class T>
bool has_overflowed(const T* masked, Index row, const Shape& shape, const Trace& trace) {
  const Index keys = shape[3];
  const auto is_lowest = [](double score) { return score == -std::numeric_limits<double>::infinity(); };
  if (!std::all_of(masked, masked + keys, is_lowest) || !trace.has(TensorId::scores)) return false;
  const Index query = row % shape[2], head = row / shape[2] % shape[1], item = row / shape[2] / shape[1];
  const Mask mask(trace.setup);
  for (Index key = 0; key < keys; ++key)
    if (mask.visible(item, query, key)) return is_lowest(trace.number({TensorId::scores, {item, head, query, key}}));
  return false;
}

Tensor compute(const Stage& stage, const Trace& trace, Workspace& workspace) {
  return softmax_over_keys(left_of(stage, trace), trace, workspace);  // (batch, head, query, key)
}

/// Σ_k weights · ∂L/∂weights of a row, as it was computed, to the last bit.
template <class T>
T mean_gain(const Tensor& weights, const Tensor& result, Index row) {
  const Index keys = weights.shape()[3];
  return weighted_sum(weights.data<T>() + row * keys, result.data<T>() + row * keys, keys);
}

/// What the sinks take of each row: (batch, head, query)
template <class T>
std::vector<T> shares_of_sinks(const Trace& trace, Workspace& workspace) {
  const Tensor& scores = trace[TensorId::masked_scores];
  std::vector<T> taken(static_cast<std::size_t>(scores.elements() / scores.shape()[3]));
  softmax_with_sinks<T>(scores, trace, workspace,
                        [&](Index row, const auto& shares) { taken[static_cast<std::size_t>(row)] = shares.back(); });
  return taken;
}

/// Back to the sinks: ∂L/∂sinks = −Σ share of the sink · Σ_k weights · ∂L/∂weights, over all rows of the head. A sink
/// takes from every key as much as that key has.
Tensor back_to_sinks(const Trace& trace, Workspace& workspace) {
  const Tensor& weights = trace[TensorId::weights];              // (batch, head, query, key)
  const Tensor& result = trace[gradient_of(TensorId::weights)];  // (batch, head, query, key)
  const Index heads = weights.shape()[1], queries = weights.shape()[2];
  Tensor gradient = workspace.tensor(weights.precision(), {heads});
  with_element_type(weights.precision(), [&](auto zero) {
    using T = decltype(zero);
    T* to = gradient.writable<T>();
    std::fill_n(to, heads, T{0});
    const std::vector<T> taken = shares_of_sinks<T>(trace, workspace);
    for (Index row = 0; row < std::ssize(taken); ++row)
      to[row / queries % heads] -= taken[static_cast<std::size_t>(row)] * mean_gain<T>(weights, result, row);
  });
  return gradient;
}

/// Back through weights = softmax(masked_scores): ∂L/∂masked_scores = weights · (∂L/∂weights − Σ_k weights ·
/// ∂L/∂weights), the sum over the row. A score matters as far as its own weight gains more than the row does. What a
/// sink takes is multiplied by nothing, so that it adds nothing to the sum.
Tensor back(const Trace& trace, Workspace& workspace, const GradientPath& path) {
  if (path.operand.slot == Slot::added) return back_to_sinks(trace, workspace);
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

/// A term for each row of the head.
void explain_back_to_sinks(Explanation& explanation, const Trace& trace, const Cell& cell) {
  const Tensor& weights = trace[TensorId::weights];              // (batch, head, query, key)
  const Tensor& result = trace[gradient_of(TensorId::weights)];  // (batch, head, query, key)
  const Shape& extents = weights.shape();
  const double sink = sink_of(cell.index[0], trace);
  explanation.formula = "Σ_b Σ_i −share of the sink[b,h,i] · Σ_k weights[b,h,i,k] · grad_weights[b,h,i,k]";
  for (Index item = 0; item < extents[0]; ++item) {
    for (Index query = 0; query < extents[2]; ++query) {
      const Index row = (item * extents[1] + cell.index[0]) * extents[2] + query;
      const double mean = with_element_type(weights.precision(), [&](auto zero) {
        return static_cast<double>(mean_gain<decltype(zero)>(weights, result, row));
      });
      double largest = sink, sum = 0;
      Cell score{TensorId::masked_scores, {item, cell.index[0], query, 0}};
      for (Index& key = score.index[3] = 0; key < extents[3]; ++key) largest = std::max(largest, trace.number(score));
      for (Index& key = score.index[3] = 0; key < extents[3]; ++key) sum += std::exp(trace.number(score) - largest);
      const double share = std::exp(sink - largest) / (sum + std::exp(sink - largest));
      const std::string label = extents[0] == 1 ? trace.setup.query_label(query)
                                                : fmt::format("item {}, {}", item, trace.setup.query_label(query));
      explanation.terms.push_back(
          term(label, {constant("−share of the sink", -share), constant("Σ weights · grad_weights", mean)}));
    }
  }
}

void explain_back(Explanation& explanation, const Trace& trace, const GradientPath& path, const Cell& cell) {
  if (path.operand.slot == Slot::added) return explain_back_to_sinks(explanation, trace, cell);
  const Tensor& weights = trace[TensorId::weights];              // (batch, head, query, key)
  const Tensor& result = trace[gradient_of(TensorId::weights)];  // (batch, head, query, key)
  const Shape& i = cell.index;
  const Index row = (i[0] * weights.shape()[1] + i[1]) * weights.shape()[2] + i[2];
  // To the last bit: where the row is sharp, the difference below is made of the sum's last bits.
  const double mean = with_element_type(weights.precision(), [&](auto zero) {
    return static_cast<double>(mean_gain<decltype(zero)>(weights, result, row));
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

std::string back_code(const Code&, const GradientPath& path) {
  if (path.operand.slot == Slot::added)
    return "-(sink_share[..., 0] * (weights * grad_weights).sum(axis=-1)).sum(axis=(0, 2))";
  return "weights * (grad_weights - (weights * grad_weights).sum(axis=-1, keepdims=True))";
}

/// The entries (key,) of the softmax row that the cell's weight belongs to, with the exponentials computed in double.
struct SoftmaxRow {
  std::vector<SoftmaxEntry> entries;
  double sink = 0;  ///< the exponential that belongs to no key
};
SoftmaxRow row_of(const Stage& stage, const Trace& trace, const Cell& cell) {
  const TensorId scores = left_operand(stage, trace.setup);
  const Index keys = trace.setup.key_length();
  std::vector<SoftmaxEntry> row;
  double largest = has_sink(trace.setup) ? sink_of(cell.index[1], trace) : -std::numeric_limits<double>::infinity();
  Shape index = cell.index;
  for (Index key = 0; key < keys; ++key) {
    index[3] = key;
    const Cell score{scores, index};
    row.push_back({score, trace.number(score), 0, trace.number({stage.result, index})});
    const double here = row.back().score_value;
    largest = here > largest || std::isnan(here) ? here : largest;  // NaN stays
  }
  if (largest == -std::numeric_limits<double>::infinity()) return {row, 0};
  for (SoftmaxEntry& entry : row) entry.exponential = std::exp(entry.score_value - largest);
  return {row, has_sink(trace.setup) ? std::exp(sink_of(cell.index[1], trace) - largest) : 0};
}

/// What the sink takes of a row.
std::string sink_words(double share, const Trace& trace, const Cell& cell) {
  const Index head = cell.index[1];
  const std::string term = trace.has(TensorId::sinks) ? fmt::format("exp(sinks[{0}] − max) with sinks[{0}] = {1:.4g}",
                                                                    head, sink_of(head, trace))
                                                      : std::string("exp(0 − max)");
  return fmt::format("Σ has one more term, {}, that belongs to no key: it takes {:.3g} % of the row", term,
                     100 * share);
}

Explanation explain_cell(const Stage& stage, const Trace& trace, const Cell& cell) {
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = fmt::format("{0}[b,h,i,j] = exp({1}[b,h,i,j] − max) / Σ_k exp({1}[b,h,i,k] − max)",
                                    name(stage.result), name(left_operand(stage, trace.setup)));
  SoftmaxRow row = row_of(stage, trace, cell);
  explanation.softmax_row = std::move(row.entries);
  explanation.sink = row.sink;
  if (has_sink(trace.setup))
    explanation.formula += trace.has(TensorId::sinks) ? ", with exp(sinks[h] − max) in Σ" : ", with exp(0 − max) in Σ";
  double sum = row.sink;
  for (const SoftmaxEntry& entry : explanation.softmax_row) sum += entry.exponential;
  if (!has_sink(trace.setup) && Mask(trace.setup).is_blind(cell.index[0], cell.index[2])) {
    explanation.note = fmt::format("query {} sees no key: its weights are a row of zeros", cell.index[2]);
    explanation.terms = {term("no key visible", {constant("0", 0)})};
    return explanation;
  }
  const SoftmaxEntry& own = explanation.softmax_row[static_cast<std::size_t>(cell.index[3])];
  if (is_hidden(trace, cell)) explanation.note = "the key is hidden from the query: its weight is exactly 0";
  else if (own.score_value == -std::numeric_limits<double>::infinity() && explanation.value == 0)
    explanation.note = fmt::format("0, because {} is −∞: {}", to_string(own.score), note_of_overflow(trace, own.score));
  else if (has_sink(trace.setup)) explanation.note = sink_words(row.sink / sum, trace, cell);
  Factor exponential{fmt::format("exp({} − max)", to_string(own.score)), own.exponential, own.score};
  explanation.terms = {term("share", {std::move(exponential), constant("1/Σ exp", 1 / sum)})};
  return explanation;
}

StageWords words(const Setup& setup) {
  if (has_sink(setup)) return in_brackets("softmax", "softmax with a sink", "softmax, with a sink", "softmax");
  return in_brackets("softmax", "softmax", "softmax over keys", "softmax");
}

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

/// One more score for every row, whose share is left out: "sink_share" is what it takes.
CodeLines code_with_sink(const std::string& shape, const Code& code) {
  const bool learned = code.setup.attention.sink == Sink::learned;
  if (code.in_torch()) {
    const std::string sink = learned ? "sinks[None, :, None, None].expand(batch, -1, query_length, 1)"
                                     : "torch.zeros(batch, heads, query_length, 1)";
    return {
        {fmt::format("with_sink = torch.cat([masked_scores, {}], dim=-1)", sink), "one more score that is no key's"},
        {"weights = torch.softmax(with_sink, dim=-1)[..., :-1]", shape}};
  }
  const std::string dtype = code.is_float32() ? ", dtype=np.float32" : "";
  CodeLines lines{
      {learned ? "sink = sinks[:, None, None]" : fmt::format("sink = np.zeros((heads, 1, 1){})", dtype),
       "one more score that is no key's"},
      {"highest = np.maximum(masked_scores.max(axis=-1, keepdims=True), sink)", "so that exp cannot overflow"},
      {"e = np.exp(masked_scores - highest)", shape},
      {"total = e.sum(axis=-1, keepdims=True) + np.exp(sink - highest)", "with the sink"},
      {"weights = e / total", shape}};
  if (learned && code.setup.has_task())
    lines.push_back({"sink_share = np.exp(sink - highest) / total", "what no key gets"});
  return lines;
}

CodeLines code(const Stage& stage, const Code& code) {
  const std::string shape = shape_words(stage.result, code);
  if (has_sink(code.setup)) return code_with_sink(shape, code);
  const bool blind = !blind_queries(code.setup).empty();
  return code.in_torch() ? torch_code(shape, blind, code.setup.has_task()) : numpy_code(shape, blind);
}

std::string_view heading(const Stage&, const Code& code) {
  if (has_sink(code.setup)) return "Softmax over the keys and a sink: the keys' shares add up to less than 1.";
  return blind_queries(code.setup).empty()
             ? "Softmax over the keys: each row sums to 1."
             : "Softmax over the keys: each row sums to 1, or stays zero where a query sees no key.";
}

constexpr std::array read_back{TensorId::weights};

}  // namespace

Tensor softmax_over_keys(const Tensor& scores, const Trace& trace, Workspace& workspace) {
  const Index keys = scores.shape()[3];
  Tensor result = workspace.tensor(scores.precision(), scores.shape());  // (batch, head, query, key)
  with_element_type(scores.precision(), [&](auto zero) {
    using T = decltype(zero);
    if (has_sink(trace.setup)) {
      softmax_with_sinks<T>(scores, trace, workspace, [&](Index row, const auto& shares) {
        std::copy_n(shares.begin(), keys, result.writable<T>() + row * keys);
      });
      return;
    }
    const Index rows_per_task = std::max<Index>(1, elements_per_task / 4 / std::max<Index>(keys, 16));
    workspace.ranges(scores.elements() / keys, rows_per_task, [&](Index begin, Index end) {
      softmax_rows(scores.data<T>() + begin * keys, result.writable<T>() + begin * keys, end - begin, keys);
      for (Index row = begin; row < end; ++row) {
        const T* const from = scores.data<T>() + row * keys;
        if (from[0] == -std::numeric_limits<T>::infinity() && has_overflowed(from, row, scores.shape(), trace))
          std::fill_n(result.writable<T>() + row * keys, keys, std::numeric_limits<T>::quiet_NaN());
      }
    });
  });
  return result;
}

namespace operations {

extern constinit const Operation softmax{
    .kind = StageKind::rowwise,
    .title = "Softmax",
    .formula = "{0} = softmax({1}) over the keys",
    .same_settings = same_sink,
    .words = words,
    .compute = compute,
    .explain = explain_cell,
    .backward = {.compute = back, .explain = explain_back, .code = back_code, .reads = read_back},
    .code = code,
    .varying_heading = heading};

}  // namespace operations

}  // namespace headlight
