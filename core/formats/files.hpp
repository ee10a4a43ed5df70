// Whole files in, whole files out. A file is replaced in one step or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace headlight {

/// Text that people write is small; anything larger is a mistaken path.
constexpr std::int64_t largest_text_file = std::int64_t{16} << 20;

/// The folder that a file stands in, from the root.
std::filesystem::path folder_of(const std::filesystem::path& file);

/// All the bytes of a file. Throws InputError (source: the path) where it is missing, a folder, not readable, or larger
/// than `limit` bytes.
std::string read_bytes(const std::filesystem::path& path, std::int64_t limit);

/// All the text of a file, without a leading byte order mark. Throws InputError as read_bytes does, and where the bytes
/// are not UTF-8 text.
std::string read_text(const std::filesystem::path& path, std::int64_t limit = largest_text_file);

/// Throws InputError naming `source` and the line where the bytes are not UTF-8 text (a picture, an archive, UTF-16).
void require_text(std::string_view bytes, const std::string& source);

/// The file that writing to `path` replaces: the path itself, or what it links to. Throws InputError where no file can
/// be put there: it is a folder or not to be written to, or the folder around it is missing.
std::filesystem::path replaced_file(const std::filesystem::path& path);

/// Replaces the file at `path` by `bytes`, in one step: a reader sees the old file or the new one, never a part. On
/// failure throws InputError naming the path and the reason; the old file is intact and nothing else is left behind.
/// A link is followed, and a device ("/dev/stdout") or a pipe is written to as it stands.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// Told how much of a large file is written, from 0 to 1. May be empty.
using WriteReport = std::function<void(double fraction)>;

/// write_file for what is too large to hold in one string: append piece by piece, then commit. A writer that is
/// destroyed without a commit leaves the old file as it was. Until then the new file has no name, so that nothing is
/// left of it either where the program is ended from outside. On file systems without nameless files (FAT, some network
/// folders) it is a hidden file beside the old one, ".NAME.PROCESS-NUMBER", that its writer holds locked; one that
/// nobody holds any more is removed by the next writer of that name.
class FileWriter {
 public:
  explicit FileWriter(const std::filesystem::path& path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void append(std::string_view bytes);
  /// Writes over what was written before, or beyond its end; append goes on from its own place. Not for a device.
  void write_at(std::int64_t offset, std::string_view bytes);
  void commit();

 private:
  void close();
  [[noreturn]] void fail(int error) const;

  std::filesystem::path shown_;      ///< as given, for messages
  std::filesystem::path target_;     ///< links followed
  std::filesystem::path temporary_;  ///< beside the target; empty while there is no such file
  bool replaces_ = false;            ///< a file takes the target's place, instead of a device being written to
  int descriptor_ = -1;
};

}  // namespace headlight
