// The card that lists the attention layers of a model: a click opens one as the setup.
#pragma once

#include <cstddef>

#include "app/views/base/view_context.hpp"
#include "core/formats/layers/open_model.hpp"

namespace headlight {

struct LayersCard {
  OpenModel model;
  std::size_t row = 0;
  int heads = 0;  ///< the chosen index among the numbers of heads, if the file gives none; 0: no choice yet
};

/// The card must be open. It closes when a layer is opened.
void draw_layers_card(ViewContext& context);

}  // namespace headlight
