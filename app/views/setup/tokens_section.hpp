// The words at the positions, and whether keys and values come from a second input (cross-attention).
#pragma once

#include "app/views/setup/setup_rows.hpp"

namespace headlight {

void draw_tokens_section(SetupRows& rows);
/// The rows of the keys' own tokens, which only cross-attention has. They stand below everything that brings them, so
/// that nothing moves under the mouse.
void draw_key_tokens(SetupRows& rows);

}  // namespace headlight
