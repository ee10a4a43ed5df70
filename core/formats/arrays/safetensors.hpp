// Reads safetensors files, in which models of today are published: the length of a header (8 bytes, little-endian), the
// header, which is JSON ({"name": {"dtype": "F32", "shape": [8, 8], "data_offsets": [0, 256]}, ...}), and the numbers.
// https://huggingface.co/docs/safetensors describes the format; nothing in such a file is ever executed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/formats/arrays/array_info.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// A file that is open: its header is read once, and its arrays as often as wanted.
class SafetensorsFile : public ArrayReader {
 public:
  /// Throws InputError naming the file and the array where the header is damaged or wrong: a length or offsets beyond
  /// the end of the file, arrays that overlap or leave gaps, byte counts that do not fit the shape, a name twice, or
  /// more than 16 MiB of header.
  explicit SafetensorsFile(const std::filesystem::path& path);
  ~SafetensorsFile() override;

  /// In the order of their numbers.
  const std::vector<ArrayInfo>& arrays() override;
  ArrayInfo info(std::string_view name) override;
  /// F64, F32, F16, BF16, whole numbers or BOOL, of up to four axes and `limit` bytes. The others are not read.
  Tensor read(std::string_view name, std::int64_t limit, std::optional<Index> entry) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headlight
