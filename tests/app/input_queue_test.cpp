#include <doctest/doctest.h>

#include <string>

#include <fmt/format.h>

#include "app/platform/surfaces/input_queue.hpp"

using namespace headlight;

namespace {

constexpr KeysGoTo to_actions = KeysGoTo::actions, nothing = KeysGoTo::nothing, to_field = KeysGoTo::text;

// Numbers of keys, as a window system may have them.
constexpr int enter = 257, backspace = 259, right = 262, control = 341;

Key meaning(int code) {
  return code == enter ? Key::enter : code == backspace ? Key::backspace : code == right ? Key::right : Key::none;
}
void press(InputQueue& queue, int code, KeyMove change = KeyMove::down) {
  queue.add(KeyChange{{meaning(code)}, change, code == control, code});
}
enum class Held { none, ctrl, shift };

void turn(InputQueue& queue, Held held) { queue.add(WheelTurn{0, 1, held == Held::ctrl, held == Held::shift, false}); }
void release(InputQueue& queue, int code) { press(queue, code, KeyMove::up); }
void tap(InputQueue& queue, int key) {
  press(queue, key);
  release(queue, key);
}
/// As a person types it: each key down, its character, and up again.
void type(InputQueue& queue, std::string_view letters) {
  for (const char letter : letters) {
    press(queue, letter);
    queue.add(Typed{static_cast<unsigned char>(letter)});
    release(queue, letter);
  }
}

/// What a frame gets, briefly: "+5 '5 -5" is the key 5 down, its character, and the key up; "B1" a button down; "W" the
/// wheel turned, "Wc" with Ctrl.
std::string frame(InputQueue& queue, KeysGoTo keys, const EffectOfKey& effect = {}) {
  std::string words;
  for (const InputEvent& event : queue.take(keys, effect)) {
    if (!words.empty()) words += ' ';
    if (const auto* button = std::get_if<ButtonChange>(&event)) words += button->down ? "B1" : "B0";
    else if (const auto* typed = std::get_if<Typed>(&event))
      words += fmt::format("'{}", static_cast<char>(typed->character));
    else if (const auto* wheel = std::get_if<WheelTurn>(&event))
      words += fmt::format("W{}{}", wheel->ctrl ? "c" : "", wheel->shift ? "s" : "");
    else {
      const KeyChange& change = std::get<KeyChange>(event);
      const std::string name =
          change.code < 128 ? std::string(1, static_cast<char>(change.code)) : fmt::format("{}", change.code);
      words += (change.change == KeyMove::up ? "-" : change.change == KeyMove::repeat ? "=" : "+") + name;
    }
  }
  return words;
}

}  // namespace

TEST_CASE("input: a key that may open a field is alone in its frame, and the next one rests") {
  InputQueue queue;
  type(queue, "0.1");
  CHECK(frame(queue, to_actions) == "+0 '0");
  CHECK(frame(queue, nothing) == "-0");  // a field is about to open
  CHECK(frame(queue, nothing).empty());
  CHECK(queue.waits());
  CHECK(frame(queue, to_field) == "+. '. -. +1 '1 -1");
  CHECK_FALSE(queue.waits());
}

TEST_CASE("input: what was typed before Ctrl went down is in a frame before it") {
  InputQueue queue;
  type(queue, ".7");
  press(queue, control);
  press(queue, 'q');
  CHECK(frame(queue, to_field) == "+. '. -. +7 '7 -7");
  CHECK(frame(queue, to_field) == "+341 +q");
  CHECK_FALSE(queue.waits());
}

TEST_CASE("input: two Returns stay two, in frames of their own") {
  InputQueue queue;
  tap(queue, enter);
  tap(queue, enter);
  CHECK(frame(queue, to_actions) == "+257");
  CHECK(frame(queue, to_actions) == "-257");
  CHECK(frame(queue, to_actions) == "+257");
  CHECK(frame(queue, to_actions) == "-257");
  CHECK_FALSE(queue.waits());
}

