#include "app/views/layout.hpp"

#include <algorithm>

namespace headlight {
namespace {

constexpr float narrowest_centre = 480;
constexpr float lowest_centre = 300;
constexpr float lowest_map = 112;

}  // namespace

Layout layout_of(const Rect& surface, const Display& display) {
  const Appearance& appearance = display.appearance;
  const auto setup_width = static_cast<float>(appearance.setup_width);
  const auto inspector_width = static_cast<float>(appearance.inspector_width);
  Layout layout;
  Rect rest = surface;
  layout.top_bar = rest.cut_top(top_bar_height);
  layout.status = rest.cut_bottom(status_bar_height);

  layout.inspector_folded =
      appearance.inspector_folded || rest.w - rail_width - inspector_width < narrowest_centre;
  const float right = layout.inspector_folded ? rail_width : inspector_width;
  layout.setup_folded = appearance.setup_folded || rest.w - setup_width - right < narrowest_centre;

  layout.setup = rest.cut_left(layout.setup_folded ? rail_width : setup_width);
  if (display.view == View::pipeline)
    layout.map = rest.cut_top(std::clamp(rest.h - lowest_centre, lowest_map, pipeline_map_height));
  layout.inspector = rest.cut_right(right);
  layout.centre = rest;
  return layout;
}

}  // namespace headlight
