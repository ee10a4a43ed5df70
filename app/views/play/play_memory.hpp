// The number that somebody plays with. Like playing a lecture, it is neither undone nor saved; the edits that it makes
// are.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/session/play/curve.hpp"
#include "app/session/play/number.hpp"
#include "app/views/base/later.hpp"

namespace headlight {

struct Play {
  PlayNumber number;                    ///< as it was when it came onto the stage
  std::shared_ptr<const Trace> before;  ///< the state at that time, which the pictures show as a ghost
  Measure measure = Measure::cell;
  bool sweeping = false;
  double speed = 1;   ///< 1: there and back in eight seconds
  double way = 0;     ///< from 0 at the low end over 1 at the high end to 2, back again
  bool fresh = true;  ///< its slider has not had the keyboard yet
};

/// What a curve depends on. The setup has the number's lowest value, so that playing does not change it.
struct CurveKey {
  Setup rest;
  PlayNumber number;
  Measure measure = Measure::cell;
  Selection place;

  friend bool operator==(const CurveKey&, const CurveKey&) = default;
};

struct PlayMemory {
  std::optional<Play> play;
  Later<CurveKey, Curve> curve;
};

}  // namespace headlight
