// The card that lists the attention layers of a model: a click opens one as the setup.
#pragma once

#include "app/views/frame/view_context.hpp"

namespace headlight {

/// Draws `memory.shell.layers`, which must be there, and takes it away once a layer is open or the card is closed.
void draw_layers_card(ViewContext& context);

}  // namespace headlight
