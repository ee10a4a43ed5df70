#include "core/formats/arrays/npz.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <memory>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <zip.h>

#include "core/formats/arrays/npy.hpp"
#include "core/formats/files.hpp"
#include "core/model/problem.hpp"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view extension = ".npy";
/// The date of every entry, so that archives of equal tensors are equal bytes: 2 January 1980, the first day that a zip
/// archive can store in every time zone.
constexpr time_t fixed_time = 315'619'200;

[[noreturn]] void fail_to_write(const fs::path& path, const std::string& reason) {
  throw InputError({path.string(), "", fmt::format("cannot write: {}", reason), "a path that can be written to"});
}

[[noreturn]] void fail_to_read(const std::string& source, const std::string& reason) {
  throw InputError({source, "", fmt::format("a damaged archive ({})", reason), "an archive as np.savez writes it"});
}

/// Closes an archive without writing it.
struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, Discard>;

struct CloseEntry {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using ZipEntry = std::unique_ptr<zip_file_t, CloseEntry>;

/// Counts the bytes written and reports them as a fraction of all bytes.
struct WritingProgress {
  const WriteReport& report;
  std::size_t all = 0;
  std::size_t done = 0;

  void add(std::size_t bytes) {
    done += bytes;
    if (report && all > 0) report(std::min(1.0, static_cast<double>(done) / static_cast<double>(all)));
  }
};

/// One tensor as a source for libzip, which opens, reads and closes the source while it writes the archive.
struct TensorSource {
  Tensor tensor;
  std::unique_ptr<NpyStream> stream;
  WritingProgress& progress;
  zip_error_t error{};  ///< never set, because reading memory cannot fail; libzip asks for it anyway
};

zip_int64_t answer_stat(const TensorSource& source, void* data) {
  auto* stat = static_cast<zip_stat_t*>(data);
  zip_stat_init(stat);
  stat->valid = ZIP_STAT_SIZE | ZIP_STAT_MTIME;
  stat->size = NpyStream(source.tensor).size();
  stat->mtime = fixed_time;
  return sizeof *stat;
}

zip_int64_t answer(void* state, void* data, zip_uint64_t length, zip_source_cmd_t command) {
  auto* source = static_cast<TensorSource*>(state);
  switch (command) {
    case ZIP_SOURCE_OPEN: source->stream = std::make_unique<NpyStream>(source->tensor); return 0;
    case ZIP_SOURCE_READ: {
      const std::size_t count = source->stream->read(static_cast<char*>(data), static_cast<std::size_t>(length));
      source->progress.add(count);
      return static_cast<zip_int64_t>(count);
    }
    case ZIP_SOURCE_CLOSE: source->stream.reset(); return 0;
    case ZIP_SOURCE_STAT: return answer_stat(*source, data);
    case ZIP_SOURCE_ERROR: return zip_error_to_data(&source->error, data, length);
    case ZIP_SOURCE_FREE: delete source; return 0;
    case ZIP_SOURCE_SUPPORTS:
      return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                            ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
    default: return -1;
  }
}

void add_entry(zip_t* archive, const fs::path& path, const NamedTensor& named, WritingProgress& progress) {
  auto state =
      std::make_unique<TensorSource>(TensorSource{.tensor = named.tensor, .stream = nullptr, .progress = progress});
  progress.all += NpyStream(named.tensor).size();
  zip_source_t* source = zip_source_function(archive, answer, state.get());
  if (source == nullptr) fail_to_write(path, zip_strerror(archive));
  std::ignore = state.release();  // from here on libzip frees it, with ZIP_SOURCE_FREE
  const std::string name = named.name + std::string(extension);
  const zip_int64_t index = zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    fail_to_write(path, zip_strerror(archive));
  }
  zip_set_file_compression(archive, static_cast<zip_uint64_t>(index), ZIP_CM_STORE, 0);
}

/// Throws InputError for a device or a pipe. Writing an archive needs to seek, which neither can do.
void require_file(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) {
    throw InputError({path.string(), "", "a device or a pipe",
                      "the path of a file: an archive can't be written to a device or a pipe"});
  }
}

/// The file that libzip writes the archive to, with the place of the next write. libzip is C code, so exceptions must
/// not pass through it: an exception of the writer is kept in `thrown` until libzip has returned.
struct ArchiveFile {
  FileWriter writer;
  std::int64_t offset = 0;
  std::int64_t end = 0;
  std::exception_ptr thrown = nullptr;
  zip_error_t error{};

