#include "app/ui/drawing/theme.hpp"

#include <cmath>

namespace headlight {
namespace {

constexpr Theme dark_theme{
    .name = ThemeName::dark,
    .canvas = hex("#0D0F12"),
    .panel = hex("#14171B"),
    .raised = hex("#1B1F25"),
    .field = hex("#0F1215"),
    .hover = hex("#232830"),
    .line = hex("#262B32"),
    .line_strong = hex("#3A414B"),
    .control = hex("#646D79"),
    .outline = hex("#727C89"),
    .text = hex("#ECEEF1"),
    .text2 = hex("#B4BBC4"),
    .text3 = hex("#8D96A1"),
    .lamp = hex("#FFF0C9"),
    .lamp_ink = hex("#17140A"),
    .query = hex("#BFB2FC"),
    .key = hex("#7EE3D0"),
    .value = hex("#E589B6"),
    .output = hex("#E6D17A"),
    .ok = hex("#72D97C"),
    .error = hex("#F86B60"),
    .changed = hex("#FAB45F"),
    .mask_background = hex("#14171B"),
    .mask_ink = hex("#67717D"),
    .weights =
        color_map({"#121219", "#1D2742", "#1F4368", "#1B6388", "#27849F", "#47A0AE", "#78BFBE", "#AEDAD1", "#E6F2ED"}),
    .positive =
        color_map({"#252222", "#462822", "#633627", "#7F472D", "#9A5B33", "#B4703A", "#CC8742", "#E4A04B", "#FABA57"}),
    .negative =
        color_map({"#222325", "#293147", "#344465", "#3F5982", "#4A6F9E", "#5587BA", "#5F9FD5", "#6BB9EF", "#86D2FF"}),
    .quiet_towards_canvas = 0.64,
};

constexpr Theme light_theme{
    .name = ThemeName::light,
    .canvas = hex("#F3F4F1"),
    .panel = hex("#FBFBF9"),
    .raised = hex("#FFFFFF"),
    .field = hex("#FFFFFF"),
    .hover = hex("#ECEDE9"),
    .line = hex("#DFE1DC"),
    .line_strong = hex("#C3C7C1"),
    .control = hex("#868D89"),
    .outline = hex("#7C837F"),
    .text = hex("#16191C"),
    .text2 = hex("#474D53"),
    .text3 = hex("#61686E"),
    .lamp = hex("#16191C"),
    .lamp_ink = hex("#FFFFFF"),
    .query = hex("#5F45A6"),
    .key = hex("#026359"),
    .value = hex("#B73A80"),
    .output = hex("#796B0D"),
    .ok = hex("#247631"),
    .error = hex("#920C08"),
    .changed = hex("#9E5701"),
    .mask_background = hex("#F6F6F3"),
    .mask_ink = hex("#868D89"),
    .weights =
        color_map({"#F4FBF8", "#BDE5E1", "#8ACAD1", "#60ADC2", "#448DB0", "#38719A", "#31527B", "#2A3757", "#1D1F31"}),
    .positive =
        color_map({"#FBFAF9", "#F5E4D2", "#ECCDB1", "#E3B691", "#D99E74", "#CE8658", "#C36D3E", "#B65423", "#A93800"}),
    .negative =
        color_map({"#F9FAFB", "#D6EAF9", "#B7D8F2", "#9BC5EA", "#81B1E2", "#689DD8", "#5389CE", "#3F74C4", "#305EB8"}),
    .quiet_towards_canvas = 0.55,
};

Color grey_of_equal_luminance(Color color) {
  const double light = luminance(color);
  const double v = light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
  const auto level = static_cast<std::uint8_t>(std::lround(255 * v));
  return {level, level, level, color.a};
}

}  // namespace

Color Theme::identity(Role role, Color if_neutral) const {
  switch (role) {
    case Role::query: return query;
    case Role::key: return key;
    case Role::value: return value;
    case Role::output: return output;
    case Role::neutral: break;
  }
  return if_neutral;
}

Color Theme::quiet(Color cell) const {
  return mix(mix(cell, grey_of_equal_luminance(cell), quiet_towards_grey), canvas, quiet_towards_canvas);
}

Color Theme::number_on_quiet(Color quiet_cell) const {
  const Color soft = dark() ? hex("#C6CBD2") : text2;
  return contrast(soft, quiet_cell) >= 4.5 ? soft : number_on(quiet_cell);
}

const Theme& theme(ThemeName name) { return name == ThemeName::dark ? dark_theme : light_theme; }

Color number_on(Color cell) {
  constexpr Color white{255, 255, 255, 255};
  constexpr Color black{0, 0, 0, 255};
  return contrast(white, cell) >= contrast(black, cell) ? white : black;
}

}  // namespace headlight
