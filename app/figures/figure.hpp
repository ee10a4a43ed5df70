// The figures that can be drawn into a file, and their size and look.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "app/export/page.hpp"
#include "app/session/display/display.hpp"
#include "app/session/play/curve.hpp"
#include "app/theme_name.hpp"

namespace headlight {

enum class FigureKind : std::uint8_t {
  window,       ///< the whole window, as on the screen
  view,         ///< the view in the centre
  heatmap,      ///< the selected tensor with labels, title and colour bar
  heads,        ///< all heads, with one colour scale
  equation,     ///< how the selected tensor is computed
  tokens,       ///< which query attends to which key
  explanation,  ///< where the selected number comes from and where it goes
  curve,        ///< how the layer learns: its loss and its right answers over the steps
  play,         ///< a number of the trace over a number of the setup
  presenter,    ///< the presenter's window, while the talk keeps to its plan
};
inline constexpr std::array all_figures{
    FigureKind::window, FigureKind::view,        FigureKind::heatmap, FigureKind::heads, FigureKind::equation,
    FigureKind::tokens, FigureKind::explanation, FigureKind::curve,   FigureKind::play,  FigureKind::presenter};
/// Whether it is a whole window, with its panels and controls, and not made to fit what it shows.
inline bool is_window(FigureKind kind) { return kind == FigureKind::window || kind == FigureKind::presenter; }
/// The word for a figure on the command line, "heatmap", and back; nullopt if the word is unknown.
std::string_view to_string(FigureKind kind);
std::optional<FigureKind> figure_named(std::string_view name);

/// A figure to draw. All figures but whole windows are drawn for paper, without panels, controls and narration. Only a
/// pinned cell is highlighted; the equation also highlights the selected cell, because it shows how that number is
/// computed.
struct Figure {
  FigureKind kind = FigureKind::view;
  /// The size of the picture; without one, the size that suits the figure. Content that does not fit is drawn smaller.
  std::optional<PageSize> size;
  /// The space in which it is laid out at first, in design pixels; without one, what suits the figure. It grows until
  /// everything shows, and is trimmed.
  std::optional<PageSize> room;
  /// How much larger everything is drawn. A picture with a size in pixels keeps its size and shows less; without a size
  /// the picture grows.
  double scale = 1;
  double dpi = 300;  ///< pixels per inch, for a size in centimetres
  ThemeName theme = ThemeName::dark;
  bool transparent = false;  ///< no background; not for the window
  bool printed = false;      ///< for paper: negative cells that are too small for a number have a dash
  /// How far the picture is built up, from 0 to 1, for the frames of an animation: of the window, the view and the
  /// equation.
  double built = 1;
  ZoomRanges zoom;                     ///< the cells that large tensors are zoomed to
  std::string played = "temperature";  ///< of the play: the number of the setup, as parse_play reads it
  Measure measure = Measure::cell;     ///< and what is watched over it
};

struct ExportJob;
/// The picture that a job asks for; of an animation one of its frames.
Figure figure_of(const ExportJob& job);

inline constexpr int most_figure_pixels = 16384;  ///< width or height
inline constexpr int least_figure_pixels = 64;

}  // namespace headlight
