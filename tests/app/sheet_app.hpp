// An app for tests: a function as its frame.
#pragma once

#include <functional>
#include <utility>

#include "app/platform/surfaces/app.hpp"

namespace headlight {

class SheetApp : public App {
 public:
  explicit SheetApp(std::function<void(FrameContext&)> draw, SurfaceLook look = {})
      : draw_(std::move(draw)), look_(look) {}
  SurfaceLook look() const override { return look_; }
  void set_look(const SurfaceLook& look) { look_ = look; }
  void frame(FrameContext& frame) override { draw_(frame); }

 private:
  std::function<void(FrameContext&)> draw_;
  SurfaceLook look_;
};

}  // namespace headlight
