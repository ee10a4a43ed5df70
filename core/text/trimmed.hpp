// Trims text.
#pragma once

#include <string_view>

namespace headlight {

/// The text without the characters of `blanks` at its beginning and end.
std::string_view trimmed(std::string_view text, std::string_view blanks);

}  // namespace headlight
