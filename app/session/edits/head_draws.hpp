// Draws of single heads, when the number of heads changes.
#pragma once

#include "core/model/setup.hpp"

namespace headlight {

/// Draws of heads that are gone are dropped.
void drop_head_draws(Setup& setup);
/// Where every head of `before` was drawn on its own, each new head is drawn last and as the last of those was.
void add_head_draws(Setup& setup, const Setup& before);

}  // namespace headlight
