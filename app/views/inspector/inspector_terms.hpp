// Where a number comes from: the terms of its sum as bars, or its factors if it is a single product.
#pragma once

#include "app/views/inspector/inspector_column.hpp"

namespace headlight {

void draw_terms(Column& column, const Explanation& explanation);

}  // namespace headlight
