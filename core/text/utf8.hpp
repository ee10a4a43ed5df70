// UTF-8, read by one set of rules everywhere: those of the Unicode standard, which Python and TOML follow too.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace headlight {

/// How many bytes the character has that the text begins with; 0 where it is empty or begins with none. Overlong forms
/// and surrogates are no characters.
std::size_t utf8_sequence(std::string_view text);

/// The characters of a text; bytes that belong to none are left out.
std::vector<char32_t> characters_of(std::string_view text);

/// The bytes that the character takes.
std::size_t utf8_length(char32_t character);

/// How many characters a text has. Each takes one column of a terminal, near enough.
std::size_t character_count(std::string_view text);

/// The beginning of a text, of at most so many bytes, that ends between two characters.
std::string_view first_bytes(std::string_view text, std::size_t most);

}  // namespace headlight
