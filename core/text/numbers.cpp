#include "core/text/numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "core/text/characters.hpp"

namespace headlight {

namespace {

constexpr std::string_view minus = "−";

/// Reads what follows the sign.
std::optional<double> unsigned_number(std::string text) {
  if (text.empty() || text.front() == '-' || text.front() == '+') return std::nullopt;
  const auto number = number_from<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

/// Takes the sign off the text.
double sign_of(std::string_view& text) {
  for (const auto& [sign, factor] : {std::pair(std::string_view("-"), -1.0), {minus, -1.0}, {"+", 1.0}})
    if (text.starts_with(sign)) {
      text.remove_prefix(sign.size());
      return factor;
    }
  return 1;
}

}  // namespace

std::optional<double> typed_number(std::string_view text) {
  text = trimmed(text, " ");
  const double sign = sign_of(text);
  std::string digits(text);
  if (std::ranges::count(digits, ',') == 1 && digits.find('.') == std::string::npos)
    std::ranges::replace(digits, ',', '.');
  const auto number = unsigned_number(std::move(digits));
  return number ? std::optional(sign * *number) : std::nullopt;
}

std::string number_meant_by(std::string_view text) {
  auto number = typed_number(text);
  if (!number) {
    text = trimmed(text, " ");
    const double sign = sign_of(text);
    // The last separator is the decimal point, unless it occurs more than once; all others separate thousands.
    const std::size_t last = text.find_last_of(".,");
    const bool is_point = last != std::string_view::npos && std::ranges::count(text, text[last]) == 1;
    std::string digits;
    for (std::size_t i = 0; i < text.size(); ++i)
      if (i == last && is_point) digits += '.';
      else if (std::string_view(" .,'").find(text[i]) == std::string_view::npos) digits += text[i];
    number = unsigned_number(std::move(digits));
    if (number) number = sign * *number;
  }
  return number ? fmt::format("; did you mean {}?", *number) : std::string();
}

std::string float_text(double value) {
  std::string digits = fmt::format("{}", value);
  if (digits.find_first_not_of("-0123456789") == std::string::npos) digits += ".0";
  return digits;
}

std::string superscript(int exponent) {
  static constexpr std::array<std::string_view, 10> digits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(exponent))) text += digits[static_cast<std::size_t>(digit - '0')];
  return text;
}

std::string formula_number(double value) {
  const std::string digits = fmt::format("{:.4g}", value);
  const std::size_t e = digits.find('e');
  if (e == std::string::npos) return digits;
  const std::string power = "10" + superscript(std::stoi(digits.substr(e + 1)));
  return digits.substr(0, e) == "1" ? power : digits.substr(0, e) + "·" + power;
}

std::string format_bytes(std::int64_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(units)) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

}  // namespace headlight
