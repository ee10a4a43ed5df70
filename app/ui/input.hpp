// What a person did since the last frame, beyond the mouse and the text that Dear ImGui handles itself.
#pragma once

#include <filesystem>
#include <vector>

#include "app/keys.hpp"

namespace headlight {

struct KeyPress {
  Chord chord;
  bool repeated = false;  ///< the key is held down

  friend bool operator==(const KeyPress&, const KeyPress&) = default;
};

struct Input {
  std::vector<KeyPress> keys;
  std::vector<std::filesystem::path> dropped_files;
  bool wants_to_close = false;  ///< the person closed the window
};

}  // namespace headlight
