#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "app/session/display/display_entries.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/controls/entry_control.hpp"
#include "app/ui/controls/value_controls.hpp"
#include "app/views/overlays/overlays.hpp"
#include "app/views/overlays/sheet.hpp"

namespace headlight {
namespace {

constexpr std::array<std::string_view, 5> shown_entries{"theme", "theme_follows", "scale", "colour_map",
                                                        "reduce_motion"};
constexpr float appearance_height = 28;
constexpr float appearance_gap = 12;
constexpr float appearance_width = 208;

/// The same steps as Ctrl+plus, in percent. A slider would move away from under the mouse while it is dragged.
ControlEdit draw_percent(Ui& ui, const Rect& r, const Control& control) {
  auto percent = std::llround(100 * control.number);
  const auto step = [](long long from, int direction) {
    const double scale = static_cast<double>(from) / 100;
    return std::llround(100 * (direction > 0 ? larger_scale(scale) : smaller_scale(scale)));
  };
  const Edited edited = stepper(ui, control.name, r, percent, std::llround(100 * smallest_scale),
                                std::llround(100 * largest_scale), {.step = step});
  return edited ? ControlEdit{.input = static_cast<double>(percent) / 100} : ControlEdit{};
}

void draw_entry_row(ViewContext& context, Rect row, const Entry<Display>& entry) {
  Ui& ui = context.ui;
  const Display& display = context.session.display();
  const Control control = entry.control(display);
  const float height = ui.reach(appearance_height);
  const bool is_scale = entry.name == "scale";
  const std::string label =
      entry.unit.empty() ? std::string(entry.label) : fmt::format("{} in {}", entry.label, entry.unit);
  const float beside_label = row.w - ui.canvas().width(label, TextStyle::control) - 12;
  Rect area =
      row.cut_right(control.kind == ControlKind::flag ? toggle_width : std::min(appearance_width, beside_label));
  area = {area.x, area.center().y - height / 2, area.w, height};
  ui.canvas().text_in(row, label, TextStyle::control, ui.theme().text);
  const ControlEdit edit = is_scale ? draw_percent(ui, area, control) : draw_control(ui, area, control);
  if (!edit) return;
  if (auto changed = entry.with(display, *edit.input); changed.owner) context.session.set_display(*changed.owner);
}

}  // namespace

void draw_appearance(ViewContext& context) {
  const float row_height = context.ui.reach(appearance_height) + appearance_gap;
  Sheet sheet(context.ui, "appearance", 470,
              Sheet::height_around(context.ui, row_height * static_cast<float>(shown_entries.size())));
  const bool closed = sheet.heading("Appearance");
  Rect area = sheet.area();
  for (const std::string_view name : shown_entries)
    draw_entry_row(context, area.cut_top(row_height),
                   *std::ranges::find(display_entries(), name, &Entry<Display>::name));
  if (!sheet.dismissed() && !closed) return;
  Display display = context.session.display();
  display.overlay = Overlay::none;
  context.session.set_display(display);
}

}  // namespace headlight
