#include "app/views/play/play.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "app/session/export/export_choices.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/controls/value_controls.hpp"
#include "app/views/base/last_export.hpp"
#include "app/views/base/panels.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/tensors/picture_cells.hpp"
#include "core/setup/validity.hpp"

namespace headlight {
namespace {

constexpr float strip_height = 124;
constexpr float strip_height_of_slide = 88;  ///< without the choices
constexpr float curve_height = 84;           ///< above the controls, where there is no room beside them
constexpr float room_for_both = 600;
constexpr float sweep_width = 38;
constexpr double phase_in_a_second = 0.25;  ///< of a sweep at speed 1: four seconds to the other end
constexpr float widest_curve = 320;
constexpr int frames_of_sweep = 24;

// --- The number ------------------------------------------------------------------------------------------------------

void play_at(Session& session, const Play& play, double value) {
  const std::optional<Setup> next = with_play_number(session.wanted(), play.number, value);
  if (next && problems(*next).empty()) session.edit(*next, "play " + play.number.key);
}

/// The number's present value; nullopt if the setup no longer has it.
std::optional<double> value_now(const Session& session, const Play& play) {
  if (const auto number = play_number(session.trace(), play.number.key)) return number->value;
  return std::nullopt;
}

/// Moves the number towards one end and back.
void sweep(ViewContext& context, Play& play) {
  Session& session = context.session;
  if (!play.sweeping) return;
  context.ui.request_frame();
  if (session.state().computing) return;
  play.phase = std::fmod(play.phase + context.ui.time_step() * play.speed * phase_in_a_second, 2);
  play_at(session, play, play.number.at(play.phase <= 1 ? play.phase : 2 - play.phase));
}

// --- The controls ----------------------------------------------------------------------------------------------------

/// Returns whether it was closed.
bool draw_heading(ViewContext& context, Rect row, const Play& play) {
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  const float size = context.ui.reach(28);
  const bool closed = icon_button(context.ui, "close", row.cut_right(size), Icon::cross,
                                  {.kind = ButtonKind::quiet, .tooltip = "Close"});
  if (icon_button(context.ui, "take away", row.cut_right(size + 4).inset(2, 0), Icon::export_,
                  {.kind = ButtonKind::quiet, .tooltip = "Export the sweep as an animation"})) {
    ExportChoices& choices = context.memory.get<LastExport>().choices;
    choices.frames = to_string(play.number);
    if (!play.number.whole) choices.frames += fmt::format("/{}", frames_of_sweep);
    choices.seconds = 1 / phase_in_a_second / frames_of_sweep;
    context.session.request(OpenExport{ExportWhat::animation});
  }
  const float baseline = row.center().y + 4;
  const float wide = canvas.text({row.x, baseline}, play.number.title, TextStyle::heading, theme.text);
  const std::string was = fmt::format("was {}", play.number.text(play.number.value));
  canvas.text({row.x + wide + 12, baseline}, was, TextStyle::caption, theme.text3);
  return closed;
}

void draw_slider(ViewContext& context, Rect row, Play& play, double now) {
  Ui& ui = context.ui;
  const std::string text = play.number.text(now);
  const Rect number = row.cut_right(92);
  row.cut_right(12);
  const std::size_t first = ui.memory().tab_order.size();
  double value = now;
  const Edited edited = slider(ui, "number", row, value, play.number.low, play.number.high,
                               {.logarithmic = play.number.logarithmic,
                                .step = play.number.whole ? 1.0 : 0.0,
                                .mark = play.number.value,
                                .number = number,
                                .text = text,
                                .tooltip = how_to_edit});
  if (edited.began) play.sweeping = false;
  if (edited)
    play_at(context.session, play, edited.began && edited.ended ? value : play.number.at(play.number.share_of(value)));
  if (edited.ended) context.session.end_gesture();
  if (!std::exchange(play.fresh, false) || first >= ui.memory().tab_order.size()) return;
  ui.focus(ui.memory().tab_order[first].id);
  ui.request_frame();
}

void draw_sweep(ViewContext& context, Rect& row, Play& play, double now) {
  const float size = context.ui.reach(30);
  if (icon_button(context.ui, "sweep", row.cut_left(size), play.sweeping ? Icon::pause : Icon::play,
                  {.selected = play.sweeping, .tooltip = play.sweeping ? "Stop" : "Sweep back and forth"})) {
    play.sweeping = !play.sweeping;
    play.phase = play.number.share_of(now);
    context.session.end_gesture();
  }
  row.cut_left(sweep_width - 30);
}

void draw_choices(ViewContext& context, Rect row, Play& play) {
  static constexpr std::array<std::string_view, 3> speeds{"½×", "1×", "2×"};
  static constexpr std::array<double, 3> times{0.5, 1, 2};
  int speed = static_cast<int>(std::ranges::find(times, play.speed) - times.begin());
  if (segmented(context.ui, "speed", row.cut_left(3 * context.ui.reach(40)), speeds, speed,
                {.tooltip = "The speed of the sweep"}))
    play.speed = times[static_cast<std::size_t>(speed)];
  row.cut_left(16);
  int index = static_cast<int>(play.measure);
  if (row.w >= 180 &&
      segmented(context.ui, "watched", row.cut_left(std::min(row.w, 210.0f)), names_of(measure_words), index,
                {.tooltip = "What the curve shows: the selected cell, the head's mean entropy per query, or its "
                            "largest weight"}))
    play.measure = static_cast<Measure>(index);
}

void end_play(ViewContext& context) {
  context.memory.get<PlayMemory>().play.reset();
  context.memory.get<Ghost>().before.reset();
}

}  // namespace

void begin_play(ViewContext& context, std::string_view key) {
  Session& session = context.session;
  const auto number = play_number(session.trace(), key);
  if (!number) return session.notify(fmt::format("{} can't be animated", key));
  session.end_gesture();
  context.memory.get<PanelsMemory>().sheet.reset();  // which covers the strip
  context.memory.get<PlayMemory>().play = Play{.number = *number, .before = session.state().trace};
  context.memory.get<Ghost>().before = session.state().trace;
  context.ui.request_frame();
}

bool is_playing_number(ViewContext& context) { return context.memory.get<PlayMemory>().play.has_value(); }

void draw_play(ViewContext& context, Rect& area) {
  std::optional<Play>& play = context.memory.get<PlayMemory>().play;
  if (!play) return;
  const std::optional<double> now = value_now(context.session, *play);
  if (!now) return end_play(context);
  sweep(context, *play);
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  const float line = context.ui.reach(28);
  const bool is_column = context.ui.serves_finger() && area.w < room_for_both;
  const float higher = 3 * (line - 28) + (is_column ? curve_height : 0);
  const Rect strip = area.cut_bottom(context.presenting ? strip_height_of_slide : strip_height + higher);
  canvas.fill(strip, theme.panel, context.presenting ? 8.0f : 0.0f);
  if (!context.presenting) canvas.fill({strip.x, strip.y, strip.w, 1}, theme.line);
  context.ui.push_id("play");
  Rect rest = strip.inset(20, 10);
  const Rect curve = is_column ? rest.cut_top(curve_height) : rest.cut_right(std::min(widest_curve, 0.38f * rest.w));
  if (!is_column) rest.cut_right(24);
  draw_play_curve(context, curve, play->number, play->measure, play->before.get());
  const bool closed = draw_heading(context, rest.cut_top(line + 2), *play);
  rest.cut_top(6);
  Rect row = rest.cut_top(line);
  Rect beside = context.presenting ? row.cut_left(sweep_width) : Rect{};
  draw_slider(context, row, *play, *now);
  if (context.presenting) draw_sweep(context, beside, *play, *now);
  rest.cut_top(8);
  row = rest.cut_top(line);
  if (!context.presenting) {
    draw_sweep(context, row, *play, *now);
    draw_choices(context, row, *play);
  }
  context.ui.pop_id();
  // Escape would end presenting.
  Ui& ui = context.ui;
  const bool escaped = context.presenting && !ui.is_covered() && (ui.memory().escaped || ui.take_key(Key::escape));
  if (!closed && !escaped) return;
  context.session.end_gesture();
  end_play(context);
  context.ui.request_frame();
}

}  // namespace headlight