  explicit ArchiveFile(const fs::path& path) : writer(path) { zip_error_set(&error, ZIP_ER_READ, ENOENT); }

  zip_int64_t guarded(auto&& body) {
    try {
      return body();
    } catch (...) {
      thrown = std::current_exception();
      zip_error_set(&error, ZIP_ER_WRITE, EIO);
      return -1;
    }
  }
  zip_int64_t write(std::string_view bytes) {
    return guarded([&] {
      writer.write_at(offset, bytes);
      offset += static_cast<std::int64_t>(bytes.size());
      end = std::max(end, offset);
      return static_cast<zip_int64_t>(bytes.size());
    });
  }
  zip_int64_t seek(void* data, zip_uint64_t length) {
    const zip_int64_t to = zip_source_seek_compute_offset(static_cast<zip_uint64_t>(offset),
                                                          static_cast<zip_uint64_t>(end), data, length, &error);
    if (to >= 0) offset = to;
    return to < 0 ? -1 : 0;
  }
  zip_int64_t commit() {
    return guarded([&] {
      writer.commit();
      return zip_int64_t{0};
    });
  }
};

/// Answers libzip's commands for an archive that is only written. Until it is committed the file does not exist, so
/// opening it for reading answers with the error ENOENT.
zip_int64_t answer_archive(void* state, void* data, zip_uint64_t length, zip_source_cmd_t command) {
  auto& file = *static_cast<ArchiveFile*>(state);
  switch (command) {
    case ZIP_SOURCE_BEGIN_WRITE:
    case ZIP_SOURCE_ROLLBACK_WRITE:
    case ZIP_SOURCE_REMOVE:
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE: return 0;
    case ZIP_SOURCE_WRITE: return file.write({static_cast<const char*>(data), static_cast<std::size_t>(length)});
    case ZIP_SOURCE_TELL_WRITE: return file.offset;
    case ZIP_SOURCE_SEEK_WRITE: return file.seek(data, length);
    case ZIP_SOURCE_COMMIT_WRITE: return file.commit();
    case ZIP_SOURCE_ERROR: return zip_error_to_data(&file.error, data, length);
    case ZIP_SOURCE_SUPPORTS: return ZIP_SOURCE_SUPPORTS_WRITABLE;
    default: return -1;
  }
}

/// A new, empty archive that is written to `file`.
Archive new_archive(ArchiveFile& file, const fs::path& path) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_function_create(answer_archive, &file, &error);
  Archive archive(source == nullptr ? nullptr : zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, &error));
  if (archive == nullptr && source != nullptr) zip_source_free(source);
  const std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  if (archive == nullptr) fail_to_write(path, reason);
  return archive;
}

bool is_array(std::string_view name) { return name.size() > extension.size() && name.ends_with(extension); }

std::string array_name(std::string_view file_name) {
  return std::string(file_name.substr(0, file_name.size() - extension.size()));
}

/// Hands the bytes of an entry to `read(bytes, source)`, and gives what it gives.
auto read_file_entry(zip_t* archive, zip_uint64_t index, const std::string& source, auto&& read) {
  const std::string entry_source = fmt::format("{}: {}", source, zip_get_name(archive, index, ZIP_FL_ENC_GUESS));
  const ZipEntry entry(zip_fopen_index(archive, index, 0));
  if (entry == nullptr) fail_to_read(entry_source, zip_strerror(archive));
  const auto bytes = [&](char* to, std::size_t count) {
    const zip_int64_t got = zip_fread(entry.get(), to, count);
    if (got < 0) fail_to_read(entry_source, zip_error_strerror(zip_file_get_error(entry.get())));
    return static_cast<std::size_t>(got);
  };
  return read(bytes, entry_source);
}

/// An archive that is open for reading, and the places of its arrays.
struct OpenArchive {
  Archive archive;
  std::vector<zip_uint64_t> entries;
  std::vector<ArrayInfo> arrays;  ///< by name alone
};

std::int64_t bytes_of(const Tensor& tensor) {
  return tensor.elements() * static_cast<std::int64_t>(bytes_per_element(tensor.precision()));
}

