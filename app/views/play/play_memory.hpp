// The number that the user plays with. Like playing a lecture, it is neither undone nor saved, but the edits that it
// makes are.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/session/play/curve.hpp"
#include "app/session/play/number.hpp"
#include "app/views/base/later.hpp"

namespace headlight {

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

}  // namespace headlight
