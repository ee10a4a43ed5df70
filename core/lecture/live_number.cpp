#include "core/lecture/live_number.hpp"

#include <charconv>
#include <cmath>
#include <variant>

#include <fmt/format.h>

#include "core/lecture/expression_values.hpp"
#include "core/model/problem.hpp"

namespace headlight {

LiveFormat parse_live_format(std::string_view text) {
  static constexpr const char* allowed =
      ".2f, .1%, .3e, .4g or d, with + in front for a sign, and then a comma to separate thousands";
  const auto wrong = [&]() { throw InputError({"", "", fmt::format("the format \"{}\"", text), allowed}); };
  LiveFormat format;
  std::string_view left = text;
  if (left.starts_with('+')) {
    format.sign = true;
    left.remove_prefix(1);
  }
  if (left.starts_with(',')) {
    format.thousands = true;
    left.remove_prefix(1);
  }
  const bool has_decimals = left.starts_with('.');
  if (has_decimals) {
    const auto [end, error] = std::from_chars(left.data() + 1, left.data() + left.size(), format.decimals);
    if (error != std::errc{} || format.decimals < 0 || format.decimals > 20) wrong();
    left.remove_prefix(static_cast<std::size_t>(end - left.data()));
  }
  if (left.size() != 1 || std::string_view("feg%d").find(left[0]) == std::string_view::npos) wrong();
  if (left[0] == 'd' && has_decimals) wrong();
  format.kind = left[0];
  return format;
}

LiveNumber LiveNumber::parse(std::string_view text) {
  // The colon that ends the expression is the first one outside of brackets and quotes.
  int open = 0;
  char quote = 0;
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (quote != 0) quote = c == quote ? '\0' : quote;
    else if (c == '"' || c == '\'') quote = c;
    else if (c == '[' || c == '(') ++open;
    else if (c == ']' || c == ')') --open;
    else if (c == ':' && open == 0) break;
  }
  LiveNumber live{Expression(text.substr(0, end)), {}};
  if (end < text.size()) live.format = parse_live_format(text.substr(end + 1));
  return live;
}

std::string LiveNumber::words(const Scope& scope) const {
  Work own;
  return words(scope, scope.work != nullptr ? *scope.work : own);
}

std::string LiveNumber::words(const Scope& scope, Work& work) const {
  const Value value = expression.value(scope, work);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return to_string(expressions::only_number(value, expression.text()), format);
}

std::string to_string(double number, const LiveFormat& format) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "∞" : "−∞";
  std::string text;
  switch (format.kind) {
    case 'f': text = fmt::format("{:.{}f}", std::abs(number), format.decimals); break;
    case 'e': text = fmt::format("{:.{}e}", std::abs(number), format.decimals); break;
    case 'g': text = fmt::format("{:.{}g}", std::abs(number), format.decimals); break;
    case 'd': text = fmt::format("{:.0f}", std::abs(number)); break;
    case '%': text = fmt::format("{:.{}f} %", 100 * std::abs(number), format.decimals); break;
    default: text = fmt::format("{:.4g}", std::abs(number));
  }
  if (format.thousands) {
    const std::size_t whole = std::min(text.find_first_not_of("0123456789"), text.size());
    for (std::size_t left = whole; left > 3; left -= 3) text.insert(left - 3, ",");
  }
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  return (number < 0 && !zero ? "−" : format.sign ? "+" : "") + text;
}

}  // namespace headlight
