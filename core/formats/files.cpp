#include "core/formats/files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <fmt/format.h>

#include "core/model/problem.hpp"
#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

namespace fs = std::filesystem;

std::string reason(int error) { return std::generic_category().message(error); }

/// A file descriptor, closed when this is destroyed.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }

 private:
  int value_;
};

[[noreturn]] void fail_to_read(const fs::path& path, int error) {
  const char* allowed =
      error == ENOENT || error == ENOTDIR ? "the path of a file that exists" : "a file that can be read";
  throw InputError({path.string(), "", error == ENOENT ? "no such file" : reason(error), allowed});
}

[[noreturn]] void refuse_size(const fs::path& path, std::int64_t limit, const std::string& size) {
  throw InputError(
      {path.string(), "", fmt::format("a file of {}", size), fmt::format("up to {}", format_bytes(limit))});
}

/// PIPEFS_MAGIC in Linux's own headers, which not every system has.
constexpr auto system_of_pipes = 0x50495045;

/// Whether an open file is a pipe without a name, as /dev/stdin is behind "|". A named pipe is in a folder.
bool is_nameless_pipe(int descriptor) {
  struct statfs system{};
  return ::fstatfs(descriptor, &system) == 0 && system.f_type == system_of_pipes;
}

/// The descriptors through which this program reads from an open file.
std::vector<int> reading_ends(const struct stat& open) {
  std::vector<int> ends;
  std::error_code error;
  for (fs::directory_iterator entry("/proc/self/fd", error), end; !error && entry != end; entry.increment(error)) {
    const auto descriptor = number_from<int>(entry->path().filename().native());
    struct stat status{};
    if (!descriptor || ::fstat(*descriptor, &status) != 0) continue;
    const int flags = ::fcntl(*descriptor, F_GETFL);
    if (status.st_dev == open.st_dev && status.st_ino == open.st_ino && flags >= 0 && (flags & O_ACCMODE) != O_WRONLY)
      ends.push_back(*descriptor);
  }
  return ends;
}

