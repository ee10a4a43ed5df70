// The table of a check: each tensor that was handed over, how far it is from ours, and whether its step is right.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/check/check_study.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

float check_table_height(const CheckFindings& findings);
/// Draws the table, which scrolls where it is higher than `area`; its words keep `margin` from the sides.
void draw_check_table(ViewContext& context, const Rect& area, float margin, const CheckFindings& findings,
                      TensorId shown);

/// Selects a tensor, and its cell that is furthest from ours.
void select_checked(ViewContext& context, const CheckFindings& findings, TensorId tensor);

}  // namespace headlight
