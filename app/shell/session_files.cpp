#include "app/shell/session_files.hpp"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace headlight {
namespace {

namespace fs = std::filesystem;

/// A possible file, and when it was written; nothing if it doesn't exist.
struct Candidate {
  fs::path file;
  std::optional<fs::file_time_type> written;
};

Candidate candidate_at(const fs::path& first, int number) {
  const fs::path file = number == 1 ? first
                                    : first.parent_path() / fmt::format("{}-{}{}", first.stem().string(), number,
                                                                        first.extension().string());
  std::error_code error;
  const auto written = fs::last_write_time(file, error);
  return {file, error ? std::nullopt : std::optional(written)};
}

std::vector<Candidate> candidates(const fs::path& first) {
  std::vector<Candidate> all;
  for (int number = 1; number <= most_session_files; ++number) all.push_back(candidate_at(first, number));
  return all;
}

/// The last written first, then those that don't exist.
bool is_later(const Candidate& a, const Candidate& b) { return a.written > b.written; }
/// Those that don't exist first, then the oldest.
bool is_more_dispensable(const Candidate& a, const Candidate& b) { return a.written < b.written; }

/// The first of the files that no window has; a new one if all are taken.
SessionFile first_free(const std::vector<Candidate>& all, const fs::path& first) {
  for (const Candidate& candidate : all)
    if (auto lock = FileLock::if_free(candidate.file)) return {candidate.file, std::move(lock)};
  for (int number = most_session_files + 1;; ++number) {
    const fs::path file = candidate_at(first, number).file;
    if (auto lock = FileLock::if_free(file)) return {file, std::move(lock)};
  }
}

}  // namespace

SessionFile take_session_file(const fs::path& first, Start start) {
  if (first.empty()) return {};
  std::error_code error;
  fs::create_directories(first.parent_path(), error);  // if it can't be made, writing to it says so
  std::vector<Candidate> all = candidates(first);
  if (start == Start::go_on) {
    std::stable_sort(all.begin(), all.end(), is_later);
    return first_free(all, first);
  }
  auto own = FileLock::if_free(first);
  if (own && !all.front().written) return {first, std::move(own)};
  if (own) all.erase(all.begin());
  std::stable_sort(all.begin(), all.end(), is_more_dispensable);
  SessionFile other = first_free(all, first);
  if (!own) return other;
  fs::rename(first, other.file, error);
  return {first, std::move(own)};
}

}  // namespace headlight
