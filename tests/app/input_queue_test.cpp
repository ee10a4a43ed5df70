#include <doctest/doctest.h>

#include <string>

#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include "app/platform/surfaces/input_queue.hpp"

using namespace headlight;

namespace {

constexpr KeysGoTo actions = KeysGoTo::actions, nothing = KeysGoTo::nothing, text = KeysGoTo::text;

void press(InputQueue& queue, int key, int action = GLFW_PRESS) { queue.add(KeyChange{key, 0, action, 0}); }
void release(InputQueue& queue, int key) { press(queue, key, GLFW_RELEASE); }
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

/// What a frame gets, briefly: "+5 '5 -5" is the key 5 down, its character, and the key up; "B1" a button down.
std::string frame(InputQueue& queue, KeysGoTo keys) {
  std::string words;
  for (const InputEvent& event : queue.take(keys)) {
    if (!words.empty()) words += ' ';
    if (const auto* button = std::get_if<ButtonChange>(&event)) words += button->action == GLFW_PRESS ? "B1" : "B0";
    else if (const auto* typed = std::get_if<Typed>(&event))
      words += fmt::format("'{}", static_cast<char>(typed->character));
    else {
      const KeyChange& change = std::get<KeyChange>(event);
      const std::string name =
          change.key < 128 ? std::string(1, static_cast<char>(change.key)) : fmt::format("{}", change.key);
      words += (change.action == GLFW_RELEASE ? "-" : change.action == GLFW_REPEAT ? "=" : "+") + name;
    }
  }
  return words;
}

}  // namespace

TEST_CASE("input: a key that may open a field is alone in its frame, and the next one rests") {
  InputQueue queue;
  type(queue, "0.1");
  CHECK(frame(queue, actions) == "+0 '0");
  CHECK(frame(queue, nothing) == "-0");  // a field is about to open
  CHECK(frame(queue, nothing).empty());
  CHECK(queue.waits());
  CHECK(frame(queue, text) == "+. '. -. +1 '1 -1");
  CHECK_FALSE(queue.waits());
}

TEST_CASE("input: two Returns stay two, in frames of their own") {
  InputQueue queue;
  tap(queue, GLFW_KEY_ENTER);
  tap(queue, GLFW_KEY_ENTER);
  CHECK(frame(queue, actions) == "+257");
  CHECK(frame(queue, actions) == "-257");
  CHECK(frame(queue, actions) == "+257");
  CHECK(frame(queue, actions) == "-257");
  CHECK_FALSE(queue.waits());
}

TEST_CASE("input: keys that type nothing keep their place among the characters") {
  InputQueue queue;
  type(queue, "12");
  tap(queue, GLFW_KEY_BACKSPACE);
  type(queue, "3");
  tap(queue, GLFW_KEY_ENTER);
  type(queue, "4");
  CHECK(frame(queue, text) == "+1 '1 -1 +2 '2 -2");
  CHECK(frame(queue, text) == "+259");
  CHECK(frame(queue, text) == "-259 +3 '3 -3");
  CHECK(frame(queue, text) == "+257");
  CHECK(frame(queue, text) == "-257");  // Return ended the typing: what follows goes elsewhere
  CHECK(frame(queue, actions) == "+4 '4");
}

TEST_CASE("input: a shortcut in a text field may open a card, so the next frame rests") {
  InputQueue queue;
  for (const int key : {GLFW_KEY_S, GLFW_KEY_A}) {
    press(queue, GLFW_KEY_LEFT_CONTROL);
    tap(queue, key);
    release(queue, GLFW_KEY_LEFT_CONTROL);
  }
  CHECK(frame(queue, text) == "+341 +S");  // the field that had the keyboard is closed already, which ImGui says late
  CHECK(frame(queue, actions) == "-S -341 +341");
  CHECK(frame(queue, nothing).empty());  // the card's field is about to get the keyboard
  CHECK(frame(queue, text) == "+A");
}

TEST_CASE("input: a click ends before what is typed after it, and begins after what is typed before it") {
  InputQueue queue;
  queue.add(ButtonChange{0, GLFW_PRESS, 0});
  queue.add(ButtonChange{0, GLFW_RELEASE, 0});
  type(queue, "5");
  queue.add(ButtonChange{0, GLFW_PRESS, 0});
  CHECK(frame(queue, actions) == "B1");
  CHECK(frame(queue, actions) == "B0");
  CHECK(frame(queue, actions).empty());
  CHECK(frame(queue, actions) == "+5 '5");
  CHECK(frame(queue, actions) == "-5 B1");
}

TEST_CASE("input: a held key in a slow window is one repetition a frame, and ends when it is released") {
  InputQueue queue;
  press(queue, GLFW_KEY_RIGHT);
  for (int i = 0; i < 9; ++i) press(queue, GLFW_KEY_RIGHT, GLFW_REPEAT);
  release(queue, GLFW_KEY_RIGHT);
  CHECK(frame(queue, actions) == "+262");
  CHECK(frame(queue, actions).empty());
  CHECK(frame(queue, actions) == "=262");
  CHECK(frame(queue, actions) == "-262");
  CHECK_FALSE(queue.waits());
}

TEST_CASE("input: a modifier comes with the key that it modifies") {
  InputQueue queue;
  press(queue, GLFW_KEY_LEFT_CONTROL);
  press(queue, GLFW_KEY_K);
  release(queue, GLFW_KEY_LEFT_CONTROL);
  release(queue, GLFW_KEY_K);
  type(queue, "s");
  CHECK(frame(queue, actions) == "+341 +K");
  CHECK(frame(queue, actions) == "-341 -K");
  CHECK(frame(queue, nothing).empty());
  CHECK(frame(queue, text) == "+s 's -s");
}
