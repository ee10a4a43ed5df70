#include "app/platform/surfaces/offscreen_context.hpp"

#include <emscripten/html5_webgl.h>

#include "app/platform/machine_error.hpp"

extern "C" int page_offscreen_context();

namespace headlight {

// The page has one context, which pictures are drawn with too. A program beside the page makes one of its own.
struct OffscreenContext::Handles {};

OffscreenContext::OffscreenContext() {
  if (emscripten_webgl_get_current_context() == 0 && page_offscreen_context() == 0)
    throw MachineError("Pictures need a browser that supports WebGL 2 in a worker");
}
OffscreenContext::~OffscreenContext() = default;
void OffscreenContext::make_current() const {}

}  // namespace headlight
