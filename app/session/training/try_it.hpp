// A gradient, tried out: a number is nudged, and what the loss does is beside what the gradient said.
#pragma once

#include <optional>

#include "core/model/trace.hpp"

namespace headlight {

struct TriedOut {
  double nudge = 0;  ///< added to the number
  double before = 0;
  double after = 0;      ///< the loss then
  double predicted = 0;  ///< gradient · nudge

  double measured() const { return after - before; }
};

/// For a cell of a gradient. None where a forward pass takes longer than a part of a frame, or where the number is no
/// finite one.
std::optional<TriedOut> tried_out(const Trace& trace, const Cell& gradient);

}  // namespace headlight
