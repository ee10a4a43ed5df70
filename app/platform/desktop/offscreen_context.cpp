#include "app/platform/surfaces/offscreen_context.hpp"

#include <array>

#include <epoxy/egl.h>

#include "app/platform/machine_error.hpp"

namespace headlight {
namespace {

constexpr const char* advice =
    "cannot draw pictures: this machine has no OpenGL 3.3 through EGL. Install a software renderer "
    "(Debian: libegl1 and libgl1-mesa-dri), or use \"headlight compute\" and \"headlight explain\", which don't need "
    "it.";

EGLDisplay open_display() {
  EGLDisplay display = EGL_NO_DISPLAY;
  if (epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless"))
    display = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, nullptr, nullptr);
  if (display == EGL_NO_DISPLAY) display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
  if (display == EGL_NO_DISPLAY || !eglInitialize(display, nullptr, nullptr)) throw MachineError(advice);
  return display;
}

EGLContext create_context(EGLDisplay display) {
  constexpr std::array<EGLint, 5> wanted{EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_SURFACE_TYPE, EGL_PBUFFER_BIT,
                                         EGL_NONE};
  constexpr std::array<EGLint, 7> version{EGL_CONTEXT_MAJOR_VERSION_KHR,
                                          3,
                                          EGL_CONTEXT_MINOR_VERSION_KHR,
                                          3,
                                          EGL_CONTEXT_OPENGL_PROFILE_MASK_KHR,
                                          EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT_KHR,
                                          EGL_NONE};
  EGLConfig config = nullptr;
  EGLint count = 0;
  if (!eglBindAPI(EGL_OPENGL_API) || !eglChooseConfig(display, wanted.data(), &config, 1, &count) || count < 1)
    throw MachineError(advice);
  EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version.data());
  if (context == EGL_NO_CONTEXT) throw MachineError(advice);
  return context;
}

}  // namespace

struct OffscreenContext::Handles {
  EGLDisplay display = open_display();
  EGLContext context = create_context(display);
};

OffscreenContext::OffscreenContext() : handles_(std::make_unique<Handles>()) { make_current(); }

OffscreenContext::~OffscreenContext() {
  // The whole process shares the display with its other contexts, so it stays open.
  eglMakeCurrent(handles_->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  eglDestroyContext(handles_->display, handles_->context);
}

void OffscreenContext::make_current() const {
  if (!eglMakeCurrent(handles_->display, EGL_NO_SURFACE, EGL_NO_SURFACE, handles_->context)) throw MachineError(advice);
}

}  // namespace headlight
