#include "app/shell/kept_places.hpp"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace headlight {
namespace {

namespace fs = std::filesystem;

/// A possible place, and when it was written; nothing where it is not there.
struct Place {
  fs::path file;
  std::optional<fs::file_time_type> written;
};

Place place(const fs::path& first, int number) {
  const fs::path file = number == 1 ? first
                                    : first.parent_path() / fmt::format("{}-{}{}", first.stem().string(), number,
                                                                        first.extension().string());
  std::error_code error;
  const auto written = fs::last_write_time(file, error);
  return {file, error ? std::nullopt : std::optional(written)};
}

std::vector<Place> all_places(const fs::path& first) {
  std::vector<Place> all;
  for (int number = 1; number <= most_kept_places; ++number) all.push_back(place(first, number));
  return all;
}

/// The last written first, then those that are not there.
bool is_later(const Place& a, const Place& b) { return a.written > b.written; }
/// Those that are not there, then the oldest first.
bool is_more_dispensable(const Place& a, const Place& b) { return a.written < b.written; }

/// The first of the places that no window has; a new one where all are taken.
KeptPlace first_free(const std::vector<Place>& places, const fs::path& first) {
  for (const Place& candidate : places)
    if (auto lock = FileLock::if_free(candidate.file)) return {candidate.file, std::move(lock)};
  for (int number = most_kept_places + 1;; ++number) {
    const fs::path file = place(first, number).file;
    if (auto lock = FileLock::if_free(file)) return {file, std::move(lock)};
  }
}

}  // namespace

KeptPlace take_place(const fs::path& first, Start start) {
  if (first.empty()) return {};
  std::error_code error;
  fs::create_directories(first.parent_path(), error);  // what cannot be made is said when it is written to
  std::vector<Place> places = all_places(first);
  if (start == Start::go_on) {
    std::stable_sort(places.begin(), places.end(), is_later);
    return first_free(places, first);
  }
  auto own = FileLock::if_free(first);
  if (own && !places.front().written) return {first, std::move(own)};
  if (own) places.erase(places.begin());
  std::stable_sort(places.begin(), places.end(), is_more_dispensable);
  KeptPlace other = first_free(places, first);
  if (!own) return other;
  fs::rename(first, other.file, error);
  return {first, std::move(own)};
}

}  // namespace headlight
