// The panel at the left: a control for everything that can be changed about the setup.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/setup/setup_panel_memory.hpp"

namespace headlight {

void draw_setup_panel(ViewContext& context, Rect area);
/// Folded, 48 wide: an icon per section, with a dot where something differs from the lecture.
void draw_setup_rail(ViewContext& context, Rect area);

/// Unfolds the panel and scrolls to the section.
void show_section(ViewContext& context, SetupGroup section);
/// The same, and focuses the entry's control, or the first one of the section if the entry has none now.
void show_control(ViewContext& context, const SetupKey& entry);

}  // namespace headlight
