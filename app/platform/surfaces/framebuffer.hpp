// A framebuffer to draw into, and its pixels read back as a picture.
#pragma once

#include "app/platform/pictures/image.hpp"

namespace headlight {

/// An OpenGL framebuffer of its own, RGBA8.
class Framebuffer {
 public:
  /// Throws MachineError when the machine cannot draw pictures of this size.
  Framebuffer(int width, int height);
  ~Framebuffer();
  Framebuffer(const Framebuffer&) = delete;
  Framebuffer& operator=(const Framebuffer&) = delete;

  void bind() const;

 private:
  unsigned framebuffer_ = 0;
  unsigned color_ = 0;
};

/// The bound framebuffer as a picture, with straight alpha where the background is transparent.
Image read_pixels(int width, int height);

}  // namespace headlight
