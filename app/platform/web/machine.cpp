#include <algorithm>
#include <array>

#include "app/machine.hpp"

namespace headlight {

const Machine& machine() {
  static constexpr Machine browser{.has_folders = false, .quits = false, .has_monitors = false, .writes_pdf = false};
  return browser;
}

/// The keys by which people find, print, reload, go back, and open tabs, windows and the browser's own tools.
bool is_taken(const Chord& chord) {
  constexpr std::array always{Key::f3, Key::f5, Key::f6, Key::f12};
  constexpr std::array with_ctrl{Key::d, Key::f, Key::l, Key::n,   Key::p,       Key::q,
                                 Key::r, Key::t, Key::w, Key::tab, Key::page_up, Key::page_down};
  constexpr std::array with_ctrl_and_shift{Key::i, Key::n,   Key::p,       Key::r,        Key::t,
                                           Key::w, Key::tab, Key::page_up, Key::page_down};
  constexpr std::array with_alt{Key::left, Key::right, Key::home};
  const auto among = [&](const auto& keys) { return std::ranges::find(keys, chord.key) != keys.end(); };
  if (among(always)) return true;
  if (chord.ctrl && chord.alt) return false;
  if (chord.ctrl) return chord.shift ? among(with_ctrl_and_shift) : among(with_ctrl);
  return chord.alt && among(with_alt);
}

}  // namespace headlight
