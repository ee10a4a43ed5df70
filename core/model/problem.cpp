#include "core/model/problem.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text/characters.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

/// No part of a problem is longer in bytes: what was found may be the whole of a large file.
constexpr std::size_t most_of_a_part = 1000;

/// The problems with short parts, for everybody who shows one of them by itself.
std::vector<Problem> with_short_parts(std::vector<Problem> problems) {
  for (Problem& problem : problems)
    for (std::string* part : {&problem.source, &problem.key, &problem.found, &problem.allowed})
      if (part->size() > most_of_a_part) *part = shortened(*part, most_of_a_part);
  return problems;
}

std::string joined(const std::vector<std::string>& lines) { return fmt::format("{}", fmt::join(lines, "\n")); }

}  // namespace

std::string Problem::message() const {
  const auto part = [](std::string_view text) { return shortened(text, most_of_a_part); };
  std::string text;
  if (!source.empty()) text += part(source) + ": ";
  if (!key.empty()) text += part(key) + ": ";
  return printable(text + fmt::format("found {}; allowed: {}", part(found), part(allowed)));
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
    : std::runtime_error(joined(lines_of(problems))), problems_(with_short_parts(std::move(problems))) {}

}  // namespace headlight
