// A person's key presses, clicks and turns of the wheel, in order, until a frame can take them. A frame that comes late
// finds several key presses at once, and one of them may open a field for the next: everything waits until what came
// before it has taken effect.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <variant>
#include <vector>

#include "app/keys.hpp"
#include "app/ui/drawing/geometry.hpp"

namespace headlight {

enum class KeyMove : std::uint8_t { down, repeat, up };

/// A mouse button that went down or up: 0 the left one, 1 the right one, 2 the middle one.
struct ButtonChange {
  int button;
  bool down;
  bool second = false;           ///< it belongs to the second click of a double click, whenever a frame gets it
  std::optional<Point> at = {};  ///< where the pointer was, which may be elsewhere when a frame gets it
};

/// A key that went down or up, or that repeats.
struct KeyChange {
  Chord chord;  ///< its key is none where that means nothing to Headlight
  KeyMove change;
  bool modifies = false;  ///< it is Shift, Ctrl and the like
  int code = 0;           ///< the window system's number of the key, to tell apart those that are none
};

/// A character that was typed; it follows the key that typed it.
struct Typed {
  unsigned character;
};

/// The wheel turned, while these modifiers were down. A pinch on a touchpad counts as Ctrl, though no key is.
struct WheelTurn {
  float x;
  float y;
  bool ctrl;
  bool shift;
  bool alt;
};

using InputEvent = std::variant<ButtonChange, KeyChange, Typed, WheelTurn>;

/// Where keys go in the next frame.
enum class KeysGoTo : std::uint8_t {
  actions,  ///< each key may do anything, also open a field
  nothing,  ///< a text field is about to get the keyboard: keys wait for it
  text      ///< a text field has the keyboard
};

using EffectOfKey = std::function<KeyEffect(const Chord&)>;

class InputQueue {
 public:
  void add(const InputEvent& event) { events_.push_back(event); }
  /// Adds a button that went down or up, and tells a double click from two clicks: frames may come too late to tell.
  void press(int button, bool down, double now, std::optional<Point> at);
  /// Whether something waits for a later frame.
  bool waits() const { return !events_.empty(); }

  /// Takes what the next frame gets, in order:
  /// - one change of each mouse button, because ImGui would miss a click that begins and ends in one frame;
  /// - without a text field, one key press, or all in a row of one effect that opens nothing (KeyEffect); none in the
  ///   frame after a button or a key that may have opened something, so that this is there first;
  /// - with a text field, all characters up to the next key that types none, or else one such key;
  /// - keys or turns of the wheel, and only turns with the same modifiers, which hold for a whole frame;
  /// - one repetition of a key that is held down, so that a slow window stops when the key is released.
  /// `effect` says what a key would do if there is no text field; without it, any key may do anything.
  std::vector<InputEvent> take(KeysGoTo keys, const EffectOfKey& effect = {});
  /// The keys of the last frame have opened nothing, so no frame has to pass before the next one.
  void opened_nothing() { settling_ = settling_ && clicked_last_; }

 private:
  std::deque<InputEvent> events_;
  bool settling_ = false;      ///< the last frame got something that may have opened a field
  bool clicked_last_ = false;  ///< a button among it
  int clicked_ = -1;           ///< the button of the last click
  double clicked_at_ = 0;
  bool second_click_ = false;
};

}  // namespace headlight
