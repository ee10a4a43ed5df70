// Turns what fingers do into what a mouse would have done.
//
//   tap                             a click
//   long press                      the right button, which opens the menu of what is under the finger
//   drag                            the left button and a drag, where something takes it; elsewhere it scrolls,
//                                   and goes on for a moment when the finger leaves in motion
//   long press, then drag           the left button and a drag, where a drag edits
//   two fingers                     pinch to zoom, as Ctrl and the wheel do; move to scroll
//
// While no finger is down and nothing scrolls, nothing is pointed at.
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
enum class DragUse : std::uint8_t {
  none,
  after_rest,  ///< those of a finger that has rested first, as for a menu
  sideways,
  any
};

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
/// After this long what still scrolls has lost all but 1/e of its speed.
inline constexpr double glide_time = 0.325;
/// The speeds between which it goes on, in design pixels per second.
inline constexpr float slowest_glide = 20;
inline constexpr float fastest_glide = 4000;

class Gestures {
 public:
  /// What an event does. `drags`: those that what is under the pointer takes, as the last frame found out
  /// (App::drag_use); a finger is over it for a while before it moves.
  std::vector<Deed> take(const PointerEvent& event, DragUse drags);
  /// What the passing of time does: a finger that rests long enough opens a menu, or begins a drag; and what was set in
  /// motion scrolls on. Call it when `due()` is reached, and in every frame while something glides().
  std::vector<Deed> rest_until(double time, DragUse drags);
  /// When rest_until has something to do; nullopt: not before the next event.
  std::optional<double> due() const;
  /// Whether something scrolls although no finger moves it any more.
  bool glides() const { return state_ == State::gliding; }

 private:
  enum class State : std::uint8_t {
    idle,
    resting,    ///< one finger is down and has not moved
    dragging,   ///< it drags, with the left button down
    scrolling,  ///< it scrolls
    stopping,   ///< one finger has come down on what was gliding: it may scroll on, but clicks nothing
    gliding,    ///< no finger is down, and what has scrolled goes on
    pinching,   ///< two fingers are down
    done        ///< until the last finger is up nothing else happens
  };
  struct Pair {
    Point middle;
    float apart = 0;
  };
  /// Where a finger was that scrolls.
  struct Passed {
    double time = 0;
    Point at;
  };

  std::vector<Deed> take_finger(const PointerEvent& event, DragUse drags);
  std::vector<Deed> put_down(const PointerEvent& event);
  std::vector<Deed> moved(const PointerEvent& event, Point before, DragUse drags);
  std::vector<Deed> lifted(const PointerEvent& event);
  std::vector<Deed> glide_until(double time);
  /// The speed with which a finger leaves, by its last moves.
  Point speed_at(double time) const;
  Pair pair() const;

  State state_ = State::idle;
  std::map<int, Point> fingers_;
  Point start_;
  double since_ = 0;
  Pair pair_;
  std::vector<Passed> way_;  ///< of the finger that scrolls
  Point speed_;              ///< of what glides
  double glided_until_ = 0;
};

}  // namespace headlight
