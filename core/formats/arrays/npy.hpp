// Reads and writes one array in NumPy's .npy format: a short text header, then the numbers.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
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

/// Writes up to `count` bytes to `to` and returns how many; 0 at the end.
using ByteSource = std::function<std::size_t(char* to, std::size_t count)>;

/// The array as the header describes it, without a name. Its type or number of axes may be one that cannot be read.
ArrayInfo read_npy_info(const ByteSource& bytes, const std::string& source);

/// Reads an array of floats (16 to 64 bits), whole numbers or truth values, in C or Fortran order (a transposed window
/// then), of up to four axes. Throws InputError naming `source` where it is damaged, of another kind (Python objects
/// are pickles, which are never loaded), or larger than `limit` bytes. With an `entry` of the first axis only that is
/// kept, and an array in C order may have five axes (see read_array).
Tensor read_npy(const ByteSource& bytes, const std::string& source, std::int64_t limit,
                std::optional<Index> entry = {});

/// The texts of an array of one axis, or of two, row after row; others of extent 1 may be among them.
std::vector<std::string> read_npy_texts(const ByteSource& bytes, const std::string& source);

/// Writes the tensor as a .npy file, piece by piece. The file is replaced in one step or not at all; throws InputError
/// where it cannot be written.
void write_npy(const std::filesystem::path& path, const Tensor& tensor, const WriteReport& report = {});

/// The array of a .npy file, and its header.
ArrayInfo list_npy(const std::filesystem::path& path);
Tensor read_npy(const std::filesystem::path& path, std::int64_t limit = default_memory_limit,
                std::optional<Index> entry = {});

}  // namespace headlight
