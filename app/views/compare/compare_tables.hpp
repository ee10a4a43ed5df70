// Below the pictures of the comparison: which settings differ, and how far apart each tensor is.
#pragma once

#include <vector>

#include "app/session/edits/changes.hpp"
#include "app/session/studies/comparison.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/views/frame/view_context.hpp"

namespace headlight {

float changes_height(const std::vector<Change>& changes);
/// "sizes.heads   2 → 4", one line each.
void draw_changes(ViewContext& context, const Rect& area, const std::vector<Change>& changes);

float differences_height(float width, std::size_t tensors);
/// max |Δ| of every tensor; a click selects the tensor.
void draw_differences(ViewContext& context, const Rect& area, const std::vector<TensorComparison>& all, TensorId shown);

}  // namespace headlight
