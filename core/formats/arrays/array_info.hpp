// An array of a file before its numbers are read, and what the readers of all kinds of files share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
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

/// Where the name is among the arrays; no name means the only one. Throws InputError naming those that there are.
std::size_t index_of(const std::vector<ArrayInfo>& arrays, std::string_view name, const std::string& source);

/// What is left of the array where one entry of its first axis is taken; `entry` becomes its index from 0. Throws
/// InputError where there is no such entry.
ArrayInfo entry_of(const ArrayInfo& array, Index& entry, const std::string& source);

/// The shape of an array that has up to four axes and, held in this precision, up to `limit` bytes; else InputError.
Shape shape_within(const ArrayInfo& array, Precision held, const std::string& source, std::int64_t limit);

}  // namespace headlight
