// Numbers as text, and text as numbers.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headlight {

/// Reads the whole text as a number; nullopt if it is anything else or does not fit the type.
template <class Number>
std::optional<Number> number_from(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// A number as a person types it, alone in its field: blanks around it, a "+" or a minus set in type (−) before it, and
/// a decimal comma in place of the point ("1,916"). nullopt if the text is anything else or the number is not finite.
std::optional<double> typed_number(std::string_view text);

/// "; did you mean 1916.5?" behind what is allowed, for a text that is refused but looks like a number written another
/// way: "1.916,5", "1 916,5"; or "1,916" where a comma can't be a point. Empty for any other text.
std::string number_meant_by(std::string_view text);

/// The fewest digits that read back as the same number, always written as a float and never as a whole number: "2.0",
/// "0.1", "1e-05". TOML and Python read it as a float.
std::string float_text(double value);

/// A number of bytes as text: "4.5 KiB", "2.0 GiB"
std::string format_bytes(std::int64_t bytes);

}  // namespace headlight
