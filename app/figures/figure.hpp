// What can be taken away as a picture, and how large.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "app/export/page.hpp"
#include "app/theme_name.hpp"

namespace headlight {

enum class FigureKind : std::uint8_t {
  window,       ///< everything, as on the screen
  view,         ///< the view in the centre
  heatmap,      ///< the selected tensor with labels, title and colour bar
  heads,        ///< all heads on one scale
  equation,     ///< how the selected tensor comes about
  tokens,       ///< who looks at whom
  explanation,  ///< where the selected number comes from and where it goes
};
inline constexpr std::array all_figures{FigureKind::window,     FigureKind::view,     FigureKind::heatmap,
                                        FigureKind::heads,      FigureKind::equation, FigureKind::tokens,
                                        FigureKind::explanation};
/// "heatmap": the word of the command line.
std::string_view to_string(FigureKind kind);
std::optional<FigureKind> figure_named(std::string_view name);

struct CellRange {
  double from = 0;  ///< cells, with fractions as on the screen
  double to = 0;
};

/// All but the window are drawn for paper: no panels, no controls, no narration. The equation lights the selected
/// number, which it is about, as the screen does; in the others no cell is lit that nobody pinned.
struct Figure {
  FigureKind kind = FigureKind::view;
  /// Without, as large as the figure asks for. What does not fit is drawn smaller until it does.
  std::optional<PageSize> size;
  /// How much larger everything is drawn. With a size in pixels the picture keeps it, and less stands in it; without a
  /// size the picture grows.
  double scale = 1;
  double dpi = 300;  ///< pixels of a size in centimetres
  ThemeName theme = ThemeName::dark;
  bool transparent = false;  ///< nothing behind it; not for the window
  /// The part of the large pictures that is shown, by ZoomAxis; everything without.
  std::array<std::optional<CellRange>, 3> zoom;
};

inline constexpr int most_figure_pixels = 16384;  ///< along a side
inline constexpr int least_figure_pixels = 64;

}  // namespace headlight