/// Gives the open file to libzip, which would open the path once more.
Archive archive_in(FileReader& file, const fs::path& path) {
  std::FILE* const stream = file.as_stream();
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* const source = zip_source_filep_create(stream, 0, -1, &error);
  if (source == nullptr) std::fclose(stream);
  Archive archive(source == nullptr ? nullptr : zip_open_from_source(source, ZIP_RDONLY, &error));
  if (archive == nullptr && source != nullptr) zip_source_free(source);
  const std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  if (archive == nullptr) fail_to_read(path.string(), reason);
  return archive;
}

OpenArchive open_to_read(const fs::path& path) {
  FileReader file(path);
  OpenArchive opened{archive_in(file, path), {}, {}};
  const zip_int64_t count = zip_get_num_entries(opened.archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    const char* name = zip_get_name(opened.archive.get(), index, ZIP_FL_ENC_GUESS);
    if (name == nullptr || !is_array(name)) continue;
    opened.entries.push_back(index);
    opened.arrays.push_back({array_name(name), {}, {}});
  }
  if (opened.arrays.empty()) throw InputError({path.string(), "", "no arrays", "an archive as np.savez writes it"});
  return opened;
}

/// Every tensor of the trace with its name, in the order of the forward pass and of the backward pass, and `curve`.
std::vector<NamedTensor> named_tensors(const Trace& trace) {
  std::vector<NamedTensor> tensors;
  for (const TensorInfo& tensor : all_tensors()) {
    if (trace.has(tensor.id)) tensors.push_back({std::string(tensor.name), trace[tensor.id]});
  }
  if (trace.learning == nullptr) return tensors;
  const std::vector<double>& losses = trace.learning->losses;
  tensors.push_back({"curve", tensor_of({std::ssize(losses)}, losses)});
  return tensors;
}

}  // namespace

void write_npz(const fs::path& path, std::span<const NamedTensor> tensors, const WriteReport& report) {
  require_file(path);
  WritingProgress progress{report};
  ArchiveFile file(path);  // declared before the archive, which writes to it until it is closed
  Archive archive = new_archive(file, path);
  for (const NamedTensor& tensor : tensors) add_entry(archive.get(), path, tensor, progress);
  if (zip_close(archive.get()) == 0) std::ignore = archive.release();
  else if (file.thrown) std::rethrow_exception(file.thrown);
  else fail_to_write(path, zip_strerror(archive.get()));
}

void write_npz(const fs::path& path, const Trace& trace, const WriteReport& report) {
  write_npz(path, named_tensors(trace), report);
}

std::vector<NamedTensor> read_npz(const fs::path& path, std::int64_t limit) {
  const OpenArchive opened = open_to_read(path);
  std::vector<NamedTensor> tensors;
  for (std::size_t i = 0; i < opened.entries.size(); ++i) {
    const auto read = [&](const ByteSource& bytes, const std::string& source) {
      return read_npy(bytes, source, limit);
    };
    tensors.push_back(
        {opened.arrays[i].name, read_file_entry(opened.archive.get(), opened.entries[i], path.string(), read)});
    limit -= bytes_of(tensors.back().tensor);
  }
  return tensors;
}

std::vector<ArrayInfo> list_npz(const fs::path& path) {
  OpenArchive opened = open_to_read(path);
  for (std::size_t i = 0; i < opened.entries.size(); ++i) {
    ArrayInfo info = read_file_entry(opened.archive.get(), opened.entries[i], path.string(), read_npy_info);
    info.name = std::move(opened.arrays[i].name);
    opened.arrays[i] = std::move(info);
  }
  return std::move(opened.arrays);
}

namespace {

/// Hands the bytes of the array with this name to `read(bytes, source)`, and gives what it gives.
auto read_array_named(const fs::path& path, std::string_view name, auto&& read) {
  const OpenArchive opened = open_to_read(path);
  const std::size_t index = index_of(opened.arrays, name, path.string());
  return read_file_entry(opened.archive.get(), opened.entries[index], path.string(), read);
}

}  // namespace

Tensor read_npz_array(const fs::path& path, std::string_view name, std::int64_t limit, std::optional<Index> entry) {
  return read_array_named(path, name, [&](const ByteSource& bytes, const std::string& source) {
    return read_npy(bytes, source, limit, entry);
  });
}

std::vector<std::string> read_npz_texts(const fs::path& path, std::string_view name) {
  return read_array_named(path, name, read_npy_texts);
}

}  // namespace headlight
