#include "app/platform/file_lock.hpp"

#include <cerrno>
#include <string>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>

namespace headlight {
namespace {

int open_lock(const std::filesystem::path& guarded) {
  const auto lock = guarded.parent_path() / fmt::format(".{}.lock", guarded.filename().string());
  return ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

}  // namespace

std::optional<FileLock> FileLock::if_free(const std::filesystem::path& guarded) {
  FileLock lock(open_lock(guarded));
  if (lock.descriptor_ >= 0 && ::flock(lock.descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return std::nullopt;
  return lock;
}

std::optional<FileLock> FileLock::when_free(const std::filesystem::path& guarded, std::chrono::milliseconds patience) {
  using Clock = std::chrono::steady_clock;
  for (const auto end = Clock::now() + patience;;) {
    if (auto lock = if_free(guarded)) return lock;
    if (Clock::now() >= end) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace headlight
