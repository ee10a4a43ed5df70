// A number in the words of a lecture: an expression, and how its value is written, as in "{max(weights):.1%}".
#pragma once

#include <string>
#include <string_view>

#include "core/lecture/expression.hpp"

namespace headlight {

/// The format of a number: Python's format specs .Nf .Ne .Ng .N% d, with + for a sign that is always there and a comma
/// for thousands: ,d is 333,833,500.
struct LiveFormat {
  char kind = 0;  ///< f, e, g, % or d; 0: up to four digits that matter
  int decimals = 6;
  bool sign = false;
  bool thousands = false;
};

/// Reads a format, ".1%". Throws InputError with what was found and what is allowed.
LiveFormat parse_live_format(std::string_view text);

/// The text between braces in the words: an expression, and its format behind a colon.
struct LiveNumber {
  /// "max(weights[0,1,2]):.1%". Throws InputError with what was found and what is allowed.
  static LiveNumber parse(std::string_view text);
  /// Throws InputError as Expression::value does, and where the value is an array.
  std::string words(const Scope& scope) const;
  std::string words(const Scope& scope, Work& work) const;

  Expression expression;
  LiveFormat format;
};

/// The number as words hold it: with a minus sign in place of a hyphen, and a narrow space before "%".
std::string to_string(double number, const LiveFormat& format);

}  // namespace headlight
