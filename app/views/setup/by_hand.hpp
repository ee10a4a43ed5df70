// The rows that are drawn by hand, because a control for one value can't do their job.
#pragma once

#include "app/views/setup/setup_rows.hpp"

namespace headlight {

/// The open model and the choice of its layers. Draws nothing without a model.
void draw_open_model(SetupRows& rows);
/// The words at the positions as chips; a click turns them into a sentence to edit.
void draw_tokens(SetupRows& rows);
/// The lengths, with the bracket that joins them in self-attention; below them the key tokens of cross-attention, so
/// that nothing moves under the mouse.
void draw_lengths(SetupRows& rows);
/// The list of draws, one per line. Their order matters: it decides which random numbers each tensor gets.
void draw_draws(SetupRows& rows);
/// Given numbers, in a section of their own. Draws nothing if neither the setup nor the lecture gives any.
void draw_values(SetupRows& rows);
/// The kinds of masks as pictures.
void draw_mask_tiles(SetupRows& rows);
/// The custom mask as a grid to paint on, with queries down and keys across, and how many queries see no key.
void draw_painted_mask(SetupRows& rows);
void draw_mask_grid(SetupRows& rows);

}  // namespace headlight
