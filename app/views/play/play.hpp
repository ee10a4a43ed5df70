// Playing with a number of the setup: a large slider at the bottom of the view that sweeps back and forth by itself,
// the state before as a ghost, and a small curve of a measure over the number.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/session/play/curve.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/later.hpp"
#include "app/views/base/view_context.hpp"
#include "core/setup/play_number.hpp"

namespace headlight {

/// The number that the user plays with. Like playing a lecture, it is neither undone nor saved, but the edits that it
/// makes are.
struct Play {
  PlayNumber number;                    ///< as it was when the play began
  std::shared_ptr<const Trace> before;  ///< the state at that time, shown as a ghost in pictures
  Measure measure = Measure::cell;
  bool sweeping = false;
  double speed = 1;   ///< 1: there and back in eight seconds
  double phase = 0;   ///< 0 at the low end, 1 at the high end, 2 at the low end again
  bool fresh = true;  ///< its slider has not had the keyboard yet
};

/// Everything that a curve depends on. The setup has the number's lowest value, so that playing does not change the
/// key.
struct CurveKey {
  Setup rest;
  PlayNumber number;
  Measure measure = Measure::cell;
  Selection selection;

  friend bool operator==(const CurveKey&, const CurveKey&) = default;
};

struct PlayMemory {
  std::optional<Play> play;
  Later<CurveKey, Curve> curve;
};

/// Starts to play with the number; shows a notice if the key names none.
void begin_play(ViewContext& context, std::string_view key);

/// Whether a number is being played, so that a strip shows.
bool is_playing_number(ViewContext& context);

/// Cuts the strip off the bottom of the area and draws it, if a number is being played.
void draw_play(ViewContext& context, Rect& area);

/// Draws the curve from the lowest to the highest number, with a mark at the setup and a fainter one at the state
/// `before`, which may be null. On the screen it has buttons that copy and export it; a figure shows the ends of the
/// measure's axis instead.
void draw_play_curve(ViewContext& context, Rect area, const PlayNumber& number, Measure measure, const Trace* before);

}  // namespace headlight
