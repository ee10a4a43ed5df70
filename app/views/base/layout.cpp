#include "app/views/base/layout.hpp"

#include <algorithm>
#include <array>

#include "app/ui/ui.hpp"

namespace headlight {
namespace {

/// The least width of the centre: beside both panels, beside one, and beside a panel that the user has just opened. On
/// 1280 × 720 the setup panel is folded: a lecture's step is read there, not edited, and its narration and numbers both
/// need the width. The inspector stays because it explains the number under the mouse.
constexpr float centre_beside_both = 700;
constexpr float centre_beside_one = 400;
constexpr float centre_beside_wanted = 200;

/// The map's height, and the least height that it leaves below. They differ between the pipeline view, where the map is
/// half of the picture, and the other views.
struct MapForm {
  float height;
  float least_pipeline;
  float least_other;
};
constexpr std::array map_forms{MapForm{164, 520, 740}, MapForm{112, 300, 640}, MapForm{compact_map_height, 340, 520}};

/// Folds the panels that leave too little width for the centre.
void fold_for_width(float width, const Appearance& appearance, std::optional<SidePanel> asked_for, Layout& layout) {
  const auto setup = static_cast<float>(appearance.setup_width);
  const auto inspector = static_cast<float>(appearance.inspector_width);
  layout.setup_folded = appearance.setup_folded;
  layout.inspector_folded = appearance.inspector_folded;
  if (!layout.setup_folded && !layout.inspector_folded && width - setup - inspector < centre_beside_both)
    (asked_for == SidePanel::setup ? layout.inspector_folded : layout.setup_folded) = true;
  const auto fits_alone = [&](SidePanel panel, float panel_width) {
    return width - rail_width - panel_width >= (asked_for == panel ? centre_beside_wanted : centre_beside_one);
  };
  if (layout.inspector_folded && !fits_alone(SidePanel::setup, setup)) layout.setup_folded = true;
  if (layout.setup_folded && !fits_alone(SidePanel::inspector, inspector)) layout.inspector_folded = true;
}

float map_height(float room, View view) {
  for (const MapForm& form : map_forms)
    if (room - form.height >= (view == View::pipeline ? form.least_pipeline : form.least_other)) return form.height;
  return phase_strip_height;
}

}  // namespace

Layout layout_of(const Rect& surface, const Display& display, std::optional<SidePanel> asked_for, bool for_finger) {
  Layout layout;
  fold_for_width(surface.w, display.appearance, asked_for, layout);
  Rect rest = surface;
  layout.top_bar = rest.cut_top(for_finger ? top_bar_for_finger : top_bar_height);
  layout.status = rest.cut_bottom(for_finger ? fingertip : status_bar_height);
  layout.setup = rest.cut_left(layout.setup_folded ? rail_width : static_cast<float>(display.appearance.setup_width));
  if (has_map(info(display.view))) layout.map = rest.cut_top(map_height(rest.h, display.view));
  layout.inspector =
      rest.cut_right(layout.inspector_folded ? rail_width : static_cast<float>(display.appearance.inspector_width));
  layout.centre = rest;
  return layout;
}

bool is_folded(const Layout& layout, SidePanel panel) {
  return panel == SidePanel::setup ? layout.setup_folded : layout.inspector_folded;
}

Display with_panel_folded(Display display, SidePanel panel, bool folded) {
  (panel == SidePanel::setup ? display.appearance.setup_folded : display.appearance.inspector_folded) = folded;
  return display;
}

}  // namespace headlight
