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
#include "core/text/numbers.hpp"

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

/// Every tensor of every layer with its name, in the order of the forward pass and of the backward pass, layer by
/// layer, and `curve`.
std::vector<NamedTensor> named_tensors(const ModelTrace& model) {
  std::vector<NamedTensor> tensors;
  for (const auto& layer : model.layers)
    for (const TensorInfo& tensor : all_tensors())
      if (layer->has(tensor.id)) tensors.push_back({name_in_model(tensor.id, layer->setup), (*layer)[tensor.id]});
  if (model.first().learning == nullptr) return tensors;
  const std::vector<double>& losses = model.first().learning->losses;
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

void write_npz(const fs::path& path, const ModelTrace& model, const WriteReport& report) {
  write_npz(path, named_tensors(model), report);
}

namespace {

/// Deflate never makes its input this much larger.
constexpr std::uint64_t most_inflated = 1032;

/// How many bytes an entry has, and whether they are as they are in the file.
struct EntrySize {
  std::uint64_t bytes = 0;
  bool is_stored = false;
};

/// The bytes of an entry. One that is compressed begins anew to go back, and reads on to go ahead.
class EntryBytes : public ByteSource {
 public:
  EntryBytes(zip_t* archive, zip_uint64_t index, EntrySize size, std::string source)
      : archive_(archive), index_(index), size_(size), source_(std::move(source)) {
    open();
  }

  std::uint64_t size() const override { return size_.bytes; }
  std::size_t read(char* to, std::size_t count) override {
    const zip_int64_t got = zip_fread(entry_.get(), to, count);
    if (got < 0) fail_to_read(source_, zip_error_strerror(zip_file_get_error(entry_.get())));
    at_ += static_cast<std::uint64_t>(got);
    return static_cast<std::size_t>(got);
  }
  void seek(std::uint64_t offset) override {
    if (size_.is_stored && zip_fseek(entry_.get(), static_cast<zip_int64_t>(offset), SEEK_SET) == 0) {
      at_ = offset;
      return;
    }
    if (size_.is_stored || offset < at_) open();
    std::string piece(std::size_t{1} << 16, '\0');
    while (at_ < offset)
      if (read(piece.data(), std::min<std::uint64_t>(offset - at_, piece.size())) == 0)
        return;  // the next read says so
  }

 private:
  void open() {
    entry_.reset(zip_fopen_index(archive_, index_, 0));
    if (entry_ == nullptr) fail_to_read(source_, zip_strerror(archive_));
    at_ = 0;
  }

  zip_t* archive_;
  zip_uint64_t index_;
  EntrySize size_;
  std::string source_;
  ZipEntry entry_;
  std::uint64_t at_ = 0;
};

}  // namespace

/// The archive, the places of its arrays, and the array that was read last.
struct NpzFile::State {
  State(const fs::path& file, Archive read, std::uint64_t bytes)
      : path(file), archive(std::move(read)), file_size(bytes) {}

  fs::path path;
  Archive archive;
  std::uint64_t file_size;
  std::vector<zip_uint64_t> entries;
  std::vector<ArrayInfo> arrays;  ///< by name alone, until all are asked for
  ArrayNames names;
  bool all_known = false;

  struct Opened {
    Opened(zip_t* archive, zip_uint64_t entry, EntrySize size, const std::string& source)
        : bytes(archive, entry, size, source), array(bytes, source) {}
    EntryBytes bytes;
    NpyArray array;
  };
  std::size_t last = 0;
  std::unique_ptr<Opened> opened;  ///< the array of that index

  /// The size that the archive's directory says. Throws InputError where the file can't hold it.
  EntrySize size_of(zip_uint64_t entry, const std::string& source) const {
    zip_stat_t stat;
    zip_stat_init(&stat);
    if (zip_stat_index(archive.get(), entry, 0, &stat) != 0) fail_to_read(source, zip_strerror(archive.get()));
    constexpr zip_uint64_t wanted = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if ((stat.valid & wanted) != wanted) fail_to_read(source, "an entry without a size");
    const std::uint64_t most = stat.comp_method == ZIP_CM_STORE     ? stat.comp_size
                               : stat.comp_method == ZIP_CM_DEFLATE ? stat.comp_size * most_inflated
                                                                    : stat.size;
    if (stat.comp_size > file_size || stat.size > most)
      fail_to_read(source, fmt::format("{} in an entry of {}", format_bytes(static_cast<std::int64_t>(stat.size)),
                                       format_bytes(static_cast<std::int64_t>(stat.comp_size))));
    return {stat.size, stat.comp_method == ZIP_CM_STORE};
  }

  NpyArray& at(std::size_t index) {
    if (opened != nullptr && last == index) return opened->array;
    opened.reset();
    const std::string source = fmt::format("{}: {}{}", path.string(), arrays[index].name, extension);
    opened = std::make_unique<Opened>(archive.get(), entries[index], size_of(entries[index], source), source);
    last = index;
    return opened->array;
  }
};

NpzFile::NpzFile(const fs::path& path) {
  FileReader file(path);
  const std::uint64_t size = file.size();
  state_ = std::make_unique<State>(path, archive_in(file, path), size);
  const zip_int64_t count = zip_get_num_entries(state_->archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    const char* name = zip_get_name(state_->archive.get(), index, ZIP_FL_ENC_GUESS);
    if (name == nullptr || !is_array(name)) continue;
    state_->entries.push_back(index);
    state_->arrays.push_back({array_name(name), {}, {}});
  }
  if (state_->arrays.empty()) throw InputError({path.string(), "", "no arrays", "an archive as np.savez writes it"});
  require_few_arrays(state_->arrays.size(), path.string());
  state_->names = ArrayNames(state_->arrays, path.string());
}
NpzFile::~NpzFile() = default;

const std::vector<ArrayInfo>& NpzFile::arrays() {
  for (std::size_t i = 0; i < state_->arrays.size() && !state_->all_known; ++i) {
    const std::string name = state_->arrays[i].name;
    state_->arrays[i] = state_->at(i).info();
    state_->arrays[i].name = name;
  }
  state_->all_known = true;
  return state_->arrays;
}

ArrayInfo NpzFile::info(std::string_view name) {
  const std::size_t index = state_->names.index_of(name);
  ArrayInfo info = state_->at(index).info();
  info.name = state_->arrays[index].name;
  return info;
}

Tensor NpzFile::read(std::string_view name, std::int64_t limit, std::optional<Index> entry) {
  return state_->at(state_->names.index_of(name)).read(limit, entry);
}

std::vector<std::string> NpzFile::read_texts(std::string_view name) {
  return state_->at(state_->names.index_of(name)).read_texts();
}

std::vector<NamedTensor> NpzFile::read_all(std::int64_t limit) {
  std::vector<NamedTensor> tensors;
  for (std::size_t i = 0; i < state_->arrays.size(); ++i) {
    tensors.push_back({state_->arrays[i].name, state_->at(i).read(limit)});
    limit -= bytes_of(tensors.back().tensor);
  }
  return tensors;
}

std::vector<NamedTensor> read_npz(const fs::path& path, std::int64_t limit) { return NpzFile(path).read_all(limit); }

}  // namespace headlight
