#include "app/views/inspector/inspector_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/heatmap/heatmap.hpp"
#include "app/heatmap/numbers.hpp"
#include "app/session/display/display_entries.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/views/base/later.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/tensors/range_bar.hpp"
#include "app/views/tensors/tensor_scale.hpp"

namespace headlight {
namespace {

/// A histogram counts the numbers of a tensor in the bins of a range. Counting takes a while, so the last histogram is
/// kept with its key.
struct HistogramKey {
  Tensor tensor;
  double low = 0;
  double high = 0;
  bool logarithmic = false;

  friend bool operator==(const HistogramKey& a, const HistogramKey& b) {
    return a.tensor.same_window(b.tensor) && a.low == b.low && a.high == b.high && a.logarithmic == b.logarithmic;
  }
};
using HistogramMemory = Later<HistogramKey, std::vector<Index>>;

constexpr int bins = 60;
constexpr float histogram_height = 44;
constexpr float bar_height = 12;
constexpr Index readable_cells = 100;  ///< along an axis; with more, some picture shows several cells in one pixel

std::string short_number(double value) { return format_that_fits(std::abs(value), value < 0, 7, 3)(value); }

Box statistics_rows(ViewContext& context, const TensorStatistics& s) {
  const Theme& theme = context.ui.theme();
  const std::array<std::pair<std::string_view, double>, 4> numbers{
      {{"min", s.min}, {"mean", s.mean}, {"max", s.max}, {"std", s.standard_deviation}}};
  Boxes cells;
  for (const auto& each : numbers)
    cells.push_back(words(std::string(each.first), TextStyle::caption, theme.text3).high(18).growing());
  for (const auto& each : numbers)
    cells.push_back(words(short_number(each.second), TextStyle::mono, theme.text).high(18).growing());
  std::string odd;
  if (s.masked > 0) odd += fmt::format("{} masked  ", s.masked);
  if (s.nan > 0) odd += fmt::format("{} NaN  ", s.nan);
  if (s.infinite > 0) odd += fmt::format("{} infinite", s.infinite);
  return column({grid(numbers.size(), std::move(cells)),
                 words(odd, TextStyle::caption, s.nan + s.infinite > 0 ? theme.error : theme.text3)},
                4);
}

/// The heights of the histogram's bars, over the range of the colour bar below. Null while they are being counted.
const std::vector<Index>* counts_of(ViewContext& context, const Tensor& tensor, const ColorScale& scale) {
  const HistogramKey key{tensor, scale.lo, scale.hi, scale.logarithmic};
  return context.memory.get<HistogramMemory>().of(
      context.session, key, tensor.elements(), [key](Threads& threads, const std::stop_token& stop) {
        return key.logarithmic ? logarithmic_histogram(threads, key.tensor, key.low, key.high, bins, stop)
                               : histogram(threads, key.tensor, key.low, key.high, bins, stop);
      });
}

void draw_histogram(ViewContext& context, const Rect& area, const Tensor& shaded, const ColorScale& scale) {
  const Canvas canvas = context.ui.canvas();
  canvas.fill({area.x, area.bottom(), area.w, 1}, canvas.theme().line_strong);
  const std::vector<Index>* const found = counts_of(context, shaded, scale);
  if (!found) return context.ui.request_frame_in(look_again);
  const std::vector<Index>& counts = *found;
  const Index most = *std::max_element(counts.begin(), counts.end());
  if (most == 0) return;
  const float each = area.w / static_cast<float>(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const float high = std::max(1.0f, area.h * static_cast<float>(counts[i]) / static_cast<float>(most));
    canvas.fill({area.x + each * static_cast<float>(i), area.bottom() - high, each - 0.5f, high},
                canvas.theme().outline);
  }
}

/// The histogram over the bar of colours, and where the cell's number is in both.
Box histogram_and_bar(ViewContext& context, const Cell& cell, const ColorScale& scale) {
  return drawn({}, histogram_height + 5 + bar_height + 22, [&context, cell, scale](Ui& ui, const Rect& r) {
    const Tensor shaded = shaded_by(context, scale, cell.tensor);
    const Rect bars{r.x, r.y, r.w, histogram_height};
    draw_histogram(context, bars, shaded, scale);
    const Rect bar{r.x, bars.bottom() + 5, r.w, bar_height};
    draw_range_bar(context, {bar.x, bar.y, bar.w, bar.h + 22}, cell.tensor, scale, bar_height);
    const double value = shaded.at(std::span(cell.index.begin(), cell.index.end()));
    if (!std::isfinite(value)) return;
    const float x = bar.x + bar.w * static_cast<float>(std::clamp(scale.share_on_bar(value), 0.0, 1.0));
    ui.canvas().fill({x - 1, bars.y, 2, bar.bottom() - bars.y}, ui.theme().lamp);
  });
}

/// A switch of the tensor's colours, with its words. Without `option` it is on and can't be changed.
Box switch_of(ViewContext& context, TensorId tensor, std::string_view name, bool HeatmapOptions::* option) {
  const std::string_view label = std::ranges::find(colour_entries(), name, &Entry<HeatmapOptions>::name)->label;
  Box control = drawn({toggle_width, toggle_width}, 28, [&context, tensor, label, option](Ui& ui, const Rect& r) {
    Display display = context.session.display();
    bool always = true;
    bool& on = option == nullptr ? always : display.heatmap(tensor).*option;
    ui.begin_row(label);
    if (toggle(ui, label, {r.x, r.y + 5}, on, option != nullptr)) context.session.set_display(display);
    ui.begin_row({});
  });
  return row({words(std::string(label), TextStyle::control, context.ui.theme().text2), std::move(control).ended()});
}

Box map_choice(ViewContext& context, TensorId tensor) {
  return drawn({110, 110, 1}, 28, [&context, tensor](Ui& ui, const Rect& r) {
    Display display = context.session.display();
    HeatmapOptions& options = display.heatmap(tensor);
    std::vector<std::string> maps{display.appearance.colour_map == ColourMap::automatic ? "by kind" : "same as all"};
    for (const Word& word : std::span(colour_map_words).subspan(1)) maps.emplace_back(word.name);
    int map = static_cast<int>(options.colour_map);
    if (!select(ui, "map", r, maps, map, {.tooltip = "The colours of this tensor"})) return;
    options.colour_map = static_cast<ColourMap>(map);
    context.session.set_display(display);
  });
}

Box choices(ViewContext& context, TensorId tensor, const ColorScale& scale) {
  const Shape& shape = context.session.trace()[tensor].shape();
  const bool is_large = std::max(shape.back(0), shape.rank() > 1 ? shape.back(1) : 1) > readable_cells;
  Box range =
      drawn({}, 28, [&context, tensor, scale](Ui&, const Rect& r) { draw_range_choice(context, r, tensor, scale); });
  return column(
      {std::move(range),
       row({map_choice(context, tensor),
            info(tensor).has_heads() ? switch_of(context, tensor, "per_head", &HeatmapOptions::per_head) : nothing()},
           12),
       scale.diverging()
           ? nothing()  // multiples of even attention are compared by their ratios
           : switch_of(context, tensor, "logarithmic", scale.multiples ? nullptr : &HeatmapOptions::logarithmic),
       is_large ? switch_of(context, tensor, "mean", &HeatmapOptions::mean) : nothing()},
      8);
}

}  // namespace

Box range_part(ViewContext& context, const Cell& cell) {
  const Trace& trace = context.session.trace();
  const TensorId tensor = cell.tensor;
  const ColorScale scale = color_scale_of(context, tensor, context.session.selection().head);
  return section(context, std::string(name(tensor)),
                 fmt::format("{}  {}", trace[tensor].shape().to_string(),
                             trace[tensor].precision() == Precision::float32 ? "float32" : "float64"),
                 {statistics_rows(context, statistics_of(context, trace, tensor)), space(6),
                  histogram_and_bar(context, cell, scale), space(4), choices(context, tensor, scale)});
}

}  // namespace headlight
