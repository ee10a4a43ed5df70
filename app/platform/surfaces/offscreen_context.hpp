// A context to draw with, without a window: of EGL on the desktop, and in a browser that of the page.
#pragma once

#include <memory>

namespace headlight {

class OffscreenContext {
 public:
  /// Makes the context current. Throws MachineError when the machine has no OpenGL 3.3.
  OffscreenContext();
  ~OffscreenContext();
  OffscreenContext(const OffscreenContext&) = delete;
  OffscreenContext& operator=(const OffscreenContext&) = delete;

  void make_current() const;

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

}  // namespace headlight
