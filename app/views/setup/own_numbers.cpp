#include "app/views/setup/by_hand.hpp"

#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "app/machine.hpp"
#include "app/session/edits/own_numbers.hpp"
#include "app/session/selecting.hpp"
#include "core/setup/edits.hpp"

namespace headlight {
namespace {

constexpr float usual_row = 26;

/// The source of the numbers in short: "layer.npz:W_q", "0.25", "typed (4, 8)".
std::string source_words(const GivenValue& value) {
  const GivenNumbers& numbers = value.numbers;
  if (const auto& source = numbers.source()) {
    const std::string file = std::filesystem::path(source->path).filename().string();
    return fmt::format("{}{}{}{}", file, source->name.empty() ? "" : ":", source->name, source->steps);
  }
  if (numbers.tensor().shape().rank() == 0) return fmt::format("{:.6g}", numbers.tensor().at({}));
  return fmt::format("by hand {}", numbers.tensor().shape().to_string());
}

std::string source_tip(const GivenValue& value) {
  const auto& source = value.numbers.source();
  return source ? fmt::format("{}\nread from {}", key_of(value), as_known(source->path))
                : fmt::format("{} is in the setup itself", key_of(value));
}

/// One value, with a button that resets it to the lecture's numbers, given or drawn.
void draw_value(SetupRows& rows, const GivenValue& value, const Rect& row, const Values& values, const Values& from) {
  const Canvas& canvas = rows.canvas();
  const Theme& theme = rows.theme();
  Rect rest = row;
  const Rect reset = rest.cut_right(rows.ui().reach(24));
  const std::string key = key_of(value);
  const bool changed = !from.same(value.tensor, values);
  if (changed) changed_dot(canvas, {row.x - 8, row.center().y});
  const float wide = std::min(rest.w * 0.55f, canvas.width(key, TextStyle::mono) + 12);
  canvas.text_in(rest.cut_left(wide), key, TextStyle::mono, theme.text);
  const Item item = rows.ui().item("value", {row.x, row.y, reset.x - row.x - 4, row.h}, {.focusable = false});
  canvas.text_in(rest, source_words(value), TextStyle::control, item.hovered ? theme.text : theme.text2, Align::right);
  rows.ui().tooltip(item, source_tip(value));
  if (item.clicked) Selecting(rows.session()).select_tensor(value.tensor);
  if (icon_button(
          rows.ui(), "reset", reset, Icon::reset,
          {.kind = ButtonKind::quiet, .enabled = changed, .tooltip = changed ? "Reset" : "Given by the lecture"})) {
    Setup next = rows.setup();
    next.values.erase(value.tensor, value.part, value.layer);
    for (const GivenValue& other : from.entries())
      if (key_of(other) == key_of(value)) next.values.set(other);
    rows.edit("values", next);
  }
}

}  // namespace

void draw_values(SetupRows& rows) {
  const Values values = values_beside_model(rows.setup());  // a copy, since a row may change them
  const Values original = original_values(rows.session());
  const Values from = rows.setup().has_model() ? original.parts() : original;
  if (values.empty() && from.empty()) return;
  rows.end_section();
  rows.section(SetupGroup::random, setup_key("values")->label, fmt::format("{}", values.entries().size()));
  const float row_height = rows.ui().reach(usual_row);
  const float height = row_height * static_cast<float>(std::max<std::size_t>(values.entries().size(), 1));
  rows.area(height, [&](const Rect& area) {
    rows.ui().push_id("values");
    Rect rest = area;
    if (values.empty())
      rows.canvas().text_in(rest.cut_top(row_height), "None: you removed the lecture's", TextStyle::control,
                            rows.theme().text3);
    for (const GivenValue& value : values.entries()) {
      rows.ui().push_id(key_of(value));
      draw_value(rows, value, rest.cut_top(row_height), values, from);
      rows.ui().pop_id();
    }
    rows.ui().pop_id();
  });
  if (!(values == from)) {
    rows.area(rows.control_height() + 6, [&](const Rect& area) {
      if (button(rows.ui(), "reset values", {area.x, area.y + 4, area.w, rows.control_height()},
                 from.empty() ? "Reset all" : "Back to the lecture's")) {
        Setup next = rows.setup();
        next.values = original;
        rows.edit("values", next);
      }
    });
  }
}

}  // namespace headlight
