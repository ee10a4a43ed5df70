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

/// A control of the panel by a name that a person would look for.
struct ControlPlace {
  std::string_view name;
  std::string_view key;       ///< of the setup file
  std::string_view row = {};  ///< the row of the panel, if it is not named as the key
};
std::span<const ControlPlace> control_places();
/// Unfolds the panel and scrolls to the section.
void show_section(ViewContext& context, SetupTopic section);
/// The same, and gives the keyboard to the key's control; to the first one of the section if that is not there now.
void show_control(ViewContext& context, const SetupKey& key, std::string_view row = {});

}  // namespace headlight
