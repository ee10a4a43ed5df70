// The card that lists the attention layers of a model: a click opens one as the setup, and a button the whole model.
#pragma once

#include <cstddef>
#include <memory>

#include "app/views/base/view_context.hpp"
#include "core/formats/layers/open_model.hpp"
#include "core/formats/layers/whole_model.hpp"

namespace headlight {

struct LayersCard {
  OpenModel model;
  std::size_t row = 0;
  int heads = 0;  ///< the chosen index among the numbers of heads, if the file gives none; 0: no choice yet
  std::shared_ptr<const WholeModel> whole = {};  ///< null until it is asked for, or where the layers are in no blocks
};

/// The card must be open. It closes when a layer is opened.
void draw_layers_card(ViewContext& context);

}  // namespace headlight
