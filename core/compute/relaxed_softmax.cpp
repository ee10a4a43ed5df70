#include "core/compute/relaxed_softmax.hpp"

#include <cstddef>

extern "C" {
extern const unsigned char _binary_relaxed_softmax_wasm_start[], _binary_relaxed_softmax_wasm_end[];
/// In app/platform/web/page.js: loads the module, if the browser can, and stores pointers to its two functions.
void page_load_relaxed_softmax(const unsigned char* module, std::size_t size, headlight::RelaxedSoftmax* functions);
}

namespace headlight {

const RelaxedSoftmax& relaxed_softmax() {
  static const RelaxedSoftmax functions = [] {
    RelaxedSoftmax loaded;
    const auto* const module = _binary_relaxed_softmax_wasm_start;
    page_load_relaxed_softmax(module, static_cast<std::size_t>(_binary_relaxed_softmax_wasm_end - module), &loaded);
    return loaded;
  }();
  return functions;
}

}  // namespace headlight
