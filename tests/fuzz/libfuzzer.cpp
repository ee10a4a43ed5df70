// The function that libFuzzer calls with each input.
#include <cstdint>

#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  headlight::fuzz::judge({reinterpret_cast<const char*>(data), size});
  return 0;
}
