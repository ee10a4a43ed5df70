// The areas of the window in design pixels, as a function of its size.
#pragma once

#include <cstdint>
#include <optional>

#include "app/session/display/display.hpp"
#include "app/ui/drawing/geometry.hpp"

namespace headlight {

inline constexpr float top_bar_height = 44;
inline constexpr float status_bar_height = 24;
inline constexpr float top_bar_for_finger = 52;
inline constexpr float compact_map_height = 68;
inline constexpr float phase_strip_height = 34;  ///< of a map that has room only for the names of the phases
inline constexpr float rail_width = 48;

enum class SidePanel : std::uint8_t { setup, inspector };

/// An area that is not shown is empty.
struct Layout {
  Rect top_bar;
  Rect setup;  ///< the left panel, or its rail
  Rect map;    ///< the pipeline map, above the centre and the inspector
  Rect centre;
  Rect inspector;  ///< the right panel, or its rail
  Rect status;
  bool setup_folded = false;
  bool inspector_folded = false;

  friend bool operator==(const Layout&, const Layout&) = default;
};

/// A panel is folded if the user folded it, or if the centre would become too narrow. In the second case the panel in
/// `asked_for`, which was opened last, stays open. What fingers tap in the bars needs higher ones.
Layout layout_of(const Rect& surface, const Display& display, std::optional<SidePanel> asked_for = std::nullopt,
                 bool for_finger = false);

/// Whether this layout shows only the panel's rail.
bool is_folded(const Layout& layout, SidePanel panel);
/// The display with the panel unfolded, or folded.
Display with_panel_folded(Display display, SidePanel panel, bool folded);

}  // namespace headlight
