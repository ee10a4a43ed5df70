// Reads and writes one array in NumPy's .npy format: a short text header, then the numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/formats/arrays/array_info.hpp"
#include "core/formats/files.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// The header of a .npy file: version 1.0, type "<f4" or "<f8", C order. Like NumPy's, its length is a multiple of 64
/// bytes.
std::string npy_header(Precision precision, const Shape& shape);

/// Gives the bytes of a .npy file piece by piece. A strided window is copied in pieces too, never as a whole.
class NpyStream {
 public:
  explicit NpyStream(Tensor tensor);

  std::size_t size() const;
  /// Writes up to `count` bytes to `to`, continuing after the last read. Returns how many; 0 at the end.
  std::size_t read(char* to, std::size_t count);

 private:
  void fill_piece();

  Tensor tensor_;
  std::string piece_;         ///< bytes ready to be read
  std::size_t piece_at_ = 0;  ///< how many bytes of the piece were already read
  Index next_ = 0;            ///< the first element that no piece has had yet, in row-major order
};

/// The bytes of a .npy file, or of one in an archive.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Of all of them, by the file's own length or the archive's directory.
  virtual std::uint64_t size() const = 0;
  /// Writes up to `count` of the next bytes to `to` and returns how many; 0 at the end.
  virtual std::size_t read(char* to, std::size_t count) = 0;
  /// Goes on reading at this byte.
  virtual void seek(std::uint64_t offset) = 0;
};

/// Those of a file of its own. Throws InputError as FileReader does, and for a pipe.
class FileBytes : public ByteSource {
 public:
  explicit FileBytes(const std::filesystem::path& path);
  std::uint64_t size() const override { return file_.size(); }
  std::size_t read(char* to, std::size_t count) override { return file_.read(to, count); }
  void seek(std::uint64_t offset) override { file_.seek(offset); }

 private:
  FileReader file_;
};

/// A .npy array whose header is read. Its numbers are read as often as wanted; entry after entry they are read once.
class NpyArray {
 public:
  /// `source` names the bytes in messages. Throws InputError where they are no array, or where the header promises
  /// other than as many bytes as there are.
  NpyArray(ByteSource& bytes, std::string source);

  /// As the header describes it, without a name. Its type or number of axes may be one that cannot be read.
  const ArrayInfo& info() const { return info_; }

  /// The floats (16 to 64 bits), whole numbers or truth values, in C or Fortran order (a transposed window then), of up
  /// to four axes. Throws InputError where they are damaged, of another kind (Python objects are pickles, which are
  /// never loaded), or more than `limit` bytes. With an `entry` of the first axis only that is kept, and an array in C
  /// order may have five axes (see read_array).
  Tensor read(std::int64_t limit, std::optional<Index> entry = {});

  /// The texts of an array of one axis, or of two, row after row; others of extent 1 may be among them.
  std::vector<std::string> read_texts();

 private:
  ByteSource& bytes_;
  std::string source_;
  std::string header_;            ///< its text
  std::uint64_t first_byte_ = 0;  ///< of the numbers
  std::uint64_t at_ = 0;          ///< of the next byte that is read
  ArrayInfo info_;

  void go_to(std::uint64_t offset);
  void read_bytes(char* to, std::size_t count);
  std::string read_bytes(std::size_t count);
  void read_header();
  void require_promised() const;
  void require_end();
};

/// Writes the tensor as a .npy file, piece by piece. The file is replaced in one step or not at all; throws InputError
/// where it cannot be written.
void write_npy(const std::filesystem::path& path, const Tensor& tensor, const WriteReport& report = {});

/// The array of a .npy file.
Tensor read_npy(const std::filesystem::path& path, std::int64_t limit = default_memory_limit);

}  // namespace headlight
