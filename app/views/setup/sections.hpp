// The sections of the setup panel, in the order in which they stand.
#pragma once

#include "app/views/setup/setup_rows.hpp"

namespace headlight {

void draw_tokens_section(SetupRows& rows);
void draw_sizes_section(SetupRows& rows);
void draw_random_section(SetupRows& rows);
/// The exact list of draws, as lines that can be edited; part of the random section.
void draw_draws(SetupRows& rows);
void draw_mask_section(SetupRows& rows);
/// The grid on which the custom mask is painted; part of the mask section.
void draw_mask_grid(SetupRows& rows);
void draw_attention_section(SetupRows& rows);
void draw_conventions_section(SetupRows& rows);

/// The section that a key of the setup file belongs to.
SetupSection section_of(std::string_view key);

}  // namespace headlight
