// Locks between programs. Only the program that holds a file's lock may use the file, or write to it.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

namespace headlight {

/// A lock that one program at a time holds. It is released when this is destroyed, and by the system however the
/// program ends. Where the lock's file cannot be made (a folder that cannot be written to), everybody gets the lock:
/// nothing can be written there either.
class FileLock {
 public:
  /// Takes the lock of a file, which need not exist, if nobody holds it. The lock itself is a hidden file beside it.
  static std::optional<FileLock> if_free(const std::filesystem::path& guarded);
  /// Waits until nobody else holds it; nullopt if somebody still does after so long.
  static std::optional<FileLock> when_free(const std::filesystem::path& guarded, std::chrono::milliseconds patience);

  ~FileLock();
  FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

 private:
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_ = -1;
};

}  // namespace headlight
