// What panels are made of besides words and controls: boxes that several panels have.
#pragma once

#include <functional>
#include <string>

#include "app/boxes/box.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

/// Left free on both sides of a panel of boxes.
inline constexpr float panel_padding = 20;

/// A rule across the panel, a title, quiet words on the right, and what is below them. `padding` is that of the panel.
Box section(ViewContext& context, std::string title, std::string right, Boxes of, float padding = panel_padding);
Box icon_box(Icon icon, Color ink, float thickness = 1.5f);
/// A button as wide as its label needs; buttons that grow share a row.
Box button_box(ViewContext& context, std::string id, std::string label, const ButtonOptions& options,
               std::function<void()> act);

}  // namespace headlight
