#include "app/platform/surfaces/framebuffer.hpp"

#include <algorithm>

#include <epoxy/gl.h>
#include <fmt/format.h>

#include "app/platform/machine_error.hpp"

namespace headlight {

Framebuffer::Framebuffer(int width, int height) {
  GLint most = 0;
  glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &most);
  if (width > most || height > most)
    throw MachineError(
        fmt::format("a picture of {} × {} pixels is larger than this machine can draw ({} × {}): choose a "
                    "smaller size or scale",
                    width, height, most, most));
  glGenRenderbuffers(1, &color_);
  glBindRenderbuffer(GL_RENDERBUFFER, color_);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
  glGenFramebuffers(1, &framebuffer_);
  bind();
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color_);
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
    throw MachineError(fmt::format("this machine cannot draw a picture of {} × {} pixels", width, height));
}

Framebuffer::~Framebuffer() {
  glDeleteFramebuffers(1, &framebuffer_);
  glDeleteRenderbuffers(1, &color_);
}

void Framebuffer::bind() const { glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_); }

Image read_pixels(int width, int height) {
  Image image(width, height);
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glPixelStorei(GL_PACK_ROW_LENGTH, 0);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, image.rgba.data());
  const auto row = static_cast<std::ptrdiff_t>(width) * 4;
  // OpenGL's first row is the lowest.
  for (int y = 0; y < height / 2; ++y)
    std::swap_ranges(image.rgba.begin() + y * row, image.rgba.begin() + (y + 1) * row,
                     image.rgba.begin() + (height - 1 - y) * row);
  // Blending on a transparent ground has multiplied the colours by alpha.
  for (auto pixel = image.rgba.begin(); pixel != image.rgba.end(); pixel += 4) {
    const int alpha = pixel[3];
    if (alpha == 0 || alpha == 255) continue;
    for (int channel = 0; channel < 3; ++channel)
      pixel[channel] = static_cast<std::uint8_t>(std::min(255, (255 * pixel[channel] + alpha / 2) / alpha));
  }
  return image;
}

}  // namespace headlight
