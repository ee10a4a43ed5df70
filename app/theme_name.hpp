// The names of the themes, for session and interface.
#pragma once

#include <cstdint>

namespace headlight {

enum class ThemeName : std::uint8_t { dark, light };

}  // namespace headlight
