// All heads of a tensor as thumbnails in a column: the same cell ringed in each, the selected head framed.
#pragma once

#include <string>
#include <vector>

#include "app/ui/drawing/canvas.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"
#include "core/model/names.hpp"
#include "core/model/setup.hpp"

namespace headlight {

inline constexpr float head_column_width = 150;

/// The heads' names below pictures of this width, beside a value: all labels, all "head 3", or all numbers, whichever
/// is the first of these in which every name fits.
std::vector<std::string> head_column_names(const Canvas& canvas, const Setup& setup, float width);

/// A click selects the head.
void draw_head_column(ViewContext& context, const Rect& area, TensorId tensor);

}  // namespace headlight
