// Where a number comes from: the terms of its sum as bars, or the few factors that it is.
#pragma once

#include "app/views/inspector/inspector_column.hpp"

namespace headlight {

void draw_terms(Column& column, const Explanation& explanation);

}  // namespace headlight
