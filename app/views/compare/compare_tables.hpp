// The tables below the pictures of the comparison: the settings that differ, and the difference of each tensor.
#pragma once

#include <vector>

#include "app/session/studies/comparison.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"
#include "core/setup/changes.hpp"

namespace headlight {

float changes_height(const std::vector<Change>& changes);
/// Draws the settings that differ, one per line: "sizes.heads   2 → 4".
void draw_changes(ViewContext& context, const Rect& area, const std::vector<Change>& changes);

float differences_height(float width, std::size_t tensors);
/// Draws a table with the largest difference, max |Δ|, of every tensor. A click on a row selects its tensor, and the
/// cell with the largest difference.
void draw_differences(ViewContext& context, const Rect& area, const std::vector<TensorComparison>& all, TensorId shown);

}  // namespace headlight
