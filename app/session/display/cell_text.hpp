// Numbers as text for the clipboard: every digit that the number has, columns between tabs, rows on lines.
#pragma once

#include <string>

#include "app/session/selection.hpp"
#include "core/formats/arrays/number_text.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// The row (as stored: a query's row of scores) of the selection, and the matrix of its batch item and head.
std::string row_text(const Trace& trace, const Selection& selection);
std::string matrix_text(const Trace& trace, const Selection& selection);

/// What the selection's tensor shows at once, a window on it: the matrix of its batch item and head, or a whole bias.
Tensor matrix_of(const Trace& trace, const Selection& selection);

}  // namespace headlight
