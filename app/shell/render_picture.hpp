// A picture of the app without a display.
#pragma once

#include "app/platform/image.hpp"
#include "app/session/session.hpp"

namespace headlight {

/// What the window would show of this session at width × height, at a display scale: width · scale × height · scale
/// pixels. The same session gives the same picture: what the computing took is not in it. Throws MachineError.
Image render_picture(Session session, int width, int height, float display_scale = 1);

}  // namespace headlight
