// A font as a file in memory.
#pragma once

#include <span>
#include <string_view>

namespace headlight {

struct FontFace {
  std::string_view family;  ///< "Inter"
  int weight = 400;         ///< 400 regular, 500 medium, 600 semibold
  bool monospaced = false;
  std::span<const unsigned char> file;
  int index = 0;  ///< of the face in a file that holds several
};

}  // namespace headlight
