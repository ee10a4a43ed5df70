#include "app/views/base/view_header.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/display/display_entries.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/controls/entry_control.hpp"
#include "app/ui/controls/value_controls.hpp"

namespace headlight {

void draw_tensor_choice(ViewContext& context, const Rect& r, std::span<const TensorId> tensors, TensorId shown) {
  std::vector<std::string> names;
  int index = 0;
  for (TensorId tensor : tensors) {
    if (tensor == shown) index = static_cast<int>(names.size());
    names.emplace_back(name(tensor));
  }
  if (select(context.ui, "tensor", r, names, index, {.mono = true, .tooltip = "The tensor to show"}))
    Selecting(context.session).select_tensor(tensors[static_cast<std::size_t>(index)]);
}

void draw_batch_choice(ViewContext& context, const Rect& r) {
  const Index items = context.session.setup().sizes.batch;
  if (items < 2) return;
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  const std::string of = fmt::format("of {}", items);
  Rect rest = r;
  canvas.text_in(rest.cut_left(74), "batch item", TextStyle::control, theme.text2);
  canvas.text_in(rest.cut_right(canvas.width(of, TextStyle::control) + 6), of, TextStyle::control, theme.text2,
                 Align::right);
  long long item = context.session.selection().batch;
  if (stepper(context.ui, "batch", rest, item, 0, items - 1, {.tooltip = "Counted from 0"}))
    Selecting(context.session).select_batch(item);
}

void draw_order_choice(ViewContext& context, Rect r) {
  const Canvas canvas = context.ui.canvas();
  if (r.w > 400) canvas.text_in(r.cut_left(64), "Order by", TextStyle::control, canvas.theme().text2);
  draw_display_entry(context, r, "head_order");
}

void draw_display_entry(ViewContext& context, const Rect& r, std::string_view name) {
  const Display& display = context.session.display();
  if (const ControlEdit edit = draw_control(context.ui, r, display_entry(name).control(display)))
    context.session.set_display(with_choice(display, name, *edit.input));
}

}  // namespace headlight