TEST_CASE("input: keys that only move something take a frame each, and one that may open something takes another") {
  InputQueue queue;
  for (int i = 0; i < 3; ++i) tap(queue, right);
  tap(queue, enter);
  tap(queue, right);
  CHECK(frame(queue, to_actions) == "+262");
  CHECK(frame(queue, to_actions) == "-262 +262");
  CHECK(frame(queue, to_actions) == "-262 +262");
  CHECK(frame(queue, to_actions) == "-262 +257");
  CHECK(frame(queue, to_actions) == "-257");
  CHECK(frame(queue, to_actions) == "+262");
  CHECK(frame(queue, to_actions) == "-262");
  CHECK_FALSE(queue.waits());
}

/// As if the arrow moved something, Return might do anything, and other keys did nothing.
KeyEffect effect_for_test(const Chord& chord) {
  return chord.key == Key::right ? KeyEffect::moves : chord.key == Key::enter ? KeyEffect::anything : KeyEffect::none;
}

TEST_CASE("input: keys share a frame where all of them only move something, or all do nothing") {
  InputQueue queue;
  for (int i = 0; i < 3; ++i) tap(queue, right);
  type(queue, "jj");
  tap(queue, enter);
  tap(queue, right);
  press(queue, control);
  tap(queue, right);
  release(queue, control);
  tap(queue, right);
  CHECK(frame(queue, to_actions, effect_for_test) == "+262 -262 +262 -262 +262 -262");
  CHECK(frame(queue, to_actions, effect_for_test) == "+j 'j -j +j 'j -j");
  CHECK(frame(queue, to_actions, effect_for_test) == "+257");
  CHECK(frame(queue, to_actions, effect_for_test) == "-257");
  CHECK(frame(queue, to_actions, effect_for_test) == "+262 -262");
  CHECK(frame(queue, to_actions, effect_for_test) == "+341 +262 -262");  // Ctrl is down to the end of the frame
  CHECK(frame(queue, to_actions, effect_for_test) == "-341 +262 -262");
  CHECK_FALSE(queue.waits());
}

TEST_CASE("input: no frame rests after a key that has opened nothing, but after a click one does") {
  InputQueue queue;
  tap(queue, enter);
  tap(queue, enter);
  CHECK(frame(queue, to_actions) == "+257");
  queue.opened_nothing();
  CHECK(frame(queue, to_actions) == "-257 +257");
  CHECK(frame(queue, to_actions) == "-257");
  queue.add(ButtonChange{0, true});
  tap(queue, enter);
  CHECK(frame(queue, to_actions) == "B1");
  queue.opened_nothing();
  CHECK(frame(queue, to_actions).empty());
  CHECK(frame(queue, to_actions) == "+257");
}

TEST_CASE("input: a text field gets its keys one by one, whatever they would do without it") {
  InputQueue queue;
  for (int i = 0; i < 2; ++i) tap(queue, right);
  CHECK(frame(queue, to_field, effect_for_test) == "+262");
  CHECK(frame(queue, to_field, effect_for_test) == "-262 +262");
  press(queue, right);
  for (int i = 0; i < 3; ++i) press(queue, right, KeyMove::repeat);
  CHECK(frame(queue, to_actions, effect_for_test) == "-262 +262");
  CHECK(frame(queue, to_actions, effect_for_test) == "=262");
}

TEST_CASE("input: keys that type nothing keep their place among the characters") {
  InputQueue queue;
  type(queue, "12");
  tap(queue, backspace);
  type(queue, "3");
  tap(queue, enter);
  type(queue, "4");
  CHECK(frame(queue, to_field) == "+1 '1 -1 +2 '2 -2");
  CHECK(frame(queue, to_field) == "+259");
  CHECK(frame(queue, to_field) == "-259 +3 '3 -3");
  CHECK(frame(queue, to_field) == "+257");
  CHECK(frame(queue, to_field) == "-257");  // Return ended the typing: what follows goes elsewhere
  CHECK(frame(queue, to_actions) == "+4 '4");
}

