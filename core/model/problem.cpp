#include "core/model/problem.hpp"

#include <fmt/format.h>

namespace headlight {
namespace {

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
  return text + fmt::format("found {}; allowed: {}", found, allowed);
}

InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error(joined(problems)), problems_(std::move(problems)) {}

}  // namespace headlight
