#include "app/platform/surfaces/input_queue.hpp"

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <iterator>
#include <utility>

namespace headlight {
namespace {

constexpr std::size_t most_buttons = 8;

/// Moves the caret or deletes, so that the text field surely keeps the keyboard. Any other key may end the typing, or
/// open a card with a field of its own.
bool edits_text(Key key) {
  switch (key) {
    case Key::backspace:
    case Key::delete_forward:
    case Key::left:
    case Key::right:
    case Key::up:
    case Key::down:
    case Key::page_up:
    case Key::page_down:
    case Key::home:
    case Key::end: return true;
    default: return false;
  }
}

/// Only moves a selection or a step: it opens nothing that the next key may be for.
bool only_moves(const Chord& chord) {
  const bool erases = chord.key == Key::backspace || chord.key == Key::delete_forward;
  return edits_text(chord.key) && !erases && !chord.ctrl && !chord.alt;
}

bool same_modifiers(const WheelTurn& a, const WheelTurn& b) {
  return a.ctrl == b.ctrl && a.shift == b.shift && a.alt == b.alt;
}

bool is_repeat_of(const InputEvent& event, const KeyChange& key) {
  const auto* change = std::get_if<KeyChange>(&event);
  return change != nullptr && change->change == KeyMove::repeat && change->chord.key == key.chord.key &&
         change->code == key.code;
}

/// A frame's share of the queue, as it is taken.
class Share {
 public:
  Share(KeysGoTo keys, const EffectOfKey& effect, bool settling)
      : keys_(keys), effect_of_(effect), settling_(settling) {}

  /// Whether the frame can also get the first of these events. If not, it and all that follow wait.
  bool has_room_for(const std::deque<InputEvent>& events) const {
    if (const auto* button = std::get_if<ButtonChange>(&events.front()))
      return !has_key_ && !buttons_.test(static_cast<std::size_t>(button->button));
    if (const auto* turn = std::get_if<WheelTurn>(&events.front()))
      return !has_change_ && (!turned_ || same_modifiers(*turned_, *turn));
    if (const auto* key = std::get_if<KeyChange>(&events.front())) {
      if (turned_) return false;
      const bool joined = keys_ == KeysGoTo::actions && has_key_;
      // Ctrl+A is no longer that once Ctrl is up.
      if (key->change == KeyMove::up) return !is_full_ && !(key->modifies && joined);
      // A field takes no characters in a frame in which Ctrl is held, though they were typed before it.
      if (key->modifies) return !has_key_;
    }
    if (keys_ == KeysGoTo::nothing || settling_ || buttons_.any()) return false;
    if (keys_ == KeysGoTo::actions) return !has_key_ || joins(events.front());
    return !has_key_ || (!is_full_ && types(events));
  }

  void add(const std::deque<InputEvent>& events) {
    const InputEvent& event = events.front();
    if (const auto* button = std::get_if<ButtonChange>(&event)) {
      buttons_.set(static_cast<std::size_t>(button->button));
      settles_ = true;
    } else if (const auto* turn = std::get_if<WheelTurn>(&event)) {
      turned_ = *turn;
    } else if (const auto* key = std::get_if<KeyChange>(&event)) {
      has_change_ = true;
      if (key->change == KeyMove::up || key->modifies) return taken.push_back(event);
      has_key_ = true;
      if (keys_ == KeysGoTo::text && types(events)) return taken.push_back(event);
      effect_ = effect_of(*key);
      is_full_ = effect_ == KeyEffect::anything;
      const bool opens_nothing = keys_ == KeysGoTo::actions ? only_moves(key->chord) : edits_text(key->chord.key);
      settles_ = settles_ || (is_full_ && !opens_nothing);
    } else {
      has_key_ = true;
    }
    taken.push_back(event);
  }

  bool settles() const { return settles_; }
  bool has_button() const { return buttons_.any(); }

  std::vector<InputEvent> taken;

 private:
  /// Text fields and repetitions of a held key get one at a time.
  KeyEffect effect_of(const KeyChange& key) const {
    const bool alone = keys_ != KeysGoTo::actions || key.change == KeyMove::repeat || !effect_of_;
    return alone ? KeyEffect::anything : effect_of_(key.chord);
  }
  /// Whether nothing depends on the frame that separates this key from those before it.
  bool joins(const InputEvent& event) const {
    const auto* key = std::get_if<KeyChange>(&event);
    return key != nullptr && effect_ != KeyEffect::anything && effect_of(*key) == effect_;
  }
  /// Whether the first event is a character, or a key that types one.
  static bool types(const std::deque<InputEvent>& events) {
    if (std::holds_alternative<Typed>(events.front())) return true;
    return events.size() > 1 && std::holds_alternative<Typed>(events[1]);
  }

  KeysGoTo keys_;
  const EffectOfKey& effect_of_;
  KeyEffect effect_ = KeyEffect::anything;  ///< of its keys
  bool settling_;
  bool settles_ = false;
  bool has_key_ = false;     ///< a key that went down, or a character
  bool has_change_ = false;  ///< a key that went down or up, or a modifier
  bool is_full_ = false;     ///< it has a key that nothing may follow in this frame
  std::bitset<most_buttons> buttons_;
  std::optional<WheelTurn> turned_;  ///< the last one
};

}  // namespace

void InputQueue::press(int button, bool down, double now, std::optional<Point> at) {
  constexpr double double_click = 0.6;
  if (down) {
    second_click_ = button == clicked_ && now - clicked_at_ < double_click && !second_click_;
    clicked_ = button;
    clicked_at_ = now;
  }
  add(ButtonChange{button, down, second_click_, at});
}

std::vector<InputEvent> InputQueue::take(KeysGoTo keys, const EffectOfKey& effect) {
  Share share(keys, effect, std::exchange(settling_, false));
  while (!events_.empty() && share.has_room_for(events_)) {
    share.add(events_);
    const auto* key = std::get_if<KeyChange>(&events_.front());
    const bool repeats = key != nullptr && key->change == KeyMove::repeat;
    const KeyChange repeated = repeats ? *key : KeyChange{};
    const bool is_key = key != nullptr;
    events_.pop_front();
    // The characters of a key belong to it, also where only one key is taken.
    while (is_key && !events_.empty() && std::holds_alternative<Typed>(events_.front())) {
      share.taken.push_back(events_.front());
      events_.pop_front();
    }
    if (!repeats) continue;
    const auto other =
        std::ranges::find_if_not(events_, [&](const InputEvent& e) { return is_repeat_of(e, repeated); });
    events_.erase(events_.begin(), other);
  }
  settling_ = share.settles();
  clicked_last_ = share.has_button();
  return std::move(share.taken);
}

}  // namespace headlight
