#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "app/session/display/display_entries.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/views/base/view_header.hpp"
#include "app/views/overlays/overlays.hpp"
#include "app/views/overlays/sheet.hpp"

namespace headlight {
namespace {

constexpr std::array<std::string_view, 5> shown_entries{"theme", "theme_follows", "scale", "colour_map",
                                                        "reduce_motion"};
constexpr float appearance_height = 28;
constexpr float appearance_gap = 12;
constexpr float appearance_width = 208;

void draw_entry_row(ViewContext& context, Rect row, std::string_view name) {
  Ui& ui = context.ui;
  const Entry<Display>& entry = display_entry(name);
  const bool is_flag = entry.control(context.session.display()).kind == ControlKind::flag;
  const float height = ui.reach(appearance_height);
  const std::string label =
      entry.unit.empty() ? std::string(entry.label) : fmt::format("{} in {}", entry.label, entry.unit);
  const float beside_label = row.w - ui.canvas().width(label, TextStyle::control) - 12;
  const Rect area = row.cut_right(is_flag ? toggle_width : std::min(appearance_width, beside_label));
  ui.canvas().text_in(row, label, TextStyle::control, ui.theme().text);
  ui.begin_row(label);
  draw_display_entry(context, {area.x, area.center().y - height / 2, area.w, height}, name);
}

}  // namespace

void draw_appearance(ViewContext& context) {
  const float row_height = context.ui.reach(appearance_height) + appearance_gap;
  Sheet sheet(context.ui, "appearance", 470,
              Sheet::height_around(context.ui, row_height * static_cast<float>(shown_entries.size())));
  const bool closed = sheet.heading("Appearance");
  Rect area = sheet.area();
  for (const std::string_view name : shown_entries) draw_entry_row(context, area.cut_top(row_height), name);
  context.ui.begin_row({});
  if (!sheet.dismissed() && !closed) return;
  context.session.edit_display([](Display& d) { d.overlay = Overlay::none; });
}

}  // namespace headlight
