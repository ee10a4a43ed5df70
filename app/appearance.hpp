// The names of the themes and of the colour maps, for session and interface. A new colour map is a row here: its name
// in files and on narrow controls, its name in lists, and nine colours from the smallest number to the largest.
//
// safe looks the same to people who see no red or no green, and its order can be read even without colour: its
// lightness L* rises in steps of ten from 14 to 94, b* rises evenly from blue (-42) to yellow (64), and a* is chosen so
// that those people see the same colours. See colour_blindness_test.cpp.
#pragma once

#include <cstdint>

// clang-format off
#define HEADLIGHT_COLOUR_MAPS(ROW)                                                                                    \
  ROW(viridis, "viridis", "#440154", "#472D7B", "#3B528B", "#2C728E", "#21918C", "#28AE80", "#5EC962", "#ADDC30", "#FDE725")     \
  ROW(magma, "magma", "#000004", "#1D1147", "#51127C", "#822681", "#B73779", "#E65164", "#FC8961", "#FEC488", "#FCFDBF")                 \
  ROW(safe, "safe for colour blindness", "#011D60", "#1D3964", "#465068", "#67686C", "#86816E", "#A69B70", "#C6B670", "#E7D270", "#FFF16D")
// clang-format on

namespace headlight {

enum class ThemeName : std::uint8_t { dark, light };

#define HEADLIGHT_NAME(name, ...) , name
enum class ColourMap : std::uint8_t { automatic HEADLIGHT_COLOUR_MAPS(HEADLIGHT_NAME) };  ///< automatic: by kind
#undef HEADLIGHT_NAME

}  // namespace headlight
