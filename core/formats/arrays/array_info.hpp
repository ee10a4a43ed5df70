// An array of a file before its numbers are read, and what the readers of all kinds of files share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/formats/files.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// An array of a file, known without reading its numbers.
struct ArrayInfo {
  std::string name;            ///< empty where the file has only one
  std::vector<Index> extents;  ///< outermost first; there may be more than a Shape can hold
  std::string type;            ///< in the file's words: "<f4", "BF16"
  bool has_numbers = true;     ///< of a type that can be read
};

/// Throws InputError where a file holds more arrays than any model does: each takes memory before anything is read.
void require_few_arrays(std::size_t arrays, const std::string& source);

/// Where each array is among those of a file.
class ArrayNames {
 public:
  ArrayNames() = default;
  ArrayNames(const std::vector<ArrayInfo>& arrays, std::string source);

  /// No name means the only one. Throws InputError naming those that there are.
  std::size_t index_of(std::string_view name) const;

 private:
  std::string source_;
  std::size_t count_ = 0;
  std::string words_;  ///< the first names, for messages
  std::unordered_map<std::string, std::size_t> indices_;
};

/// The arrays of an open file of any kind.
class ArrayReader {
 public:
  virtual ~ArrayReader() = default;
  /// All of them, in the file's order.
  virtual const std::vector<ArrayInfo>& arrays() = 0;
  /// One of them, without looking at the others; without a name, the only one of the file.
  virtual ArrayInfo info(std::string_view name) = 0;
  /// The array with this name. float32 for floats of up to 32 bits, float64 for all other numbers; infinities and NaN
  /// are kept. Throws InputError naming the file and the array, with what was found and what is allowed: no such name,
  /// a type that is not numeric, more than four axes, more than `limit` bytes.
  ///
  /// With an `entry` of the array's first axis, counted from 0, or from the end where it is below 0, only its numbers
  /// are kept in memory, so the array may have five axes (but not an .npy array in Fortran's order). Throws also where
  /// there is no such entry. Entries in order are read in one go.
  virtual Tensor read(std::string_view name, std::int64_t limit, std::optional<Index> entry) = 0;
  /// The texts of an .npz file's array, in order: np.array(["The", "cat"]), with one axis, or with others of extent 1
  /// before it. Throws InputError if the array isn't one of these.
  virtual std::vector<std::string> read_texts(std::string_view name);
};

/// What is left of the array where one entry of its first axis is taken; `entry` becomes its index from 0. Throws
/// InputError where there is no such entry.
ArrayInfo entry_of(const ArrayInfo& array, Index& entry, const std::string& source);

/// The shape of an array that has up to four axes and, held in this precision, up to `limit` bytes; else InputError.
Shape shape_within(const ArrayInfo& array, Precision held, const std::string& source, std::int64_t limit);

}  // namespace headlight
