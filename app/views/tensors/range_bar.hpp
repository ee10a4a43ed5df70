// The bar of a picture's colours, with the ends of its range: what the colours mean, and where a person changes it.
#pragma once

#include <string>

#include "app/ui/drawing/canvas.hpp"
#include "app/ui/drawing/color_scale.hpp"
#include "app/views/base/view_context.hpp"
#include "core/model/names.hpp"

namespace headlight {

/// The bar at the top of the area, `bar_height` high, and below it the ends of its range, with zero, or ×1, where it is
/// inside; 20 more.
void draw_color_bar_with_range(const Canvas& canvas, const Rect& area, const ColorScale& scale, float bar_height = 10);

/// The same, with handles at both ends that a person drags: the range becomes fixed.
void draw_range_bar(ViewContext& context, const Rect& area, TensorId tensor, const ColorScale& scale,
                    float bar_height = 10);

/// The ranges to choose from (offered_ranges), as one control 28 high. `±max` reads `0–max` or `min–0` where all
/// numbers have one sign.
void draw_range_choice(ViewContext& context, const Rect& area, TensorId tensor, const ColorScale& scale);

/// The heights of the legend at the foot of a view: of one row, and with a row of words below.
inline constexpr float low_legend = 48;
inline constexpr float high_legend = 72;
/// The legend at the foot of a view: the bar of the colours with its range, and the choice of another one. Returns the
/// room for words about what else is in the picture: the row below, or what is left of the only row.
Rect draw_legend(ViewContext& context, Rect area, TensorId tensor, const ColorScale& scale);

}  // namespace headlight
