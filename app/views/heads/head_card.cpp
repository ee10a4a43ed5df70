#include "app/views/heads/head_card.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/heatmap/numbers.hpp"
#include "app/session/actions/target.hpp"
#include "app/session/display/display_entries.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/heads/heads_layout.hpp"
#include "app/views/menus/context_menu.hpp"
#include "app/views/tensors/axis_labels.hpp"
#include "app/views/tensors/picture_cells.hpp"
#include "app/views/tensors/tensor_picture.hpp"
#include "app/views/tensors/zoom.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

constexpr float measure_words = 62;
constexpr float measure_value = 46;

constexpr std::array<std::pair<HeadOrder, double HeadMeasures::*>, measure_count> measures{{
    {HeadOrder::entropy, &HeadMeasures::entropy},
    {HeadOrder::distance, &HeadMeasures::distance},
    {HeadOrder::diagonal, &HeadMeasures::diagonal},
    {HeadOrder::peak, &HeadMeasures::peak},
}};

/// A measure in at most five characters, for every possible value; "…" for NaN, while it is being computed.
std::string measure_text(double value) {
  return std::isnan(value) ? "…" : fmt::format("{:.{}f}", value, value < 99.995 ? 2 : 1);
}

/// The labels above and to the left of the cells: only indices, thinned. The names of the tokens are in the gutter.
AxisLabels bare_indices(const Theme& theme, const TensorPicture& picture, const PictureLight& light) {
  const bool last = !picture.transposed;
  return {[](Index index) { return AxisLabel{"", fmt::format("{}", index)}; },
          theme.identity(axis_role(picture.tensor, last)), last ? light.column : light.row};
}

void draw_title(ViewContext& context, const Rect& row, TensorId tensor, Index head, bool own, int power,
                const HeadCardOptions& options) {
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Theme& theme = canvas.theme();
  const Item item = ui.item("title", {row.x - 4, row.y, row.w - 50, row.h});
  ui.say_control(item, context.session.setup().head_label(head), "head", own ? "shown" : "");
  if (item.clicked) Selecting(context.session).select_head(head);
  offer_menu(context, row, item, head_target(context.session, head));
  if (item.focused) canvas.focus_ring({row.x - 2, row.y + 2, row.w - 54, row.h - 4});
  const Setup& setup = context.session.setup();
  // A slide has no other title, and does not number a head that is the only one.
  const bool only = context.presenting && setup.sizes.heads == 1;
  const std::string plain = !setup.head_names.empty() ? fmt::format("{}  {}", head, setup.head_label(head))
                            : only                    ? std::string(info(named_after(tensor, setup)).title)
                                                      : fmt::format("head {}", head);
  const std::string name = fmt::format("{}{}{}", plain, power == 0 ? "" : " ", power_words(power));
  const float room = row.w + (context.presenting ? card_padding - 4 : -4);  // a slide has no buttons beside it
  float wide = canvas.text({row.x, row.y + 18}, canvas.ellipsized(name, TextStyle::heading, room), TextStyle::heading,
                           own || item.hovered ? theme.text : theme.text2);
  if (!setup.head_names.empty()) ui.tooltip(item, fmt::format("head {}: {}", head, setup.head_label(head)));
  const bool ablated = setup.is_ablated(head);
  if (options.pattern && options.pattern->is_clear() && setup.head_names.empty() && !ablated &&
      !context.session.lesson().asks()) {
    const std::string found = short_words(*options.pattern, setup);
    if (wide + 12 + canvas.width(found, TextStyle::control) < row.w - 54) {
      canvas.text({row.x + wide + 12, row.y + 18}, found, TextStyle::control, theme.text2);
      wide += 12 + canvas.width(found, TextStyle::control);
    }
    ui.tooltip(item, sentence_of(*options.pattern, setup));
  }
  const bool pointed = !context.still && ui.mouse_over(row.outset(2));
  const bool hides = options.can_hide && pointed;
  if (pointed &&
      icon_button(ui, "ablate", {row.right() - (hides ? 50 : 24), row.y, 24, 24}, ablated ? Icon::plus : Icon::minus,
                  {.kind = ButtonKind::quiet,
                   .tooltip = ablated ? "Bring this head back" : "Ablate this head: its context becomes zero",
                   .keys = "A"}))
    toggle_ablated(context.session, head_target(context.session, head));
  if (hides && icon_button(ui, "hide", {row.right() - 24, row.y, 24, 24}, Icon::eye_off,
                           {.kind = ButtonKind::quiet, .tooltip = "Hide this head", .keys = "H"}))
    context.session.set_display(
        with_head_hidden(context.session.display(), head, true, context.session.setup().sizes.heads));
  else if (((own && !options.alone) || ablated) && !pointed && row.w - wide > 70)
    canvas.text({row.right(), row.y + 18}, ablated ? "ablated" : "selected", TextStyle::caption, theme.text2,
                Align::right);
}

void draw_bars(ViewContext& context, Rect area, bool own, const HeadCardOptions& options) {
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Theme& theme = canvas.theme();
  const float each = area.w / static_cast<float>(std::max<std::size_t>(1, options.bars.size()));
  for (const MeasureBar& bar : options.bars) {
    Rect row = options.in_a_line ? area.cut_left(each) : area.cut_top(measure_row);
    if (options.in_a_line && &bar != &options.bars.back()) row.w -= 20;
    const bool strong = own || bar.measure == options.ordered_by;
    const Word& word = word_of(bar.measure);
    canvas.text_in(row, word.label, bar.measure == options.ordered_by ? TextStyle::control_strong : TextStyle::control,
                   strong ? theme.text : theme.text2);
    canvas.text_in(row, measure_text(bar.value), own ? TextStyle::mono_strong : TextStyle::mono, theme.text,
                   Align::right);
    const Rect track{row.x + measure_words, row.center().y - 3.5f, row.w - measure_words - measure_value, 7};
    if (track.w > 16) draw_measure_bar(canvas, track, bar, own);
    const Item item = ui.item(word.name, row, {.focusable = false});
    ui.tooltip(item, word.help);
  }
}

