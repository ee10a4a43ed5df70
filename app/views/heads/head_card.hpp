// One head as a picture with its measures below.
#pragma once

#include <array>
#include <span>
#include <string>

#include "app/session/studies/head_statistics.hpp"
#include "app/ui/drawing/canvas.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"
#include "core/model/names.hpp"

namespace headlight {

/// "head 3", or as much of it as fits the width: "h3", "3".
std::string head_name(const Canvas& canvas, Index head, TextStyle style, float width);

/// A bar of the cards: measure, value and scale.
struct MeasureBar {
  HeadOrder measure = HeadOrder::entropy;
  double value = 0;
  double even = 0;  ///< the tick: the value for even attention
  double top = 1;   ///< the value at the end of the bar; the same in all heads, so that bars can be compared
};
inline constexpr int measure_count = 4;
/// The least width of a card with its measures in one line.
inline constexpr float width_of_line = measure_count * 128;
/// The bars of one head, in the order of HeadOrder.
std::array<MeasureBar, measure_count> measure_bars(const HeadStatistics& statistics, Index head);

struct HeadCardOptions {
  std::span<const MeasureBar> bars;
  bool in_a_line = false;  ///< the bars are side by side, not below each other
  HeadOrder ordered_by = HeadOrder::index;
  bool can_hide = true;
  bool alone = false;                        ///< no other card beside it: a frame would say nothing
  std::optional<FoundPattern> pattern = {};  ///< its name is written beside a head without a label
};

/// Draws the card around `cells`, the rectangle of its matrix: title and labels above, bars below. All cards share one
/// zoom. A click on the title selects the head.
void draw_head_card(ViewContext& context, TensorId tensor, Index head, const Rect& cells,
                    const HeadCardOptions& options);

/// The bar alone, for the legend.
void draw_measure_bar(const Canvas& canvas, const Rect& track, const MeasureBar& bar, bool strong);

}  // namespace headlight
