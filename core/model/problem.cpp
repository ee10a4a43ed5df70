#include "core/model/problem.hpp"

#include <fmt/format.h>

namespace headlight {
namespace {

/// The text on one line, with control characters escaped as in TOML, so that a terminal obeys none of them.
std::string printable(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte < 0x20 || byte == 0x7F ? fmt::format("\\u{:04X}", byte) : std::string(1, c);
  }
  return result;
}

std::string joined(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text += '\n';
    text += problem.message();
  }
  return text;
}

}  // namespace

std::string Problem::message() const {
  std::string text;
  if (!source.empty()) text += source + ": ";
  if (!key.empty()) text += key + ": ";
  return printable(text + fmt::format("found {}; allowed: {}", found, allowed));
}

InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error(joined(problems)), problems_(std::move(problems)) {}

}  // namespace headlight
