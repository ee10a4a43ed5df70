// The characters of a text. All code reads UTF-8 through this, by the rules of the Unicode standard, which Python and
// TOML follow too.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

/// The number of bytes of the first character of the text; 0 if the text is empty or does not begin with a valid
/// character. Overlong forms and surrogates are not valid.
std::size_t utf8_sequence(std::string_view text);

/// The characters of a text; bytes that are not part of a valid character are left out.
std::vector<char32_t> characters_of(std::string_view text);

/// The number of bytes of the character in UTF-8.
std::size_t utf8_length(char32_t character);

/// The character as UTF-8.
std::string utf8_of(char32_t character);

/// The number of characters of a text, which is roughly the number of columns that it takes in a terminal.
std::size_t character_count(std::string_view text);

/// The longest beginning of the text that has at most `most` bytes and does not cut a character in two.
std::string_view first_bytes(std::string_view text, std::size_t most);

/// The text for a message: its first bytes and "…" if it has more than `most`.
std::string shortened(std::string_view text, std::size_t most = 60);

/// The names as a message lists them, "a, b"; of more than twenty the first, "a, b, and 280 more".
std::string first_names(std::span<const std::string> names);

/// The text without the characters of `blanks` at its beginning and end.
std::string_view trimmed(std::string_view text, std::string_view blanks);

/// The parts between `at`; the whole text if it has none.
std::vector<std::string_view> split_at(std::string_view text, char at);

/// The text with `with` wherever it said `what`, which isn't empty.
std::string replaced(std::string_view text, std::string_view what, std::string_view with);

/// Whether a terminal obeys the character instead of showing it, or shows what follows in another order: U+0000 to
/// U+001F, U+007F to U+009F, the marks that set the direction of writing, and those that end a line or a paragraph.
bool is_control(char32_t character);

/// The text on one line, as a terminal may show it: control characters escaped as in TOML and JSON ("\u001B"), bytes
/// that are no UTF-8 as in Python ("\x9B").
std::string printable(std::string_view text);

/// The same with the line breaks and tabs of the text.
std::string printable_lines(std::string_view text);

/// The text made fit for SVG, PDF and HTML: with U+FFFD in place of control characters, which XML cannot write, and of
/// code points that are not characters (U+FFFE), which Cairo refuses.
std::string writable(std::string_view utf8);

}  // namespace headlight
