#include "app/session/files/file_watch.hpp"

#include <system_error>

namespace headlight {

FileWatch::FileWatch(const std::vector<std::filesystem::path>& paths) {
  for (const auto& path : paths) files_.push_back({path, stamp_of(path)});
}

std::vector<std::filesystem::path> FileWatch::poll() {
  std::vector<std::filesystem::path> changed;
  for (Watched& file : files_) {
    Stamp now = stamp_of(file.path);
    if (now == file.stamp) continue;
    file.stamp = now;
    changed.push_back(file.path);
  }
  return changed;
}

FileWatch::Stamp FileWatch::stamp_of(const std::filesystem::path& path) {
  std::error_code error;
  const auto time = std::filesystem::last_write_time(path, error);
  if (error) return std::nullopt;
  // A folder has no size of its own, but its time changes with the files in it.
  const auto size = std::filesystem::is_directory(path, error) ? 0 : std::filesystem::file_size(path, error);
  return std::pair{time, error ? 0 : size};
}

}  // namespace headlight
