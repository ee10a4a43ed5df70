// The panel at the left: a control for everything that can be changed about the setup.
#pragma once

#include <span>

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"
#include "core/setup/keys.hpp"

namespace headlight {

void draw_setup_panel(ViewContext& context, Rect area);
/// Only these groups, without the panel's head.
void draw_setup_groups(ViewContext& context, const Rect& area, std::span<const SetupGroup> groups);
/// Folded, 48 wide: an icon per section, with a dot where something differs from the lecture.
void draw_setup_rail(ViewContext& context, Rect area);

/// Unfolds the panel, scrolls to the entry's section and focuses its control, or the first one there if it has none.
void show_control(ViewContext& context, const SetupKey& entry);

}  // namespace headlight
