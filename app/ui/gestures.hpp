// Turns what fingers do into what a mouse would have done.
//
//   tap                             a click
//   long press                      the right button, which opens the menu of what is under the finger
//   drag                            the left button and a drag, where something takes it; elsewhere it scrolls
//   two fingers                     pinch to zoom, as Ctrl and the wheel do; move to scroll
//
// While no finger is down, nothing is pointed at.
// A window gives it the pointer events of its system, mice included, and does what comes back: in order, and each
// change of a button in a frame of its own, as InputQueue does. Positions and distances are in design pixels, times in
// seconds. Nothing here knows the window or Dear ImGui: the same events always give the same results.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "app/ui/drawing/geometry.hpp"

namespace headlight {

/// The drags that something takes; a finger that moves otherwise scrolls.
enum class DragUse : std::uint8_t { none, sideways, any };

struct PointerEvent {
  enum class Kind : std::uint8_t {
    down,
    move,
    up,
    cancel  ///< the system has taken the pointer away: nothing is clicked
  };
  Kind kind = Kind::move;
  bool touch = false;  ///< a finger; a mouse or a pen has what it does passed on
  int id = 0;          ///< of the finger
  Point at;
  double time = 0;
  int button = 0;  ///< of a mouse: 0 the left one, 1 the right one, 2 the middle one
};

/// The pointer is there now.
struct PointTo {
  Point at;
  friend bool operator==(const PointTo&, const PointTo&) = default;
};
/// A button goes down or up.
struct PressButton {
  int button = 0;
  bool down = false;
  friend bool operator==(const PressButton&, const PressButton&) = default;
};
/// What is under the pointer scrolls with the fingers: positive moves the content to the right and down.
struct ScrollBy {
  Point by;
  friend bool operator==(const ScrollBy&, const ScrollBy&) = default;
};
/// Zooms about the pointer: how many times as large.
struct ZoomBy {
  float factor = 1;
  friend bool operator==(const ZoomBy&, const ZoomBy&) = default;
};
using Deed = std::variant<PointTo, PressButton, ScrollBy, ZoomBy>;

/// How far a finger may stray and still rest: it never holds quite still.
inline constexpr float finger_strays = 10;
/// How long it rests to open a menu.
inline constexpr double long_press = 0.5;

class Gestures {
 public:
  /// What an event does. `drags`: those that what is under the pointer takes, as the last frame found out
  /// (App::drag_use); a finger is over it for a while before it moves.
  std::vector<Deed> take(const PointerEvent& event, DragUse drags);
  /// What the passing of time does: a finger that rests long enough opens a menu. Call it when `due()` is reached.
  std::vector<Deed> rest_until(double time);
  /// When rest_until has something to do; nullopt: not before the next event.
  std::optional<double> due() const;

 private:
  enum class State : std::uint8_t {
    idle,
    resting,    ///< one finger is down and has not moved
    dragging,   ///< it drags, with the left button down
    scrolling,  ///< it scrolls
    pinching,   ///< two fingers are down
    done        ///< until the last finger is up nothing else happens
  };
  struct Pair {
    Point middle;
    float apart = 0;
  };

  std::vector<Deed> take_finger(const PointerEvent& event, DragUse drags);
  std::vector<Deed> put_down(const PointerEvent& event);
  std::vector<Deed> moved(const PointerEvent& event, Point before, DragUse drags);
  std::vector<Deed> lifted(bool cancelled);
  Pair pair() const;

  State state_ = State::idle;
  std::map<int, Point> fingers_;
  Point start_;
  double since_ = 0;
  Pair pair_;
};

}  // namespace headlight
