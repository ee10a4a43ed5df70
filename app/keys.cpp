#include "app/keys.hpp"

#include <array>

namespace headlight {
namespace {

using namespace std::string_literals;

constexpr std::array<const char*, 23> named_keys{
    "←",         "→",      "↑",      "↓", "Page Up", "Page Down", "Home", "End", "Space", "Enter", "Esc", "Tab",
    "Backspace", "Delete", "Insert", "[", "]",       "−",         "=",    ",",   ".",     "/",     "Menu"};

int distance(Key from, Key to) { return static_cast<int>(to) - static_cast<int>(from); }

}  // namespace

std::string to_string(Key key) {
  if (key == Key::none) return {};
  if (key <= Key::z) return {static_cast<char>('A' + distance(Key::a, key))};
  if (key <= Key::digit_9) return {static_cast<char>('0' + distance(Key::digit_0, key))};
  if (key <= Key::f12) return "F"s + std::to_string(1 + distance(Key::f1, key));
  return named_keys[static_cast<std::size_t>(distance(Key::left, key))];
}

std::string to_string(const Chord& chord) {
  std::string text;
  if (chord.ctrl) text += "Ctrl+";
  if (chord.alt) text += "Alt+";
  if (chord.shift) text += "Shift+";
  return text + to_string(chord.key);
}

}  // namespace headlight
