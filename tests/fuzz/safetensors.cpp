// A safetensors file: what is listed can be read, or is refused in words, and is as large as it says.
#include "core/formats/arrays/safetensors.hpp"

#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/target.hpp"

namespace headlight::fuzz {
namespace {

constexpr std::int64_t limit = 1 << 20;

void judge_array(SafetensorsFile& arrays, const ArrayInfo& array, const std::string& source) {
  try {
    const Tensor tensor = arrays.read(array.name, limit, {});
    require(tensor.shape() == Shape(array.extents), "an array has the shape that is listed");
  } catch (const InputError& error) {
    require_told(error, source);
  }
}

}  // namespace

void judge(std::string_view bytes) {
  const MemoryFile file(bytes);
  try {
    SafetensorsFile arrays(file.path());
    for (const ArrayInfo& array : arrays.arrays()) judge_array(arrays, array, file.path().string());
  } catch (const InputError& error) {
    require_told(error, file.path().string());
  }
}

}  // namespace headlight::fuzz
