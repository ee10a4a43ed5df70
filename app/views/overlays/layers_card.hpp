// The card that lists the attention layers of a model: a click opens one as the setup.
#pragma once

#include <cstddef>
#include <filesystem>

#include "app/views/base/view_context.hpp"
#include "core/formats/layers/attention_layers.hpp"

namespace headlight {

struct LayersCard {
  std::filesystem::path file;
  ModelLayers model;
  std::size_t row = 0;
  int heads = 0;  ///< the choice among the numbers of heads, where the file does not say; 0 is none of them
};

/// The card must be open. It closes once a layer is open.
void draw_layers_card(ViewContext& context);

}  // namespace headlight