/// The bands of the lit cell: its row in every head, its column in the selected one.
void draw_bands(const Canvas& canvas, const TensorPicture& picture, const HeatmapLayout& layout,
                const PictureLight& light, bool own) {
  const Theme& theme = canvas.theme();
  const float width = own ? 2.0f : 1.5f;
  const auto frame = [&](Index index, bool across, bool last) {
    const Rect line = across ? layout.line_across(index) : layout.line_down(index);
    if (!line.empty()) canvas.stroke(line.outset(2), theme.identity(axis_role(picture.tensor, last)), width, 3);
  };
  if (light.row && picture.slice.rows() > 1) frame(*light.row, !picture.transposed, false);
  if (light.column && own) frame(*light.column, picture.transposed, true);
}

/// Marks the lit cell in a head that is not selected.
void draw_echo(const Canvas& canvas, const HeatmapLayout& layout, const PictureLight& light) {
  if (!light.ring) return;
  const Rect cell = layout.rect_of(*light.ring).intersected(layout.area());
  if (!cell.empty()) canvas.stroke(cell.outset(1), canvas.theme().lamp, 1, 2);
}

}  // namespace

std::string head_name(const Canvas& canvas, Index head, TextStyle style, float width) {
  for (std::string name : {fmt::format("head {}", head), fmt::format("h{}", head)})
    if (canvas.width(name, style) <= width) return name;
  return fmt::format("{}", head);
}

std::array<MeasureBar, measure_count> measure_bars(const HeadStatistics& statistics, Index head) {
  std::array<MeasureBar, measure_count> bars;
  for (std::size_t i = 0; i < measures.size(); ++i) {
    const auto [measure, field] = measures[i];
    double top = statistics.even.*field;
    for (const HeadMeasures& other : statistics.heads) top = std::max(top, other.*field);
    bars[i] = {measure, statistics.heads[static_cast<std::size_t>(head)].*field, statistics.even.*field,
               top > 0 ? 1.1 * top : 1};
  }
  return bars;
}

void draw_measure_bar(const Canvas& canvas, const Rect& track, const MeasureBar& bar, bool strong) {
  const Theme& theme = canvas.theme();
  const auto x = [&](double value) { return track.w * static_cast<float>(std::clamp(value / bar.top, 0.0, 1.0)); };
  canvas.fill(track, mix(theme.line_strong, theme.canvas, 0.35), 2);
  if (bar.value > 0) canvas.fill({track.x, track.y, x(bar.value), track.h}, strong ? theme.text : theme.text3, 2);
  const float tick = track.x + x(bar.even);
  canvas.fill({tick - 2, track.y - 3, 4, track.h + 6}, strong ? theme.raised : theme.canvas);
  canvas.fill({tick - 1, track.y - 3, 2, track.h + 6}, theme.text);
}

void draw_head_card(ViewContext& context, TensorId tensor, Index head, const Rect& cells,
                    const HeadCardOptions& options) {
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Theme& theme = canvas.theme();
  const Session& session = context.session;
  const bool own =
      session.selection().head == head && (!context.still || session.state().pinned) && !points_at_answer(session);
  const float bars = options.in_a_line ? measure_row : static_cast<float>(options.bars.size()) * measure_row;
  // Without bars a card may end at the edge of the area.
  const float below = bars > 0 ? 8 + bars + card_padding : 9;
  const float above = card_title + card_labels + card_padding;
  const Rect frame{cells.x - card_padding, cells.y - above, cells.w + 2 * card_padding, above + cells.h + below};
  if (own && !options.alone) canvas.fill(frame, theme.raised, 8);
  if (own && !options.alone) canvas.stroke(frame, theme.lamp, 2, 8);
  ui.push_id(static_cast<int>(head));
  const TensorPicture picture = picture_of(context, tensor, session.selection().batch, head);
  const PictureLight light = light_of(context, picture);
  Zoom& zoom = context.memory.get<Zooms>().of(View::heads);
  const Heatmap heatmap = zoomed_heatmap(picture, cells, ui.scale(), zoom);
  const int power = shared_power(canvas, heatmap);
  draw_title(context, {cells.x, cells.y - card_labels - card_title, cells.w, card_title}, tensor, head, own, power,
             options);
  draw_labels_across(canvas, heatmap.layout, {cells.x, cells.y - card_labels, cells.w, card_labels},
                     bare_indices(theme, picture, light));
  const Item item = draw_cells(context, "cells", picture, heatmap, light, {.ring = false, .power = power});
  zoom_with_mouse(context, item, heatmap, tensor, zoom);
  if (session.setup().is_ablated(head)) canvas.fill(cells, faded(theme.canvas, 0.72f));
  canvas.stroke(cells.outset(1), theme.line_strong, 1, 2);
  draw_bands(canvas, picture, heatmap.layout, light, own);
  if (own) draw_ring(context, heatmap.layout, light);
  else draw_echo(canvas, heatmap.layout, light);

  draw_bars(context, {cells.x, cells.bottom() + 8, cells.w, bars}, own, options);
  ui.pop_id();
}

}  // namespace headlight
