#include "app/views/inspector/inspector_column.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "app/heatmap/numbers.hpp"
#include "app/session/edits/own_numbers.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/tensors/effect_study.hpp"
#include "core/setup/edits.hpp"

namespace headlight {
namespace {

void draw_effect(Column& column, const NumberEffect& effect) {
  const Canvas canvas = column.context.ui.canvas();
  const Theme& theme = canvas.theme();
  Rect row = column.row(column.line());
  const Role role = info(effect.cell.tensor).role;
  const double largest = std::max(std::abs(effect.before), std::abs(effect.after));
  const NumberFormat format = format_that_fits(largest, effect.before < 0 || effect.after < 0, 7, 4);
  const std::string after = format(effect.after), before = format(effect.before) + " → ";
  const float numbers = canvas.width(after, TextStyle::code) + canvas.width(before, TextStyle::code);
  canvas.text_in(row, after, TextStyle::code, theme.text, Align::right);
  canvas.text_in({row.x, row.y, row.w - canvas.width(after, TextStyle::code), row.h}, before, TextStyle::code,
                 theme.text3, Align::right);
  const std::string cell = canvas.ellipsized(to_string(effect.cell), TextStyle::code, row.w - numbers - 8);
  cell_link(column, fmt::format("effect {}", name(effect.cell.tensor)), {row.x, row.y, row.w - numbers - 8, row.h},
            cell, TextStyle::code, role == Role::neutral ? theme.text2 : theme.identity(role), effect.cell);
}

}  // namespace

void draw_effects(Column& column, const Cell& cell) {
  Session& session = column.context.session;
  if (!is_changed(session.setup(), original_values(session), cell)) return;
  const auto* const effects = column.context.memory.get<EffectStudy>().of(session, cell);
  if (effects == nullptr) return column.context.ui.request_frame_in(look_again);
  if (effects->most.empty()) return;
  draw_section(column, "What it changes", "most, in each tensor");
  for (const NumberEffect& effect : effects->most) draw_effect(column, effect);
}

}  // namespace headlight
