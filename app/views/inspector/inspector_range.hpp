// The inspector's part about the cell's whole tensor: statistics, histogram, and the range of values that its colours
// cover.
#pragma once

#include "app/views/inspector/inspector_column.hpp"

namespace headlight {

void draw_range(Column& column, const Cell& cell);

}  // namespace headlight
