#include "app/shell/render_picture.hpp"

#include <utility>

#include "app/platform/offscreen.hpp"
#include "app/shell/headlight_app.hpp"

namespace headlight {

Image render_picture(Session session, int width, int height, float display_scale) {
  session.set_timed(false);
  HeadlightApp app(std::move(session));
  Offscreen surface(app, width, height, display_scale);
  return surface.settled_picture();
}

}  // namespace headlight
