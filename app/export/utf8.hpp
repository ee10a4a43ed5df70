// UTF-8 as characters, and without those that files cannot hold.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headlight {

/// The characters of UTF-8 text; what is none is left out.
std::vector<char32_t> characters_of(std::string_view utf8);

/// The bytes that the character takes.
std::size_t utf8_length(char32_t character);

/// The text with U+FFFD in place of control characters and of code points that Unicode keeps for no character: XML has
/// no way to write the former, Cairo refuses the latter.
std::string writable(std::string_view utf8);

}  // namespace headlight
