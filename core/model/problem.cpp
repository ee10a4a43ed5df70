#include "core/model/problem.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text/characters.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

std::string joined(const std::vector<std::string>& lines) { return fmt::format("{}", fmt::join(lines, "\n")); }

}  // namespace

std::string Problem::message() const {
  std::string text;
  if (!source.empty()) text += source + ": ";
  if (!key.empty()) text += key + ": ";
  return printable(text + fmt::format("found {}; allowed: {}", found, allowed));
}

std::vector<std::string> lines_of(const std::vector<Problem>& problems) {
  constexpr std::size_t most = 20;
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < std::min(problems.size(), most); ++i) lines.push_back(problems[i].message());
  if (const std::size_t more = problems.size() - lines.size(); more > 0)
    lines.push_back("and " + counted(more, "more problem", "more problems"));
  return lines;
}

InputError::InputError(std::vector<Problem> problems)
    : std::runtime_error(joined(lines_of(problems))), problems_(std::move(problems)) {}

}  // namespace headlight
