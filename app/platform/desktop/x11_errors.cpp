#include "app/platform/desktop/x11_errors.hpp"

#include <cstdio>

#include <X11/Xlib.h>
#include <dlfcn.h>

namespace headlight {
namespace {

/// A function of Xlib; null where nothing has loaded it, because the display is Wayland's.
template <class Function>
Function* of_xlib(const char* name) {
  void* const xlib = ::dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (xlib == nullptr) return nullptr;
  auto* const function = reinterpret_cast<Function*>(::dlsym(xlib, name));
  ::dlclose(xlib);
  return function;
}

/// Whether a window of another program that has just gone gives such an error, as in the middle of a drag; or one of
/// ours that was just hidden.
bool is_of_vanished_window(int error) { return error == BadWindow || error == BadDrawable || error == BadMatch; }

int tell(Display* display, XErrorEvent* error) {
  if (is_of_vanished_window(error->error_code)) return 0;
  char reason[128] = "an error";
  if (auto* const words = of_xlib<decltype(XGetErrorText)>("XGetErrorText"))
    words(display, error->error_code, reason, sizeof reason);
  std::fprintf(stderr, "headlight: the X server refused request %d: %s\n", error->request_code, reason);
  return 0;
}

}  // namespace

void outlive_errors_of_x11() {
  if (auto* const set_handler = of_xlib<decltype(XSetErrorHandler)>("XSetErrorHandler")) set_handler(tell);
}

}  // namespace headlight
