// The window: opens it and runs the app in it. And the clipboard.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

#include "app/platform/surfaces/app.hpp"

namespace headlight {

struct WindowOptions {
  int width = 1440;  ///< screen units
  int height = 900;
  bool maximised = false;          ///< it opens as large as the desktop allows; the size is that after restoring it
  std::ostream* frames = nullptr;  ///< gets a line per frame: seconds since the start, seconds to make it, to draw it
  std::ostream* second_frames = nullptr;  ///< the same for the second window
};

enum class WindowState : std::uint8_t { closed, open };

/// Opens the window and runs the app until it is closed. Draws only when something asks for it: input, a running
/// animation, a change outside. A page cannot wait: there the window is still open when this returns, and keeps the app
/// for as long as the browser shows it. Throws MachineError when there is no display or no OpenGL 3.3.
WindowState run_window(const std::shared_ptr<App>& app, const WindowOptions& options = {});

/// Gives `take` the clipboard's text, as the user pastes by a menu: at once, or in a browser later, when it has asked
/// the person. Where a browser gives nothing out it says how to paste instead, and `take` is not called.
void read_clipboard(std::function<void(const std::string&)> take);

}  // namespace headlight
