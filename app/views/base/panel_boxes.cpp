#include "app/views/base/panel_boxes.hpp"

#include <utility>

namespace headlight {

Box section(ViewContext& context, std::string title, std::string right, Boxes of, float padding) {
  const Theme& theme = context.ui.theme();
  Box head = row({words(std::move(title), TextStyle::control_strong, theme.text),
                  words(std::move(right), TextStyle::control, theme.text3).ended()},
                 12)
                 .inset(0, 9)
                 .on([&theme, padding](Ui& ui, const Rect& r) {
                   ui.canvas().fill({r.x - padding, r.y, r.w + 2 * padding, 1}, theme.line);
                 });
  Boxes all{space(12), std::move(head)};
  for (Box& each : of) all.push_back(std::move(each));
  return column(std::move(all));
}

Box icon_box(Icon icon, Color ink, float thickness) {
  return drawn({16, 16}, 16, [icon, ink, thickness](Ui& ui, const Rect& r) {
    ui.canvas().icon(icon, {r.x, r.center().y - 8}, ink, thickness);
  });
}

Box button_box(ViewContext& context, std::string id, std::string label, const ButtonOptions& options,
               std::function<void()> act) {
  const float wide = context.ui.canvas().width(label, TextStyle::control_strong) + 24;
  return drawn({wide, wide}, context.ui.reach(28),
               [id = std::move(id), label = std::move(label), options, act = std::move(act)](Ui& ui, const Rect& r) {
                 if (button(ui, id, r, label, options)) act();
               });
}

}  // namespace headlight
