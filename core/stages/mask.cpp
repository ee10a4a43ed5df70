// masked_scores = scores, with -inf where the key is hidden from the query
#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "core/stages/list.hpp"
#include "core/stages/terms.hpp"

namespace headlight {
namespace {

bool same_mask(const Setup& a, const Setup& b) {
  const auto same = [&](MaskKind kind) {
    switch (kind) {
      case MaskKind::causal: return true;
      case MaskKind::padding: return a.mask.valid_lengths == b.mask.valid_lengths;
      case MaskKind::window: return a.mask.window == b.mask.window;
      case MaskKind::custom: return a.mask.blocked == b.mask.blocked;
    }
    return false;
  };
  return a.mask.kinds == b.mask.kinds && std::all_of(a.mask.kinds.begin(), a.mask.kinds.end(), same);
}

template <class T>
void hide(const Mask& mask, const Tensor& scores, Tensor& result, Workspace& workspace) {
  const Shape& extents = scores.shape();
  const Index keys = extents[3];
  constexpr T hidden = -std::numeric_limits<T>::infinity();
  workspace.ranges(scores.elements() / keys, std::max<Index>(1, elements_per_task / keys), [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const Index query = row % extents[2], batch = row / extents[2] / extents[1];
      const KeyRange visible = mask.range(batch, query);
      const T* from = scores.data<T>() + row * keys;
      T* to = result.writable<T>() + row * keys;
      std::fill(to, to + visible.begin, hidden);
      std::copy(from + visible.begin, from + visible.end, to + visible.begin);
      std::fill(to + visible.end, to + keys, hidden);
      for (const auto& hole : mask.holes(query)) to[hole.second] = hidden;
    }
  });
}

void compute(Trace& trace, Workspace& workspace) {
  const Tensor& scores = trace[TensorId::scores];
  const Mask mask(trace.setup);
  if (mask.hides_nothing()) {
    trace[TensorId::masked_scores] = scores;
    return;
  }
  Tensor result = workspace.tensor(scores.precision(), scores.shape());
  with_element_type(scores.precision(), [&](auto zero) { hide<decltype(zero)>(mask, scores, result, workspace); });
  trace[TensorId::masked_scores] = result;
}

Explanation explain_cell(const Trace& trace, const Cell& cell) {
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = "masked_scores[b,h,i,j] = scores[b,h,i,j] where key j is visible to query i, else −∞";
  const auto hidden_by = Mask(trace.setup).hidden_by(cell.index[0], cell.index[2], cell.index[3]);
  if (hidden_by.empty()) {
    explanation.terms = {term("visible", {factor(trace, TensorId::scores, cell.index)})};
    return explanation;
  }
  std::vector<std::string_view> kinds;
  for (MaskKind kind : hidden_by) kinds.push_back(to_string(kind));
  explanation.note = fmt::format("hidden by the {} mask", fmt::join(kinds, " and "));
  explanation.terms = {term("hidden", {constant("−∞", -std::numeric_limits<double>::infinity())})};
  return explanation;
}

std::string code(const Setup& setup) {
  if (setup.mask.kinds.empty()) return "masked_scores = scores";
  const bool torch = setup.random.generator == GeneratorKind::torch;
  return torch ? "masked_scores = scores.masked_fill(~visible, -torch.inf)"
               : "masked_scores = np.where(visible, scores, -np.inf)";
}

}  // namespace

Stage mask_stage() {
  static constexpr std::array inputs{TensorId::scores};
  static constexpr std::array outputs{TensorId::masked_scores};
  return {StageId::mask, "Mask",  "masked_scores = scores where visible, else −∞",
          inputs,        outputs, same_mask,
          nullptr,       compute, explain_cell,
          code};
}

}  // namespace headlight
