// What a class that draws one frame of a view has at hand.
#pragma once

#include "app/ui/drawing/canvas.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

struct FrameTools {
  explicit FrameTools(ViewContext& context)
      : context_(context),
        session_(context.session),
        ui_(context.ui),
        canvas_(context.ui.canvas()),
        theme_(context.ui.theme()) {}

  ViewContext& context_;
  Session& session_;
  Ui& ui_;
  Canvas canvas_;
  const Theme& theme_;
};

}  // namespace headlight
