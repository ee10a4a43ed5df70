// The cells that a lecture's question is about: hidden until its answer shows, then marked.
#pragma once

#include "app/heatmap/layout.hpp"
#include "app/views/frame/view_context.hpp"
#include "app/views/tensors/tensor_picture.hpp"

namespace headlight {

/// Covers what the step asks about with "?" and marks the guess; once the answer shows, marks it and a wrong guess with
/// badges. Draws nothing in pictures of other tensors.
void draw_asked_cells(const ViewContext& context, const TensorPicture& picture, const HeatmapLayout& layout);

}  // namespace headlight
