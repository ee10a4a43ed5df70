// Theirs, ours and the difference of one tensor, cell by cell.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/check/check_study.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

void draw_check_pictures(ViewContext& context, Rect area, const CheckFindings& findings, TensorId tensor);

}  // namespace headlight
