#include "app/session/display/display.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace headlight {
namespace {

HeatmapOptions fitting(HeatmapOptions options) {
  const bool usable = std::isfinite(options.low) && std::isfinite(options.high) && options.low < options.high;
  if (!usable) {
    options.low = 0;
    options.high = 1;
  }
  return options;
}

}  // namespace

HeadOrder next(HeadOrder order) {
  return order == HeadOrder::peak ? HeadOrder::index : static_cast<HeadOrder>(static_cast<std::size_t>(order) + 1);
}

bool HeadsOptions::hides(Index head) const { return std::binary_search(hidden.begin(), hidden.end(), head); }

double larger_scale(double scale) {
  const auto larger = std::upper_bound(ui_scales.begin(), ui_scales.end(), scale);
  return larger == ui_scales.end() ? ui_scales.back() : *larger;
}

double smaller_scale(double scale) {
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

TensorId shown_in(View view, TensorId selected) {
  const ViewInfo& about = info(view);
  const TensorInfo& tensor = info(selected);
  // How a layer learns is seen in its weights and in their gradient.
  const TensorInfo& value = about.of_task ? info(without_gradient(selected)) : tensor;
  const bool shows = (!about.of_heads || tensor.has_heads()) && (!about.of_weights || value.is_attention());
  return shows ? selected : TensorId::weights;
}

Display with_head_hidden(Display display, Index head, bool hidden, Index heads) {
  auto& list = display.heads.hidden;
  std::erase(list, head);
  if (hidden) list.insert(std::upper_bound(list.begin(), list.end(), head), head);
  return fitting(std::move(display), heads);
}

Display fitting(Display display, Index heads) {
  auto& hidden = display.heads.hidden;
  std::sort(hidden.begin(), hidden.end());
  hidden.erase(std::unique(hidden.begin(), hidden.end()), hidden.end());
  std::erase_if(hidden, [&](Index head) { return head < 0 || head >= heads; });
  if (static_cast<Index>(hidden.size()) >= heads) hidden.pop_back();
  const double threshold = display.tokens.threshold;
  display.tokens.threshold = std::isfinite(threshold) ? std::clamp(threshold, 0.0, 1.0) : TokensOptions{}.threshold;
  for (HeatmapOptions& options : display.heatmaps) options = fitting(options);
  display.appearance.scale = std::isfinite(display.appearance.scale)
                                 ? std::clamp(display.appearance.scale, smallest_scale, largest_scale)
                                 : 1.0;
  for (double* width : {&display.appearance.setup_width, &display.appearance.inspector_width})
    *width = std::isfinite(*width) ? std::clamp(*width, narrowest_panel, widest_panel) : 280;
  return display;
}

}  // namespace headlight
