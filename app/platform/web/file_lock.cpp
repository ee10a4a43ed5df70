#include "app/platform/file_lock.hpp"

extern "C" int page_lock(const char* name);

namespace headlight {

// Every tab has files of its own in memory, which the page keeps in the browser. The tabs must agree on which of those
// files is whose; a name that a tab has taken is free again when that tab is gone.
std::optional<FileLock> FileLock::if_free(const std::filesystem::path& guarded) {
  if (page_lock(guarded.c_str()) == 0) return std::nullopt;
  return FileLock(0);
}

// Only one tab at a time runs, and while it writes it does not wait.
std::optional<FileLock> FileLock::when_free(const std::filesystem::path&, std::chrono::milliseconds) {
  return FileLock(0);
}

FileLock::~FileLock() = default;

}  // namespace headlight
