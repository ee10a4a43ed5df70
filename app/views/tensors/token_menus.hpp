// Context menus on the tokens beside a picture.
#pragma once

#include "app/heatmap/layout.hpp"
#include "app/views/base/view_context.hpp"
#include "core/model/names.hpp"

namespace headlight {

/// Offers the menu of a token on the labels of a picture: those in a strip that runs across the screen, or down. Does
/// nothing where the labels are features, or where there is no strip.
void offer_token_menus(ViewContext& context, TensorId tensor, const HeatmapLayout& layout, const Rect& strip,
                       bool across);

}  // namespace headlight
