#include "core/diagnose/mistakes/mistake.hpp"

#include <algorithm>
#include <limits>

#include "core/compute/softmax.hpp"
#include "core/diagnose/arrays/flow.hpp"
#include "core/stages/table.hpp"

namespace headlight {
namespace {

std::vector<Mistake> all_mistakes() {
  std::vector<Mistake> all;
  for (auto rows :
       {projection_mistakes, sharing_mistakes, split_mistakes, position_mistakes, score_mistakes, mask_mistakes,
        softmax_mistakes, context_mistakes, concat_mistakes, output_mistakes, dropout_mistakes}) {
    for (Mistake& mistake : rows()) all.push_back(std::move(mistake));
  }
  return all;
}

}  // namespace

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all = all_mistakes();
  return all;
}

const Tensor* Attempt::handed_over(TensorId id) const {
  return given == id && !theirs.averaged ? &theirs.values : nullptr;
}

Tensor Attempt::computed() {
  run_stage(trace, at, workspace);
  return trace[at];
}

Tensor Attempt::softmax(const Tensor& scores, Index columns) {
  // With a sink no row is without a score, so that softmax never gives NaN.
  const bool is_of_keys = scores.shape().rank() == 4 && columns == scores.shape()[3];
  if (is_of_keys && trace.setup.attention.sink != Sink::none) return softmax_over_keys(scores, trace, workspace);
  const Index rows = scores.elements() / columns;
  Tensor result = workspace.tensor(scores.precision(), scores.shape());
  const bool naive = theirs.has_nan;
  with_element_type(scores.precision(), [&](auto zero) {
    using T = decltype(zero);
    constexpr T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    const Index grain = std::max<Index>(1, elements_per_task / 4 / std::max<Index>(columns, 16));
    workspace.ranges(rows, grain, [&](Index begin, Index end) {
      const T* from = scores.data<T>() + begin * columns;
      T* to = result.writable<T>() + begin * columns;
      softmax_rows(from, to, end - begin, columns);
      for (Index row = 0; naive && row < end - begin; ++row) {
        const T* first = from + row * columns;
        if (std::all_of(first, first + columns, [](T score) { return score == -infinity; }))
          std::fill_n(to + row * columns, columns, nan);
      }
    });
  });
  return result;
}

}  // namespace headlight
