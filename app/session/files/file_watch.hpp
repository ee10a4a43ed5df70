// Notices when files change on disk. It uses no thread: poll() compares their times and sizes with the last call's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

namespace headlight {

class FileWatch {
 public:
  explicit FileWatch(const std::vector<std::filesystem::path>& paths = {});

  /// The files that changed, appeared or disappeared since the last call (or since the start).
  std::vector<std::filesystem::path> poll();

 private:
  using Stamp = std::optional<std::pair<std::filesystem::file_time_type, std::uintmax_t>>;
  struct Watched {
    std::filesystem::path path;
    Stamp stamp;
  };
  static Stamp stamp_of(const std::filesystem::path& path);

  std::vector<Watched> files_;
};

}  // namespace headlight
