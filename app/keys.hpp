// Keys and their modifiers, independent of the window system and the UI library, for the action table, the window and
// the tests.
#pragma once

#include <cstdint>
#include <string>

namespace headlight {

/// What a key would do as things are.
enum class KeyEffect : std::uint8_t {
  none,     ///< nothing that a later frame needs: it is nobody's, or it takes a picture of this frame
  moves,    ///< moves the selection or the step: it opens nothing that the next key may be for
  changes,  ///< changes a setting or a colour: step and view stay, so the next key is for what it was for
  anything  ///< it may open what the next key is for
};

/// Letters and digits are named as on a US layout.
enum class Key : std::uint8_t {
  none,
  a,
  b,
  c,
  d,
  e,
  f,
  g,
  h,
  i,
  j,
  k,
  l,
  m,
  n,
  o,
  p,
  q,
  r,
  s,
  t,
  u,
  v,
  w,
  x,
  y,
  z,
  digit_0,
  digit_1,
  digit_2,
  digit_3,
  digit_4,
  digit_5,
  digit_6,
  digit_7,
  digit_8,
  digit_9,
  f1,
  f2,
  f3,
  f4,
  f5,
  f6,
  f7,
  f8,
  f9,
  f10,
  f11,
  f12,
  left,
  right,
  up,
  down,
  page_up,
  page_down,
  home,
  end,
  space,
  enter,
  escape,
  tab,
  backspace,
  delete_forward,
  insert,
  left_bracket,
  right_bracket,
  minus,
  equal,
  comma,
  period,
  slash,
  menu,  ///< the key that opens a context menu
};

/// A key with its modifiers: Ctrl+Shift+Z.
struct Chord {
  Key key = Key::none;
  bool ctrl = false;
  bool shift = false;
  bool alt = false;

  friend bool operator==(const Chord&, const Chord&) = default;
};

/// A key or a chord as written in menus and on key caps: "Ctrl+Shift+Z", "[", "F1", "←".
std::string to_string(Key key);
std::string to_string(const Chord& chord);

}  // namespace headlight
