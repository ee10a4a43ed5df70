// What the X server refuses.
#pragma once

namespace headlight {

/// From now on no refused request ends the program, which is what Xlib does otherwise. Requests to a window that has
/// gone are passed over in silence; any other is told on standard error. Does nothing where the display isn't X11's.
/// GLFW forgets it with each window that it opens.
void outlive_errors_of_x11();

}  // namespace headlight
