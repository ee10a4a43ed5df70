#include "app/session/training/try_it.hpp"

#include <cmath>

#include "core/engine/nudge.hpp"

namespace headlight {

std::optional<TriedOut> tried_out(const Trace& trace, const Cell& gradient) {
  constexpr Index most_cells = 200'000;
  Index cells = 0;
  for (const Tensor& tensor : trace.tensors) cells += tensor.elements();
  const Cell cell{without_gradient(gradient.tensor), gradient.index};
  const double number = trace.value(cell);
  if (cells > most_cells || !std::isfinite(number)) return std::nullopt;
  TriedOut tried{.nudge = 0.01};
  tried.before = loss_with(trace, cell, number);
  tried.after = loss_with(trace, cell, number + tried.nudge);
  tried.predicted = trace.value(gradient) * tried.nudge;
  return tried;
}

}  // namespace headlight
