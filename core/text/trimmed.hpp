// A text without its ends.
#pragma once

#include <string_view>

namespace headlight {

/// The text without those of `blanks` that it begins and ends with.
std::string_view trimmed(std::string_view text, std::string_view blanks);

}  // namespace headlight
