#include "core/text/numbers.hpp"

#include <fmt/format.h>

namespace headlight {

std::string float_text(double value) {
  std::string digits = fmt::format("{}", value);
  if (digits.find_first_not_of("-0123456789") == std::string::npos) digits += ".0";
  return digits;
}

}  // namespace headlight
