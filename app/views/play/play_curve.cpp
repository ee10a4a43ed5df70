#include "app/views/play/play.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "app/heatmap/numbers.hpp"
#include "app/session/export/export_choices.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/views/base/last_export.hpp"
#include "app/views/base/view_memory.hpp"

namespace headlight {
namespace {

const Curve* curve_of(ViewContext& context, const PlayNumber& number, Measure measure) {
  Session& session = context.session;
  const Setup& setup = session.setup();
  const CurveKey key{with_play_number(setup, number, number.low).value_or(setup), number, measure, session.selection()};
  const std::vector<double> points = points_of(number);
  return context.memory.get<PlayMemory>().curve.of(
      session, key, session.trace().elements() * static_cast<Index>(points.size()),
      [setup, key, points, threads = session.threads()](Threads&, const std::stop_token& stop) {
        const TraceNumber value = [&](const ModelTrace& model) {
          return measured(*threads, model.at(setup.layer), key.measure, key.selection);
        };
        return curves_over(threads, setup, key.number, points, {value}, stop).front();
      });
}

/// The curve in its frame, which spans the range of the number across and of the measure down.
struct CurvePlot {
  Rect frame;
  const PlayNumber& number;
  double least = 0;
  double largest = 1;

  CurvePlot(const Rect& area, const Curve& curve, const PlayNumber& about) : frame(area), number(about) {
    bool any = false;
    for (const double value : curve.values) {
      if (!std::isfinite(value)) continue;
      least = any ? std::min(least, value) : value;
      largest = any ? std::max(largest, value) : value;
      any = true;
    }
    if (least < largest) return;
    least -= 0.5;
    largest += 0.5;
  }
  Point at(double where, double value) const {
    const auto up = static_cast<float>(std::clamp((value - least) / (largest - least), 0.0, 1.0));
    return {frame.x + frame.w * static_cast<float>(number.share_of(where)), frame.bottom() - frame.h * up};
  }
};

std::string short_text(double value) { return format_that_fits(std::abs(value), value < 0, 7, 4)(value); }

std::string as_table(const Curve& curve, const PlayNumber& number, std::string_view watched) {
  std::string text = fmt::format("{},\"{}\"\n", number.key, watched);
  for (std::size_t i = 0; i < curve.at.size(); ++i) text += fmt::format("{},{}\n", curve.at[i], curve.values[i]);
  return text;
}

/// Draws the buttons at the end of the title's line, and cuts their room off it.
void draw_buttons(ViewContext& context, Rect& title, const PlayNumber& number, Measure measure, const Curve* curve,
                  std::string_view words) {
  constexpr float wide = 24;
  const auto button_area = [&] { return title.cut_right(wide); };
  const auto button_at = [&](Rect r) { return Rect{r.x, r.y - 1, wide, 22}; };
  if (icon_button(context.ui, "copy curve", button_at(button_area()), Icon::copy,
                  {.kind = ButtonKind::quiet, .enabled = curve != nullptr, .tooltip = "Copy the curve as CSV"})) {
    context.session.request(CopyText{as_table(*curve, number, words)});
    context.session.notify("Copied the curve");
  }
  if (icon_button(context.ui, "take curve", button_at(button_area()), Icon::export_,
                  {.kind = ButtonKind::quiet, .tooltip = "Export the curve as a picture"})) {
    ExportChoices& choices = context.memory.get<LastExport>().choices;
    choices.played = to_string(number);
    choices.measure = measure;
    context.session.request(OpenExport{ExportWhat::play});
  }
}

void draw_line(const Canvas& canvas, const CurvePlot& plot, const Curve& curve) {
  for (std::size_t i = 1; i < curve.at.size(); ++i) {
    if (!std::isfinite(curve.values[i - 1]) || !std::isfinite(curve.values[i])) continue;
    canvas.line(plot.at(curve.at[i - 1], curve.values[i - 1]), plot.at(curve.at[i], curve.values[i]),
                canvas.theme().text, 1.5f);
  }
}

/// Room for a word of this width beside a point: at the corner that covers the fewest points of the curve.
Rect room_beside(const CurvePlot& plot, const Curve& curve, Point at, float width) {
  constexpr float height = 18, away = 8;
  Rect best{at.x + away, at.y - 2 - height, width, height};
  std::size_t fewest = curve.at.size() + 1;
  for (const float top : {at.y - 2 - height, at.y + 2}) {
    for (const float left : {at.x + away, at.x - away - width}) {
      const Rect room{left, top, width, height};
      const bool inside = left >= plot.frame.x && room.right() <= plot.frame.right() && top >= plot.frame.y - 8 &&
                          room.bottom() <= plot.frame.bottom();
      if (!inside) continue;
      std::size_t behind = 0;
      for (std::size_t i = 0; i < curve.at.size(); ++i)
        behind += std::isfinite(curve.values[i]) && room.outset(3).contains(plot.at(curve.at[i], curve.values[i]));
      if (behind < fewest) best = room;
      fewest = std::min(fewest, behind);
    }
  }
  return best;
}

}  // namespace

void draw_play_curve(ViewContext& context, Rect area, const PlayNumber& number, Measure measure, const Trace* before) {
  constexpr float beside = 72;  ///< for the ends of the measure's axis
  const Session& session = context.session;
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  Rect title = area.cut_top(22);
  std::string words = words_of(measure, session.selection(), session.setup());
  if (session.lesson().asks())
    return canvas.paragraph({area.x, area.y + 12}, "The curve appears with the answer.", TextStyle::caption,
                            theme.text3, area.w, 17),
           void();
  const Curve* const curve = curve_of(context, number, measure);
  if (context.still) words += fmt::format(" over {}", number.title);
  else draw_buttons(context, title, number, measure, curve, words);
  canvas.text_in(title, canvas.ellipsized(words, TextStyle::caption, title.w), TextStyle::caption, theme.text2);
  if (!curve) {
    canvas.text_in(area, "Computing the curve…", TextStyle::caption, theme.text3, Align::center);
    return context.ui.request_frame_in(look_again);
  }
  Rect ends = area.cut_bottom(16);
  if (context.still) {
    area.cut_left(beside);
    ends.cut_left(beside);
  }
  const CurvePlot plot(area.inset(4, 6), *curve, number);
  canvas.fill({plot.frame.x, plot.frame.bottom(), plot.frame.w, 1}, theme.outline);
  canvas.text_in(ends, number.text(number.low), TextStyle::code, theme.text3);
  canvas.text_in(ends, number.text(number.high), TextStyle::code, theme.text3, Align::right);
  if (context.still)
    for (const double value : {plot.least, plot.largest}) {
      const float y = plot.at(number.low, value).y;
      canvas.text({plot.frame.x - 12, y + 4}, short_text(value), TextStyle::code, theme.text3, Align::right);
    }
  draw_line(canvas, plot, *curve);
  const auto mark = [&](const Trace& trace, bool ghost) {
    const auto now = play_number(trace, number.key);
    const double value = measured(*session.threads(), trace, measure, session.selection());
    if (!now || !std::isfinite(value)) return;
    const Point at = plot.at(now->value, value);
    if (ghost) return canvas.circle(at, 5, theme.text3, 1.5f);
    canvas.disc(at, 5, theme.lamp);
    const std::string text = short_text(value);
    canvas.text_in(room_beside(plot, *curve, at, canvas.width(text, TextStyle::mono_strong)), text,
                   TextStyle::mono_strong, theme.text);
  };
  if (before != nullptr) mark(*before, true);
  mark(session.trace(), false);
}

}  // namespace headlight
