// Numbers as text, and text as numbers.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#ifndef __cpp_lib_to_chars
#include <fast_float/fast_float.h>
#endif

namespace headlight {

/// std::from_chars, which some libraries (LLVM's 18) have only for whole numbers.
template <class Number>
std::from_chars_result read_number(const char* first, const char* last, Number& value) {
#ifndef __cpp_lib_to_chars
  if constexpr (std::is_floating_point_v<Number>) {
    const auto [end, error] = fast_float::from_chars(first, last, value);
    return {end, error};
  } else
#endif
    return std::from_chars(first, last, value);
}

/// Reads the whole text as a number; nullopt if it is anything else or does not fit the type.
template <class Number>
std::optional<Number> number_from(std::string_view text) {
  Number value{};
  const auto [end, error] = read_number(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// A number as a person types it, alone in its field: blanks around it, a "+" or a minus set in type (−) before it, and
/// a decimal comma in place of the point ("1,916"). nullopt if the text is anything else or the number is not finite.
std::optional<double> typed_number(std::string_view text);

/// A number whose digits are in groups of three: "1,916.5", "1.916,5", "1 916", "1'000'000". nullopt for any other
/// text.
std::optional<double> grouped_number(std::string_view text);

/// "; did you mean 1916.5?" behind what is allowed, for a text that is refused but looks like a number written another
/// way: "1.916,5", "1 916,5"; or "1,916" where a comma can't be a point. Empty for any other text, such as "87,1,2".
std::string number_meant_by(std::string_view text);

/// Whether typing on can make a number of a text that is none yet: it is empty, a sign, a point, "1e", "1e-".
bool begins_number(std::string_view text);

/// What to tell a person who has typed this text where a number is wanted: what was found, and what was meant or is
/// allowed.
std::string why_not_a_number(std::string_view text);

/// The fewest digits that read back as the same number, always written as a float and never as a whole number: "2.0",
/// "0.1", "1e-05". TOML and Python read it as a float.
std::string float_text(double value);

/// An exponent as it is set in type: "⁶", "⁻¹²".
std::string superscript(int exponent);

/// A number in a formula, to four digits: "0.5", "12.25", "10⁶", "2.5·10⁻⁵".
std::string formula_number(double value);

/// A number of bytes as text: "4.5 KiB", "2.0 GiB"
std::string format_bytes(std::int64_t bytes);

}  // namespace headlight
