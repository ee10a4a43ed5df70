// The panel at the left: a control for every key of the setup.
#pragma once

#include <span>
#include <string_view>

#include "app/ui/drawing/geometry.hpp"
#include "app/views/frame/view_context.hpp"
#include "app/views/setup/setup_panel_memory.hpp"

namespace headlight {

void draw_setup_panel(ViewContext& context, Rect area);
/// Folded, 48 wide: an icon per section, with a dot where something differs from the lecture.
void draw_setup_rail(ViewContext& context, Rect area);

/// A control of the panel, so that the command palette can find it by name.
struct ControlPlace {
  std::string_view name;
  SetupTopic section;
};
std::span<const ControlPlace> control_places();
/// Unfolds the panel and scrolls to the section.
void show_section(ViewContext& context, SetupTopic section);

}  // namespace headlight
