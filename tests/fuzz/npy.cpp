// .npy files: every array that is accepted is written again and reads back the same, bit for bit.
#include "core/formats/arrays/npy.hpp"

#include <algorithm>

#include "tests/fuzz/target.hpp"

namespace headlight::fuzz {
namespace {

constexpr std::int64_t limit = 1 << 20;

Tensor read(std::string_view bytes, const std::string& source) {
  const auto take = [&](char* to, std::size_t count) {
    const std::size_t taken = bytes.copy(to, count);
    bytes.remove_prefix(taken);
    return taken;
  };
  return read_npy(take, source, limit);
}

std::string written(const Tensor& tensor) {
  NpyStream stream(tensor);
  std::string bytes(stream.size(), '\0');
  require(stream.read(bytes.data(), bytes.size()) == bytes.size(), "a stream is as long as it says");
  return bytes;
}

}  // namespace

void judge(std::string_view bytes) {
  Tensor tensor;
  try {
    tensor = read(bytes, "input");
  } catch (const InputError& error) {
    require_told(error, "input");
    return;
  }
  require(identical(read(written(tensor), "written"), tensor), "an array is read again as it was written");
}

}  // namespace headlight::fuzz
