#include <algorithm>
#include <array>
#include <string_view>

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

/// The folders are in memory, as the loader and the program have made them, with the deepest first.
std::string as_known(std::string text) {
  constexpr std::array<std::string_view, 8> folders{"/home/web_user/files/together/",
                                                    "/home/web_user/files/",
                                                    "/home/web_user/Documents/",
                                                    "/home/web_user/Pictures/",
                                                    "/home/web_user/Downloads/",
                                                    "/home/web_user/",
                                                    "/page/",
                                                    "/tmp/"};
  for (const std::string_view folder : folders)
    for (auto at = text.find(folder); at != std::string::npos; at = text.find(folder, at))
      text.erase(at, folder.size());
  return text;
}

}  // namespace headlight
