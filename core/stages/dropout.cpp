// dropped_weights = weights where kept, enlarged by 1 / (1 − dropout), else 0: inverted dropout.
#include <array>

#include <fmt/format.h>

#include "core/compute/matrices.hpp"
#include "core/stages/list.hpp"
#include "core/stages/terms.hpp"

namespace headlight {
namespace {

bool same_dropout(const Setup& a, const Setup& b) { return a.attention.dropout == b.attention.dropout; }

double enlargement(const Trace& trace) { return 1 / (1 - trace.setup.attention.dropout); }

void compute(Trace& trace, Workspace& workspace) {
  if (trace.kept == nullptr) return;
  const Tensor& weights = trace[TensorId::weights];
  const unsigned char* kept = trace.kept->data();
  Tensor result = workspace.tensor(weights.precision(), weights.shape());
  with_element_type(weights.precision(), [&](auto zero) {
    using T = decltype(zero);
    const T factor = static_cast<T>(enlargement(trace));
    const T* from = weights.data<T>();
    T* to = result.writable<T>();
    workspace.ranges(weights.elements(), elements_per_task, [&](Index begin, Index end) {
      const Index count = end - begin;
      numbers(to + begin, count) =
          (numbers(kept + begin, count) != 0).select(numbers(from + begin, count) * factor, T{0});
    });
  });
  trace[TensorId::dropped_weights] = result;
}

Explanation explain_cell(const Trace& trace, const Cell& cell) {
  const Shape& extents = trace[TensorId::weights].shape();
  Index flat = 0;
  for (int axis = 0; axis < extents.rank(); ++axis) flat = flat * extents[axis] + cell.index[axis];
  const bool kept = (*trace.kept)[static_cast<std::size_t>(flat)] != 0;
  Explanation explanation = explanation_of(trace, cell);
  explanation.formula = "dropped_weights[b,h,i,j] = weights[b,h,i,j] / (1 − dropout) where kept, else 0";
  explanation.note = kept ? "kept, and enlarged so that the expected sum stays 1" : "dropped";
  const Factor weight = factor(trace, TensorId::weights, cell.index);
  const double dropout = trace.setup.attention.dropout;
  explanation.terms = {kept ? term("kept", {weight, constant(fmt::format("1/(1 − {})", dropout), enlargement(trace))})
                            : term("dropped", {weight, constant("0", 0)})};
  return explanation;
}

std::string code(const Setup& setup) {
  const bool torch = setup.random.generator == GeneratorKind::torch;
  const double dropout = setup.attention.dropout;
  if (torch) return fmt::format("dropped_weights = F.dropout(weights, {})", dropout);
  return fmt::format(
      "keep = np.random.rand(*weights.shape) >= {0}\n"
      "dropped_weights = weights * keep / (1 - {0})",
      dropout);
}

}  // namespace

Stage dropout_stage() {
  static constexpr std::array inputs{TensorId::weights};
  static constexpr std::array outputs{TensorId::dropped_weights};
  return {StageId::dropout,
          "Dropout",
          "dropped_weights = weights / (1 − dropout) where kept, else 0",
          inputs,
          outputs,
          same_dropout,
          nullptr,
          compute,
          explain_cell,
          code};
}

}  // namespace headlight