TEST_CASE("input: a shortcut in a text field may open a card, so the next frame rests") {
  InputQueue queue;
  for (const int key : {'S', 'A'}) {
    press(queue, control);
    tap(queue, key);
    release(queue, control);
  }
  CHECK(frame(queue, to_field) ==
        "+341 +S");  // the field that had the keyboard is closed already, which ImGui says late
  CHECK(frame(queue, to_actions) == "-S -341 +341");
  CHECK(frame(queue, nothing).empty());  // the card's field is about to get the keyboard
  CHECK(frame(queue, to_field) == "+A");
}

TEST_CASE("input: a click ends before what is typed after it, and begins after what is typed before it") {
  InputQueue queue;
  queue.add(ButtonChange{0, true});
  queue.add(ButtonChange{0, false});
  type(queue, "5");
  queue.add(ButtonChange{0, true});
  CHECK(frame(queue, to_actions) == "B1");
  CHECK(frame(queue, to_actions) == "B0");
  CHECK(frame(queue, to_actions).empty());
  CHECK(frame(queue, to_actions) == "+5 '5");
  CHECK(frame(queue, to_actions) == "-5 B1");
}

TEST_CASE("input: a held key in a slow window is one repetition a frame, and ends when it is released") {
  InputQueue queue;
  press(queue, right);
  for (int i = 0; i < 9; ++i) press(queue, right, KeyMove::repeat);
  release(queue, right);
  CHECK(frame(queue, to_actions) == "+262");
  CHECK(frame(queue, to_actions) == "=262");
  CHECK(frame(queue, to_actions) == "-262");
  CHECK_FALSE(queue.waits());
}

TEST_CASE("input: a modifier comes with the key that it modifies") {
  InputQueue queue;
  press(queue, control);
  press(queue, 'K');
  release(queue, control);
  release(queue, 'K');
  type(queue, "s");
  CHECK(frame(queue, to_actions) == "+341 +K");
  CHECK(frame(queue, to_actions) == "-341 -K");
  CHECK(frame(queue, nothing).empty());
  CHECK(frame(queue, to_field) == "+s 's -s");
}

TEST_CASE("input: the wheel has the modifiers of its own time, whatever a late frame finds after it") {
  InputQueue queue;
  turn(queue, Held::none);
  press(queue, control);
  turn(queue, Held::ctrl);
  turn(queue, Held::ctrl);
  release(queue, control);
  turn(queue, Held::shift);
  turn(queue, Held::ctrl);  // a pinch, for which no key goes down
  CHECK(frame(queue, to_actions) == "W");
  CHECK(frame(queue, to_actions) == "+341");
  CHECK(frame(queue, to_actions) == "Wc Wc");
  CHECK(frame(queue, to_actions) == "-341");
  CHECK(frame(queue, to_actions) == "Ws");
  CHECK(frame(queue, to_actions) == "Wc");
  CHECK_FALSE(queue.waits());
}

TEST_CASE("input: the wheel turns in the order of clicks and keys, and no key gets its modifiers") {
  InputQueue queue;
  queue.add(ButtonChange{0, true});
  turn(queue, Held::shift);
  queue.add(ButtonChange{0, false});
  type(queue, "5");
  CHECK(frame(queue, to_actions) == "B1 Ws");
  CHECK(frame(queue, to_actions) == "B0");
  CHECK(frame(queue, to_actions).empty());  // the click may have opened a field
  CHECK(frame(queue, to_field) == "+5 '5 -5");
  type(queue, "6");
  turn(queue, Held::none);
  CHECK(frame(queue, to_field) == "+6 '6 -6");
  CHECK(frame(queue, to_field) == "W");
}
