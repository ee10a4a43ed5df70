#include "core/compute/relaxed_softmax.hpp"

#include <cstddef>

extern "C" {
extern const unsigned char _binary_relaxed_softmax_wasm_start[], _binary_relaxed_softmax_wasm_end[];
/// In app/platform/web/page.js: stores pointers to the module's two functions if this thread can have them. They are
/// made once for each thread.
void page_relaxed_softmax(const unsigned char* module, std::size_t size, headlight::RelaxedSoftmax* functions);
}

namespace headlight {

RelaxedSoftmax relaxed_softmax() {
  RelaxedSoftmax functions;
  const auto* const module = _binary_relaxed_softmax_wasm_start;
  page_relaxed_softmax(module, static_cast<std::size_t>(_binary_relaxed_softmax_wasm_end - module), &functions);
  return functions;
}

}  // namespace headlight
