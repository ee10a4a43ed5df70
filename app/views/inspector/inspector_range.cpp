#include "app/views/inspector/inspector_column.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/heatmap/heatmap.hpp"
#include "app/heatmap/numbers.hpp"
#include "app/session/display/display_entries.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/ui.hpp"
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

void draw_statistics(Column& column, const TensorStatistics& s) {
  const Canvas canvas = column.context.ui.canvas();
  const Theme& theme = canvas.theme();
  const std::array<std::pair<std::string_view, double>, 4> numbers{
      {{"min", s.min}, {"mean", s.mean}, {"max", s.max}, {"std", s.standard_deviation}}};
  const Rect row = column.row(40);
  const float each = row.w / 4;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Rect r{row.x + each * static_cast<float>(i), row.y, each - 4, 18};
    canvas.text_in(r, numbers[i].first, TextStyle::caption, theme.text3);
    canvas.text_in(r.moved(0, 18), short_number(numbers[i].second), TextStyle::mono, theme.text);
  }
  std::string odd;
  if (s.masked > 0) odd += fmt::format("{} masked  ", s.masked);
  if (s.nan > 0) odd += fmt::format("{} NaN  ", s.nan);
  if (s.infinite > 0) odd += fmt::format("{} infinite", s.infinite);
  if (!odd.empty())
    canvas.text_in(column.row(20), odd, TextStyle::caption, s.nan + s.infinite > 0 ? theme.error : theme.text3);
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

void draw_histogram(Column& column, const Rect& area, const Tensor& shaded, const ColorScale& scale) {
  const Canvas canvas = column.context.ui.canvas();
  canvas.fill({area.x, area.bottom(), area.w, 1}, canvas.theme().line_strong);
  const std::vector<Index>* const found = counts_of(column.context, shaded, scale);
  if (!found) return column.context.ui.request_frame_in(look_again);
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

void draw_choices(Column& column, TensorId tensor, const ColorScale& scale) {
  ViewContext& context = column.context;
  Display display = context.session.display();
  HeatmapOptions& options = display.heatmap(tensor);
  column.space(4);
  draw_range_choice(context, column.row(28), tensor, scale);
  column.space(8);
  std::vector<std::string> maps{display.appearance.colour_map == ColourMap::automatic ? "by kind" : "same as all"};
  for (const Word& word : std::span(colour_map_words).subspan(1)) maps.emplace_back(word.name);
  int map = static_cast<int>(options.colour_map);
  Rect row = column.row(28);
  const bool heads = info(tensor).has_heads();
  const Rect per_head = heads ? row.cut_right(106) : Rect{};
  if (select(context.ui, "map", row, maps, map, {.tooltip = "The colours of this tensor"})) {
    options.colour_map = static_cast<ColourMap>(map);
    context.session.set_display(display);
  }
  const auto draw_toggle = [&](const Rect& r, std::string_view name, bool& option, bool enabled = true) {
    const std::string_view words = std::ranges::find(colour_entries(), name, &Entry<HeatmapOptions>::name)->label;
    context.ui.canvas().text_in({r.x, r.y, r.w - toggle_width, r.h}, words, TextStyle::control,
                                context.ui.theme().text2);
    context.ui.begin_row(words);
    if (toggle(context.ui, words, {r.right() - toggle_width, r.y + 5}, option, enabled))
      context.session.set_display(display);
    context.ui.begin_row({});
  };
  if (heads) draw_toggle({per_head.x + 12, per_head.y, per_head.w - 12, per_head.h}, "per_head", options.per_head);
  if (!scale.diverging()) {
    column.space(8);
    bool always = true;  // multiples of even attention are compared by their ratios
    draw_toggle(column.row(28), "logarithmic", scale.multiples ? always : options.logarithmic, !scale.multiples);
  }
  const Shape& shape = context.session.trace()[tensor].shape();
  if (std::max(shape.back(0), shape.rank() > 1 ? shape.back(1) : 1) <= readable_cells) return;
  column.space(8);
  draw_toggle(column.row(28), "mean", options.mean);
}

}  // namespace

void draw_range(Column& column, const Cell& cell) {
  ViewContext& context = column.context;
  const Trace& trace = context.session.trace();
  const Canvas canvas = context.ui.canvas();
  const TensorId tensor = cell.tensor;
  draw_section(column, name(tensor),
               fmt::format("{}  {}", trace[tensor].shape().to_string(),
                           trace[tensor].precision() == Precision::float32 ? "float32" : "float64"));
  draw_statistics(column, statistics_of(context, trace, tensor));
  column.space(6);
  const ColorScale scale = color_scale_of(context, tensor, context.session.selection().head);
  const Rect bars = column.row(histogram_height);
  const Tensor shaded = shaded_by(context, scale, tensor);
  draw_histogram(column, bars, shaded, scale);
  column.space(5);
  const Rect bar_and_words = column.row(bar_height + 22);
  const Rect bar{bar_and_words.x, bar_and_words.y, bar_and_words.w, bar_height};
  draw_range_bar(context, bar_and_words, tensor, scale, bar_height);
  const double value = shaded.at(std::span(cell.index.begin(), cell.index.end()));
  if (std::isfinite(value)) {
    const float x = bar.x + bar.w * static_cast<float>(std::clamp(scale.share_on_bar(value), 0.0, 1.0));
    canvas.fill({x - 1, bars.y, 2, bar.bottom() - bars.y}, canvas.theme().lamp);
  }
  draw_choices(column, tensor, scale);
}

}  // namespace headlight
