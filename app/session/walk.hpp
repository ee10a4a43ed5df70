// The way that numbers take through the trace: from a cell back to where it comes from, and on to where it goes.
#pragma once

#include <optional>

#include "core/model/cell.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// The cell that contributes most to this one; for a weight, the score that it comes from. None for what is drawn.
std::optional<Cell> upstream_of(const Trace& trace, const Cell& cell);
/// The first cell that this one contributes to; none for the output.
std::optional<Cell> downstream_of(const Trace& trace, const Cell& cell);

}  // namespace headlight
