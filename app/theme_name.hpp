// The names of the themes, which the session remembers and the interface draws.
#pragma once

#include <cstdint>

namespace headlight {

enum class ThemeName : std::uint8_t { dark, light };

}  // namespace headlight
