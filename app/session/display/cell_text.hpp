// Numbers as text for the clipboard: every digit, tabs between columns, one row per line.
#pragma once

#include <string>

#include "app/session/display/selection.hpp"
#include "core/model/tensor.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// The selected row (in stored order: the row of a query in `scores`), or the matrix of its batch item and head.
std::string row_text(const Trace& trace, const Selection& selection);
std::string matrix_text(const Trace& trace, const Selection& selection);

/// The part of the selection's tensor that one picture shows, as a window: the matrix of its batch item and head, or a
/// whole bias.
Tensor matrix_of(const Trace& trace, const Selection& selection);

}  // namespace headlight
