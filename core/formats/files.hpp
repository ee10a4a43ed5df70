// Reads and writes whole files. A file is replaced in one step or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace headlight {

/// Bytes. Text that people write is much smaller; anything larger is a mistaken path.
constexpr std::int64_t largest_text_file = std::int64_t{16} << 20;

/// The path from the root, without "." and "..". A relative path stays as it is where the folder that the program runs
/// in no longer exists.
std::filesystem::path from_root(const std::filesystem::path& path);

/// The folder that a file is in, from the root.
std::filesystem::path folder_of(const std::filesystem::path& file);

/// Whether the path leads to a file or a folder; false if nothing can be found out about it.
bool is_file(const std::filesystem::path& path);
bool is_folder(const std::filesystem::path& path);

/// Whether what is at this path is there for this program alone, as what came through a pipe: a later one won't find
/// it.
bool is_passing(const std::filesystem::path& path);

/// Bytes. No array is larger, so nothing more is taken from a pipe.
constexpr std::int64_t largest_piped = std::int64_t{2} << 30;

/// A file that is open to read. What is judged is what was opened, and opening never waits, so that nothing that takes
/// the path's place meanwhile keeps a reader waiting.
///
/// A pipe without a name, such as /dev/stdin behind "|", is read to its end. What came is kept in a file without a
/// name, which takes the pipe's place for the rest of the program: it can be opened again and read from any byte.
class FileReader {
 public:
  /// Throws InputError (source: the path) if it is missing, a folder, a named pipe, a socket, a device, or not
  /// readable, or if more than `most_piped` bytes come through a pipe.
  explicit FileReader(const std::filesystem::path& path, std::int64_t most_piped = largest_piped);
  ~FileReader();
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;

  /// In bytes.
  std::uint64_t size() const { return size_; }
  /// Fills `to` with the next `count` bytes, and returns how many: fewer only at the end.
  std::size_t read(char* to, std::size_t count);
  /// Goes on reading at this byte.
  void seek(std::uint64_t offset);
  /// The same file for a library that reads by itself. The caller closes it, and this reader has ended.
  std::FILE* as_stream();

 private:
  FileReader(const std::filesystem::path& path, int descriptor) : path_(path), descriptor_(descriptor) {}

  std::filesystem::path path_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

/// The ending of the path's name, ".npz". A name without one, such as /dev/stdin, gets the ending that fits how the
/// file begins: .npz, .npy, .safetensors, .json or .png; none if it is something else or can't be read.
std::string ending_of(const std::filesystem::path& path);

/// All the bytes of a file, or of a pipe such as /dev/stdin. Throws InputError as FileReader does, and also if it is
/// larger than `limit` bytes.
std::string read_bytes(const std::filesystem::path& path, std::int64_t limit);

/// The text of a file, without a leading byte order mark. Throws InputError as read_bytes does, and also if the bytes
/// are not UTF-8 text.
std::string read_text(const std::filesystem::path& path, std::int64_t limit = largest_text_file);

/// Throws InputError naming `source` and the line if the bytes are not UTF-8 text (a picture, an archive, UTF-16).
void require_text(std::string_view bytes, const std::string& source);

/// The file that writing to `path` replaces: the path itself, or the file that it links to. A descriptor of this
/// program, as /dev/stdout, is no file to replace: /proc/self/fd/1. Throws InputError if no file can be written there:
/// the path is a folder or read-only, or its folder is missing.
std::filesystem::path replaced_file(const std::filesystem::path& path);

/// Replaces the file at `path` with `bytes` in one step: a reader sees the old file or the new one, never a part. On
/// failure throws InputError with the path and the reason; the old file is intact and nothing else is left behind. A
/// link is followed; a device, a pipe that somebody reads or a descriptor of this program ("/dev/stdout") is written to
/// directly, after what is in it.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// Called with how much of a large file is written, from 0 to 1. May be empty.
using WriteReport = std::function<void(double fraction)>;

/// Does what write_file does, for files too large for one string: append piece by piece, then commit. Without a commit
/// the old file stays as it was. Until the commit the new file has no name, so that nothing of it is left if the
/// program is killed. File systems without nameless files (FAT, some network folders) get a hidden file beside the old
/// one, ".NAME.headlight-PROCESS-NUMBER", which its writer keeps locked. The next writer of the same file removes such
/// files that no process has locked.
class FileWriter {
 public:
  explicit FileWriter(const std::filesystem::path& path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  void append(std::string_view bytes);
  /// Writes at `offset`, over earlier bytes or beyond the end. It does not move the place where append continues. Not
  /// for a device.
  void write_at(std::int64_t offset, std::string_view bytes);
  void commit();

 private:
  void close();
  [[noreturn]] void fail(int error) const;

  std::filesystem::path shown_;      ///< the path as given, for messages
  std::filesystem::path target_;     ///< the file to replace: the path with links followed
  std::filesystem::path temporary_;  ///< the temporary file beside the target; empty while there is none
  bool replaces_ = false;            ///< true if a new file replaces the target; false for what is written to directly
  std::int64_t start_ = 0;           ///< where write_at counts from
  std::int64_t end_ = 0;             ///< where what write_at wrote ends
  int descriptor_ = -1;
};

}  // namespace headlight
