// Where a number goes: the softmax row that it takes part in, and the cells that are computed with it.
#pragma once

#include "app/views/inspector/inspector_column.hpp"

namespace headlight {

void draw_destinations(Column& column, const Explanation& explanation);

}  // namespace headlight
