#include "app/session/display/display.hpp"

#include <algorithm>
#include <utility>

namespace headlight {

HeadOrder next(HeadOrder order) {
  return order == HeadOrder::peak ? HeadOrder::index : static_cast<HeadOrder>(static_cast<std::size_t>(order) + 1);
}

bool HeadsOptions::hides(Index head) const { return std::binary_search(hidden.begin(), hidden.end(), head); }

double next_scale(double scale, int direction) {
  const auto larger = std::upper_bound(ui_scales.begin(), ui_scales.end(), scale);
  if (direction > 0) return larger == ui_scales.end() ? ui_scales.back() : *larger;
  const auto here = std::lower_bound(ui_scales.begin(), ui_scales.end(), scale);
  return here == ui_scales.begin() ? ui_scales.front() : *std::prev(here);
}

Display with_projector(Display display, bool on) {
  if (on == display.projector()) return display;
  if (!on) {
    display.appearance = *display.before_projector;
    display.before_projector.reset();
    return display;
  }
  display.before_projector = display.appearance;
  display.appearance.theme = ThemeName::light;
  display.appearance.scale = 1.5;
  display.appearance.setup_folded = true;
  display.appearance.inspector_folded = true;
  return display;
}

Display with_presenting(Display display, bool on) {
  Presentation& now = display.presentation;
  if (on == now.presenting) return display;
  now.presenting = on;
  now.black = now.pen = now.presenter = false;
  if (on) now.full_screen_before = std::exchange(now.full_screen, true);
  else now.full_screen = now.full_screen_before;
  return display;
}

Display with_pen(Display display, PenColour colour) {
  display.presentation.pen = true;
  display.presentation.pen_colour = colour;
  display.presentation.pointer_circle = false;
  return display;
}

TensorId shown_in(View view, TensorId selected) {
  const ViewInfo& about = info(view);
  const TensorInfo& tensor = info(selected);
  // How a layer learns is seen in its weights and in their gradient.
  const TensorInfo& value = about.of_task ? info(without_gradient(selected)) : tensor;
  const bool shows = (!about.of_heads || tensor.has_heads()) && (!about.of_weights || value.is_attention());
  return shows ? selected : TensorId::weights;
}

}  // namespace headlight
