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

/// The setup with the lecture's number in place of the value.
Setup with_original(Setup setup, const GivenValue& value, const Values& from) {
  setup.values.erase(value.tensor, value.part, value.layer);
  for (const GivenValue& other : from.entries())
    if (key_of(other) == key_of(value)) setup.values.set(other);
  return setup;
}

/// One value, with a button that resets it to the lecture's numbers, given or drawn.
Box value_row(SetupRows& rows, const GivenValue& value, const Values& values, const Values& from) {
  const Theme& theme = rows.theme();
  const bool changed = !from.same(value.tensor, values);
  Box named = row({words(key_of(value), TextStyle::mono, theme.text).ending(60),
                   words(source_words(value), TextStyle::control, theme.text2).ending(60).ended()})
                  .unbroken()
                  .growing()
                  .on([&rows, changed, value](Ui& ui, const Rect& r) {
                    if (changed) changed_dot(ui.canvas(), {r.x - 8, r.center().y});
                    const float high = ui.reach(usual_row);
                    const Item item = ui.item("value", {r.x, r.center().y - high / 2, r.w, high}, {.focusable = false});
                    if (item.hovered) ui.canvas().fill(r.outset(3), ui.theme().hover, 4);
                    ui.tooltip(item, source_tip(value));
                    if (item.clicked) Selecting(rows.session()).select_tensor(value.tensor);
                  });
  const float wide = rows.ui().reach(24);
  Box reset = drawn({wide, wide}, rows.ui().reach(usual_row), [&rows, changed, value, from](Ui& ui, const Rect& r) {
    if (icon_button(
            ui, "reset", r, Icon::reset,
            {.kind = ButtonKind::quiet, .enabled = changed, .tooltip = changed ? "Reset" : "Given by the lecture"}))
      rows.edit("values", with_original(rows.setup(), value, from));
  });
  return row({std::move(named), std::move(reset)}, 4).unbroken().named(key_of(value));
}

}  // namespace

void draw_values(SetupRows& rows) {
  const Values values = values_beside_model(rows.setup());
  const Values original = original_values(rows.session());
  const Values from = rows.setup().has_model() ? original.parts() : original;
  if (values.empty() && from.empty()) return;
  rows.end_section();
  rows.section(SetupGroup::random, setup_key("values")->label, fmt::format("{}", values.entries().size()));
  Boxes all;
  for (const GivenValue& value : values.entries()) all.push_back(value_row(rows, value, values, from));
  if (values.empty())
    all.push_back(words("None: you removed the lecture's", TextStyle::control, rows.theme().text3).high(usual_row));
  rows.add(column(std::move(all)).named("values"));
  if (values == from) return;
  rows.add(space(4));
  rows.area(rows.control_height(), [&rows, original, any = !from.empty()](const Rect& area) {
    if (!button(rows.ui(), "reset values", area, any ? "Back to the lecture's" : "Reset all")) return;
    Setup next = rows.setup();
    next.values = original;
    rows.edit("values", next);
  });
  rows.add(space(2));
}

}  // namespace headlight