/// A new file without a name, and what comes out of the pipe in it.
Descriptor content_of_pipe(const fs::path& path, int pipe, std::int64_t limit) {
  const auto close = [](std::FILE* file) { std::fclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::tmpfile(), close);
  if (file == nullptr) fail_to_read(path, errno);
  std::array<char, 65536> buffer;
  std::int64_t all = 0;
  for (;;) {
    const ssize_t got = ::read(pipe, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_to_read(path, errno);
    if (got == 0) break;
    all += got;
    if (all > limit) refuse_size(path, limit, "more than " + format_bytes(limit));
    if (std::fwrite(buffer.data(), 1, static_cast<std::size_t>(got), file.get()) != static_cast<std::size_t>(got))
      fail_to_read(path, errno);
  }
  if (std::fflush(file.get()) != 0) fail_to_read(path, errno);
  const int kept = ::fcntl(::fileno(file.get()), F_DUPFD_CLOEXEC, 0);
  if (kept < 0 || ::lseek(kept, 0, SEEK_SET) < 0) fail_to_read(path, errno);
  return Descriptor(kept);
}

/// What could keep a reader waiting for ever, or is nothing to read.
[[noreturn]] void refuse_kind(const fs::path& path, mode_t mode) {
  const char* const found = S_ISDIR(mode)    ? "a folder"
                            : S_ISFIFO(mode) ? "a named pipe"
                            : S_ISSOCK(mode) ? "a socket"
                                             : "a device";
  throw InputError({path.string(), "", found, "a file"});
}

/// Opens whatever is at the path, without waiting for the other end of a pipe.
int open_at_once(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (descriptor >= 0) return descriptor;
  const int refused = errno;
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
    refuse_kind(path, status.st_mode);  // a socket, for one, can't be opened at all
  fail_to_read(path, refused);
}

/// What the names of the target's temporary files begin with. Nobody else gives a file such a name.
std::string beginning_beside(const fs::path& target) {
  return fmt::format(".{}.headlight-", first_bytes(target.filename().string(), 200));
}

/// Calls `make` with names beside the target until one is not yet taken. Returns the name and the result of `make`: -1,
/// with errno set, if it failed.
template <class Make>
std::pair<fs::path, int> make_beside(const fs::path& target, Make&& make) {
  constexpr int most_attempts = 100;
  const std::string begin = beginning_beside(target);
  for (int attempt = 0;; ++attempt) {
    fs::path path = target.parent_path() / fmt::format("{}{}-{}", begin, ::getpid(), attempt);
    const int made = make(path);
    if (made >= 0 || errno != EEXIST || attempt == most_attempts) return {std::move(path), made};
  }
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Whether `path` is a name that make_beside chose for a temporary file of this target.
bool is_beside(const fs::path& path, const fs::path& target) {
  const std::string begin = beginning_beside(target);
  const std::string name = path.filename().string();
  if (!name.starts_with(begin)) return false;
  const std::string_view numbers = std::string_view(name).substr(begin.size());
  const auto dash = numbers.find('-');
  return dash != std::string_view::npos && is_number(numbers.substr(0, dash)) && is_number(numbers.substr(dash + 1));
}

/// Locks the file until its descriptor is closed, so that other writers see that it is in use.
void hold(int descriptor) { std::ignore = ::flock(descriptor, LOCK_EX | LOCK_NB); }

/// Removes the temporary files of writers that were killed. A file that is still in use is locked and stays.
void remove_left_over(const fs::path& target) {
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (!is_beside(entry->path(), target)) continue;
    const Descriptor file(::open(entry->path().c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file.get() >= 0 && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0) ::unlink(entry->path().c_str());
  }
}

/// Creates a temporary file beside the target, with the permissions that any new file gets.
std::pair<fs::path, int> create_beside(const fs::path& target) {
  return make_beside(
      target, [](const fs::path& path) { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
}

/// Opens a device or a pipe to write to. -1, with errno set, if nobody reads the pipe: waiting for somebody could take
/// for ever. Writing waits, because a reader may be slow.
int open_device(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (descriptor >= 0) ::fcntl(descriptor, F_SETFL, 0);
  return descriptor;
}

/// The descriptor of this program that a path names, as /dev/fd/1 does; none for any other path.
std::optional<int> own_descriptor(const fs::path& path) {
  std::error_code error, none;
  const fs::path folder = fs::canonical(path.has_parent_path() ? path.parent_path() : ".", error);
  if (error || folder != fs::canonical("/proc/self/fd", none) || none) return std::nullopt;
  return number_from<int>(path.filename().native());
}

/// What a path leads to by links, also to a file that isn't there yet: where /dev/stdout leads, /proc/self/fd/1.
fs::path followed(fs::path path) {
  constexpr int most_links = 40;  // as many as Linux follows
  std::error_code error;
  for (int i = 0; i < most_links && fs::is_symlink(path, error) && !own_descriptor(path); ++i)
    path = path.parent_path() / fs::read_symlink(path, error);
  return path;
}

/// The path under which Linux shows an open file. A file without a name gets one by linking this path.
std::string shown_descriptor(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

/// Creates a file without a name in the target's folder. Returns -1 if the file system has no such files.
int create_nameless(const fs::path& target) {
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor < 0 || ::access(shown_descriptor(descriptor).c_str(), F_OK) == 0) return descriptor;
  ::close(descriptor);
  return -1;
}

std::pair<fs::path, int> name_beside(const fs::path& target, int descriptor) {
  return make_beside(target, [&](const fs::path& path) {
    return ::linkat(AT_FDCWD, shown_descriptor(descriptor).c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW);
  });
}

}  // namespace

fs::path from_root(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  return (error ? path : absolute).lexically_normal();
}

fs::path folder_of(const fs::path& file) { return from_root(file).parent_path(); }

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool is_passing(const fs::path& path) {
  const std::string from = from_root(path).string();
  if (from.starts_with("/dev/") || from.starts_with("/proc/")) return true;  // this program's own descriptors
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && (!S_ISREG(status.st_mode) || status.st_nlink == 0);
}

FileReader::FileReader(const fs::path& path, std::int64_t most_piped) : FileReader(path, open_at_once(path)) {
  struct stat status{};
  if (::fstat(descriptor_, &status) != 0) fail_to_read(path, errno);
  if (S_ISFIFO(status.st_mode) && is_nameless_pipe(descriptor_)) {
    // From here on reading waits, because the pipe's writer may be slow. A file never waits, but for some of the
    // kernel's own, such as /proc/kmsg: these are left to fail.
    if (::fcntl(descriptor_, F_SETFL, 0) != 0) fail_to_read(path, errno);
    const Descriptor content = content_of_pipe(path, descriptor_, most_piped);
    for (const int end : reading_ends(status)) ::dup2(content.get(), end);
    ::dup2(content.get(), descriptor_);
    if (::fstat(descriptor_, &status) != 0) fail_to_read(path, errno);
  }
  if (!S_ISREG(status.st_mode)) refuse_kind(path, status.st_mode);
  size_ = static_cast<std::uint64_t>(status.st_size);
}

FileReader::~FileReader() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t FileReader::read(char* to, std::size_t count) {
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got = ::read(descriptor_, to + done, count - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_to_read(path_, errno);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void FileReader::seek(std::uint64_t offset) {
  if (::lseek(descriptor_, static_cast<off_t>(offset), SEEK_SET) < 0) fail_to_read(path_, errno);
}

std::FILE* FileReader::as_stream() {
  std::FILE* const stream = ::fdopen(descriptor_, "rb");
  if (stream == nullptr) fail_to_read(path_, errno);
  descriptor_ = -1;
  return stream;
}

std::string ending_of(const fs::path& path) {
  if (path.has_extension()) return path.extension().string();
  std::array<char, 9> begin{};
  try {
    FileReader(path).read(begin.data(), begin.size());
  } catch (const InputError&) {
    return {};
  }
  const std::string_view bytes(begin.data(), begin.size());
  if (bytes.starts_with("PK")) return ".npz";
  if (bytes.starts_with("\x93NUMPY")) return ".npy";
  if (bytes.starts_with("\x89PNG")) return ".png";
  if (bytes.starts_with('{')) return ".json";
  // The length of the header in eight bytes, the lowest first, then the header.
  return bytes.ends_with('{') && bytes[6] == '\0' && bytes[7] == '\0' ? ".safetensors" : "";
}

std::string read_bytes(const fs::path& path, std::int64_t limit) {
  FileReader file(path, limit);
  if (file.size() > static_cast<std::uint64_t>(limit))
    refuse_size(path, limit, format_bytes(static_cast<std::int64_t>(file.size())));
  std::string bytes;
  bytes.reserve(file.size());
  char buffer[65536];
  while (const std::size_t count = file.read(buffer, sizeof buffer)) {
    bytes.append(buffer, count);
    // Checked again because the size of a file in /proc is 0.
    if (static_cast<std::int64_t>(bytes.size()) > limit) refuse_size(path, limit, "more than " + format_bytes(limit));
  }
  return bytes;
}

std::string read_text(const fs::path& path, std::int64_t limit) {
  std::string text = read_bytes(path, limit);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  require_text(text, path.string());
  return text;
}

void require_text(std::string_view bytes, const std::string& source) {
  std::size_t line = 1;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = utf8_sequence(bytes.substr(at));
    if (length == 0 || bytes[at] == '\0') {  // NUL is valid UTF-8, but no text file has it
      const auto byte = static_cast<unsigned char>(bytes[at]);
      throw InputError({source, "", fmt::format("the byte 0x{:02X} in line {}", byte, line), "text in UTF-8"});
    }
    if (bytes[at] == '\n') ++line;
    at += length;
  }
}

fs::path replaced_file(const fs::path& path) {
  std::error_code error;
  const fs::path at = followed(path);
  if (own_descriptor(at)) return at;
  const fs::path resolved = fs::weakly_canonical(at, error);
  if (error && error != std::errc::no_such_file_or_directory)
    throw InputError(
        {path.string(), "", fmt::format("cannot write: {}", error.message()), "a path that can be written to"});
  const fs::path target = error ? at : resolved;
  if (fs::is_directory(target, error)) throw InputError({path.string(), "", "a folder", "the path of a file to write"});
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error)) {
    throw InputError(
        {path.string(), "", fmt::format("no folder {}", folder.string()), "a path inside a folder that exists"});
  }
  // Renaming over a file would work even if the file is read-only. But a read-only file is meant to stay, so it is
  // refused.
  if (fs::exists(target, error) && ::access(target.c_str(), W_OK) != 0) {
    throw InputError(
        {path.string(), "", fmt::format("cannot write: {}", reason(errno)), "a file that can be written to"});
  }
  return target;
}

FileWriter::FileWriter(const fs::path& path) : shown_(path), target_(replaced_file(path)) {
  std::error_code error;
  if (const auto own = own_descriptor(target_)) {
    descriptor_ = ::fcntl(*own, F_DUPFD_CLOEXEC, 0);
    if (descriptor_ < 0) fail(errno);
    start_ = std::max<std::int64_t>(::lseek(descriptor_, 0, SEEK_CUR), 0);
    return;
  }
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    descriptor_ = open_device(path);
    if (descriptor_ < 0 && errno == ENXIO && fs::is_fifo(status))
      throw InputError({path.string(), "", "a named pipe that nobody reads", "a path that can be written to"});
    if (descriptor_ < 0) fail(errno);
    return;
  }
  replaces_ = true;
  remove_left_over(target_);
  descriptor_ = create_nameless(target_);
  if (descriptor_ < 0) std::tie(temporary_, descriptor_) = create_beside(target_);
  if (descriptor_ < 0) {
    const int refused = errno;
    temporary_.clear();
    fail(refused);
  }
  hold(descriptor_);
}

FileWriter::~FileWriter() { close(); }

void FileWriter::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void FileWriter::write_at(std::int64_t offset, std::string_view bytes) {
  // In a file that only grows, the system writes everything at the end.
  if (!replaces_ && (::fcntl(descriptor_, F_GETFL) & O_APPEND) != 0) fail(ESPIPE);
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(descriptor_, bytes.data(), bytes.size(), start_ + offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
    offset += count;
    end_ = std::max(end_, offset);
  }
}

void FileWriter::commit() {
  if (replaces_) {
    struct stat replaced{};
    if (::stat(target_.c_str(), &replaced) == 0 && ::fchmod(descriptor_, replaced.st_mode & 07777) != 0) fail(errno);
    // Without this, a crash of the machine could leave the new name with none of the new bytes.
    if (::fsync(descriptor_) != 0) fail(errno);
    if (temporary_.empty()) {
      auto [name, linked] = name_beside(target_, descriptor_);
      if (linked < 0) fail(errno);
      temporary_ = std::move(name);
    }
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
    temporary_.clear();
  } else if (end_ > 0 && ::lseek(descriptor_, start_ + end_, SEEK_SET) < 0) {
    fail(errno);
  }
  close();
}

void FileWriter::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

void FileWriter::fail(int error) const {
  throw InputError(
      {shown_.string(), "", fmt::format("cannot write: {}", reason(error)), "a path that can be written to"});
}

void write_file(const fs::path& path, std::string_view bytes) {
  FileWriter writer(path);
  writer.append(bytes);
  writer.commit();
}

}  // namespace headlight
