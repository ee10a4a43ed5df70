// The colours of all layers: one scale, so that pictures can be compared.
#pragma once

#include "app/ui/drawing/color_scale.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/layers/layers_study.hpp"

namespace headlight {

/// The range that was chosen for weights; one that follows the numbers follows those of all layers.
ColorScale scale_of_layers(const ViewContext& context, const LayersStudy& study);

}  // namespace headlight
