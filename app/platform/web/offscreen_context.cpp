#include "app/platform/surfaces/offscreen_context.hpp"

#include <emscripten/html5_webgl.h>

#include "app/platform/machine_error.hpp"

namespace headlight {

// The page has one context, which pictures are drawn with too.
struct OffscreenContext::Handles {};

OffscreenContext::OffscreenContext() {
  if (emscripten_webgl_get_current_context() == 0) throw MachineError("Pictures need a page with WebGL 2");
}
OffscreenContext::~OffscreenContext() = default;
void OffscreenContext::make_current() const {}

}  // namespace headlight
