#include "app/commands/check.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "app/commands/exit_code.hpp"
#include "app/commands/table.hpp"
#include "app/lectures/library.hpp"
#include "core/lecture/check.hpp"

namespace headlight {
namespace {

using Verdict = FactResult::Verdict;

std::string verdict_word(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds: return "✓ holds";
    case Verdict::differs: return "✗ differs";
    case Verdict::not_reproducible: return "– cannot be compared";
  }
  return {};
}

std::vector<std::string> row(const std::string& lecture, const FactResult& result) {
  const std::string difference = result.largest_difference ? fmt::format("{:.1e}", *result.largest_difference) : "";
  const bool explained = result.verdict != Verdict::holds && !result.detail.empty();
  return {lecture,     result.part, result.origin == FactOrigin::notebook ? "notebook" : "library",
          result.what, difference,  verdict_word(result.verdict) + (explained ? ": " + result.detail : "")};
}

}  // namespace

int check_lectures(const std::vector<std::string>& ids, const std::optional<std::filesystem::path>& folder,
                   const std::shared_ptr<Threads>& threads) {
  const LectureLibrary library(folder);
  std::vector<std::vector<std::string>> rows;
  std::size_t held = 0, failed = 0, open = 0;
  for (const std::string& id : ids.empty() ? library.ids() : ids) {
    for (const FactResult& result : check(library.lecture(id), {}, threads)) {
      rows.push_back(row(id, result));
      (result.verdict == Verdict::holds ? held : result.verdict == Verdict::differs ? failed : open) += 1;
    }
  }
  fmt::print("{}", table({"lecture", "part", "printed by", "what", "max |Δ|", "result"}, rows));
  fmt::print("\n{} facts hold, {} differ, {} cannot be compared\n", held, failed, open);
  return failed == 0 ? done : check_failed;
}

}  // namespace headlight
