// The figures that can be drawn into a file, and their size and look.
#pragma once

#include <optional>
#include <string>

#include "app/appearance.hpp"
#include "app/export/vector_picture.hpp"
#include "app/session/display/display.hpp"
#include "app/session/play/curve.hpp"
#include "app/session/state/request.hpp"

namespace headlight {

/// A figure to draw. All figures but whole windows are drawn for paper, without panels, controls and narration. Only a
/// pinned cell is highlighted; the equation also highlights the selected cell, because it shows how that number is
/// computed.
struct Figure {
  ExportWhat what = ExportWhat::view;  ///< one of the pictures
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

}  // namespace headlight
