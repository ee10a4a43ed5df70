// The window: opens it and runs the app in it.
#pragma once

#include <iosfwd>

#include "app/platform/app.hpp"

namespace headlight {

struct WindowOptions {
  int width = 1440;  ///< screen units
  int height = 900;
  std::ostream* frames = nullptr;  ///< gets a line per frame: seconds since the start, seconds to make it, to draw it
  std::ostream* second_frames = nullptr;  ///< the same for the second window
};

/// Opens the window and runs the app until it is closed. Draws only when something asks for it: input, a running
/// animation, a change outside. Throws MachineError when there is no display or no OpenGL 3.3.
void run_window(App& app, const WindowOptions& options = {});

}  // namespace headlight
