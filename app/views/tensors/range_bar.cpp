#include "app/views/tensors/range_bar.hpp"
#include "app/views/tensors/asked_cells.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "app/heatmap/heatmap.hpp"
#include "app/heatmap/numbers.hpp"
#include "app/session/display/display_entries.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/tensors/tensor_scale.hpp"

namespace headlight {
namespace {

constexpr float handle_width = 8;

/// "×4" or "×1/4".
std::string multiple_text(double multiple) {
  return multiple < 1 ? fmt::format("×1/{:g}", 1 / multiple) : fmt::format("×{:g}", multiple);
}

std::string number_text(const ColorScale& scale, double value, int characters = 6) {
  if (scale.multiples) return multiple_text(value);
  return format_that_fits(std::max(std::abs(scale.lo), std::abs(scale.hi)), scale.lo < 0, characters, 2)(value);
}

struct EndWords {
  std::string low;
  std::string high;
};

/// "0", "≥ 0.17" where larger numbers share the last colour, "×64" for multiples of even attention; with fewer digits
/// where the bar is too narrow for both, and if need be without the lower end.
EndWords words_of_ends(const Canvas& canvas, const ColorScale& scale, float width) {
  constexpr float between = 6;
  EndWords words;
  for (int characters = 6; characters >= 2; --characters) {
    words = {(scale.cut_below ? "≤ " : "") + number_text(scale, scale.lo, characters),
             (scale.cut_above ? "≥ " : "") + number_text(scale, scale.hi, characters)};
    if (canvas.width(words.low + words.high, TextStyle::code) + between <= width) return words;
  }
  return {"", std::move(words.high)};
}

/// What is marked between the ends: zero on a scale of both signs, powers of four on one of even attention.
std::vector<double> marks_of(const ColorScale& scale) {
  if (scale.diverging() && scale.lo < 0 && scale.hi > 0) return {0};
  if (!scale.multiples) return {};
  std::vector<double> marks;
  for (double mark = 1; mark < scale.hi; mark *= 4) marks.push_back(mark);
  return marks;
}

void set_range(ViewContext& context, TensorId tensor, double low, double high, bool logarithmic) {
  if (!(low < high) || !std::isfinite(low) || !std::isfinite(high)) return;
  Display display = context.session.display();
  HeatmapOptions& options = display.heatmap(tensor);
  options.range = RangeKind::fixed;
  options.low = low;
  options.high = high;
  options.logarithmic = logarithmic;
  context.session.set_display(display);
}

/// The range in numbers of the tensor: multiples of even attention are taken for an even weight of 1/keys.
std::array<double, 2> ends_of(const ViewContext& context, const ColorScale& scale) {
  if (!scale.multiples) return {scale.lo, scale.hi};
  const auto keys = static_cast<double>(context.session.setup().key_length());
  return {scale.lo / keys, std::min(1.0, scale.hi / keys)};
}

/// How far a handle is moved in this frame, as a share of the range: by the mouse, which holds it at the end of a bar
/// that always shows the whole range, or by ← and →.
double moved(Ui& ui, const Item& item, const Rect& bar, bool upper) {
  if (item.focused) {
    constexpr double step = 0.05;
    if (ui.take_key(Key::left)) return -step;
    if (ui.take_key(Key::right)) return step;
  }
  if (!item.held || item.pressed_now) return 0;
  const double away = static_cast<double>((ui.mouse().x - bar.x) / bar.w) - (upper ? 1.0 : 0.0);
  return std::abs(away) < 0.004 ? 0 : away * 0.12;
}

void draw_handle(ViewContext& context, const Rect& bar, bool upper, TensorId tensor, const ColorScale& scale) {
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  const Rect handle{(upper ? bar.right() : bar.x) - handle_width / 2, bar.y - 3, handle_width, bar.h + 6};
  const Item item = context.ui.item(upper ? "high" : "low", handle.outset(3));
  canvas.fill(handle, item.hovered || item.held ? theme.lamp : theme.text, 2);
  if (item.focused) canvas.focus_ring(handle, 3);
  context.ui.claim_edit(item);
  context.ui.tooltip(item, "Drag to change the range of the colours");
  context.ui.say_control(item, upper ? "Upper end of the colours" : "Lower end of the colours", "slider",
                         number_text(scale, upper ? scale.hi : scale.lo));
  const double way = moved(context.ui, item, bar, upper);
  if (way == 0) return;
  const auto [low, high] = ends_of(context, scale);
  const double step = way * (high - low);
  const double ratio = low > 0 ? std::pow(high / low, way) : 1;
  if (scale.logarithmic && low > 0)
    set_range(context, tensor, upper ? low : low * ratio, upper ? high * ratio : high, true);
  else set_range(context, tensor, low + (upper ? 0 : step), high + (upper ? step : 0), false);
  context.ui.request_frame();
}

}  // namespace

void draw_color_bar_with_range(const Canvas& canvas, const Rect& area, const ColorScale& scale, float bar_height) {
  const Rect bar{area.x, area.y, area.w, bar_height};
  draw_color_bar(canvas, bar, scale);
  const Rect words{area.x, bar.bottom() + 3, area.w, 16};
  const Theme& theme = canvas.theme();
  const auto [low, high] = words_of_ends(canvas, scale, area.w);
  canvas.text_in(words, low, TextStyle::code, theme.text3);
  canvas.text_in(words, high, TextStyle::code, theme.text3, Align::right);
  float from = words.x + canvas.width(low, TextStyle::code);
  const float to = words.right() - canvas.width(high, TextStyle::code);
  for (const double mark : marks_of(scale)) {
    const float x = bar.x + bar.w * static_cast<float>(scale.share_on_bar(mark));
    const bool one = scale.multiples && mark == 1;
    const TextStyle style = one ? TextStyle::code_strong : TextStyle::code;
    const std::string text = mark == 0 ? "0" : number_text(scale, mark);
    const float half = canvas.width(text, style) / 2;
    if (x - half < from + 4 || x + half > to - 4) continue;
    if (one) canvas.fill({x - 1, bar.y - 2, 2, bar.h + 5}, theme.text);
    canvas.text_in({x - half, words.y, 2 * half + 1, words.h}, text, style, one ? theme.text : theme.text3);
    from = x + half;
  }
}

void draw_range_bar(ViewContext& context, const Rect& area, TensorId tensor, const ColorScale& scale,
                    float bar_height) {
  if (asks_about(context.session, tensor))
    return draw_color_bar(context.ui.canvas(), {area.x, area.y, area.w, bar_height}, scale);
  draw_color_bar_with_range(context.ui.canvas(), area, scale, bar_height);
  if (context.still) return;
  const Rect bar{area.x, area.y, area.w, bar_height};
  for (const bool upper : {false, true}) draw_handle(context, bar, upper, tensor, scale);
}

namespace {

/// Numbers of one sign use the whole colour bar, so their range around zero begins or ends there.
std::string_view words_of_range(const ViewContext& context, RangeKind range, TensorId tensor) {
  const std::string_view words = range_words[static_cast<std::size_t>(range)].label;
  if (range != RangeKind::automatic || asks_about(context.session, tensor)) return words;
  const TensorStatistics s = statistics_of(context, context.session.trace(), tensor);
  const ColorScale scale = ColorScale::around_zero(s.min, s.max);
  return scale.lo == 0 ? "0–max" : scale.hi == 0 ? "min–0" : words;
}

}  // namespace

void draw_range_choice(ViewContext& context, const Rect& area, TensorId tensor, const ColorScale& scale) {
  Display display = context.session.display();
  HeatmapOptions& options = display.heatmap(tensor);
  const auto offered = offered_ranges(tensor);
  const RangeKind now = range_kind_of(options.range, tensor, context.session.trace().setup);
  std::vector<std::string_view> words;
  int chosen = 0;
  for (const RangeKind one : offered) {
    if (one == now) chosen = static_cast<int>(words.size());
    words.push_back(words_of_range(context, one, tensor));
  }
  if (!segmented(context.ui, "range", area, words, chosen, {.tooltip = "The range of the colours (R)"})) return;
  options.range = offered[static_cast<std::size_t>(chosen)];
  if (options.range == RangeKind::fixed) {
    const auto [low, high] = ends_of(context, scale);
    return set_range(context, tensor, low, high, scale.logarithmic);
  }
  context.session.set_display(display);
}

namespace {

constexpr float bar_room = 300;
constexpr float least_bar_room = 230;
constexpr float choice_room = 330;

void draw_color_legend(ViewContext& context, const Rect& r, TensorId tensor, const ColorScale& scale) {
  const Canvas canvas = context.ui.canvas();
  const bool own_ranges = context.session.display().heatmap(tensor).per_head && !scale.multiples;
  const std::string_view word = own_ranges ? "per head" : info(tensor).is_attention() ? "weight" : "value";
  canvas.text({r.x, r.y + 13}, word, TextStyle::control, canvas.theme().text2);
  draw_range_bar(context, {r.x + 70, r.y + 3, r.w - 78, 30}, tensor, scale);
}

}  // namespace

Rect draw_legend(ViewContext& context, Rect area, TensorId tensor, const ColorScale& scale) {
  const Canvas canvas = context.ui.canvas();
  canvas.fill({area.x, area.y, area.w, 1}, canvas.theme().line);
  area.cut_top(14);
  Rect first = area;
  const bool choice_fits = !context.still && first.w >= least_bar_room + 20 + choice_room;
  const float beside = choice_fits ? choice_room + 20 : 0;
  draw_color_legend(context, first.cut_left(std::min(first.w - beside, bar_room)), tensor, scale);
  first.cut_left(20);
  if (choice_fits) {
    const Rect choice = first.cut_left(choice_room);
    draw_range_choice(context, {choice.x, choice.y - 4, choice.w, 28}, tensor, scale);
    first.cut_left(28);
  }
  return area.h > low_legend - 14 ? Rect{area.x, area.y + 38, area.w, 20} : first;
}

}  // namespace headlight
