// One array in NumPy's .npy format: a short text header, then the numbers.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "core/formats/arrays/array_file.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// Version 1.0, little-endian "<f4" or "<f8", C order; as long as a multiple of 64 bytes, as NumPy makes it.
std::string npy_header(Precision precision, const Shape& shape);

/// The bytes of a .npy file, given out piece by piece: a strided window is never copied as a whole.
class NpyStream {
 public:
  explicit NpyStream(Tensor tensor);

  std::size_t size() const;
  /// Fills up to `count` bytes from where the last read ended; gives how many, 0 at the end.
  std::size_t read(char* to, std::size_t count);

 private:
  void fill_piece();

  Tensor tensor_;
  std::string piece_;         ///< bytes that are ready
  std::size_t piece_at_ = 0;  ///< how many of them were given out
  Index next_ = 0;            ///< the first element that is in no piece yet, row-major
};

/// Gives up to `count` bytes into `to`, and how many; 0 at the end.
using ByteSource = std::function<std::size_t(char* to, std::size_t count)>;

/// What the header says of the array, without a name; types and numbers of axes that cannot be read among it.
ArrayInfo read_npy_info(const ByteSource& bytes, const std::string& source);

/// Reads an array of floats (16 to 64 bits), whole numbers or truth values, in C or Fortran order (a transposed window
/// then), of up to four axes. Throws InputError naming `source` where it is damaged, of another kind (Python objects
/// are pickles, which are never loaded), or larger than `limit` bytes.
Tensor read_npy(const ByteSource& bytes, const std::string& source, std::int64_t limit);

}  // namespace headlight
