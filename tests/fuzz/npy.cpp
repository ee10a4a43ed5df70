// .npy files: every array that is accepted is written again and reads back the same, bit for bit.
#include "core/formats/arrays/npy.hpp"

#include <algorithm>

#include "tests/fuzz/target.hpp"

namespace headlight::fuzz {
namespace {

constexpr std::int64_t limit = 1 << 20;

class MemoryBytes : public ByteSource {
 public:
  explicit MemoryBytes(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  std::size_t read(char* to, std::size_t count) override {
    const std::size_t taken = bytes_.substr(std::min(at_, bytes_.size())).copy(to, count);
    at_ += taken;
    return taken;
  }
  void seek(std::uint64_t offset) override { at_ = offset; }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

/// The array, of which an entry is what it is in the whole.
Tensor read(std::string_view bytes, const std::string& source) {
  MemoryBytes from(bytes);
  NpyArray array(from, source);
  const Tensor whole = array.read(limit);
  if (whole.shape().rank() == 0 || whole.shape()[0] == 0) return whole;
  const Index last = whole.shape()[0] - 1;
  for (const Index entry : {last, Index{0}})
    require(identical(array.read(limit, entry), whole.selected(0, entry).contiguous()),
            "an entry is what it is in the array");
  return whole;
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
