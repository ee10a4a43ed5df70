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

std::optional<double> grouped_number(std::string_view text) {
  constexpr std::string_view digits_alone = "0123456789";
  text = trimmed(text, " ");
  const double sign = sign_of(text);
  const std::size_t first = text.find_first_not_of(digits_alone);
  if (first == 0 || first > 3 || std::string_view(" .,'").find(text[first]) == std::string_view::npos)
    return std::nullopt;
  const char between = text[first];
  std::string digits(text.substr(0, first));
  text.remove_prefix(first);
  while (text.starts_with(between)) {
    const std::string_view group = text.substr(1, 3);
    if (group.size() < 3 || group.find_first_not_of(digits_alone) != std::string_view::npos) return std::nullopt;
    digits += group;
    text.remove_prefix(4);
  }
  if (text.find_first_of(digits_alone) == 0) return std::nullopt;
  std::string rest(text);
  if (rest.starts_with(',')) rest.front() = '.';
  const auto number = unsigned_number(digits + rest);
  return number ? std::optional(sign * *number) : std::nullopt;
}

std::string number_meant_by(std::string_view text) {
  auto number = typed_number(text);
  if (!number) number = grouped_number(text);
  return number ? fmt::format("; did you mean {}?", *number) : std::string();
}

bool begins_number(std::string_view text) {
  return !typed_number(text) && typed_number(fmt::format("{}0", trimmed(text, " ")));
}

std::string why_not_a_number(std::string_view text) {
  constexpr std::size_t most_quoted = 24;
  const std::string meant = number_meant_by(text);
  return fmt::format("\"{}\" is not a number{}", shortened(text, most_quoted),
                     meant.empty() ? "; allowed: digits with one point or comma, as in 0.5 or 1e-3" : meant);
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
  std::string digits = fmt::format("{:.4g}", value);
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
