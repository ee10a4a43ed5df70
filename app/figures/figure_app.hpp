// A figure as something that a surface draws.
#pragma once

#include <optional>

#include "app/figures/figure.hpp"
#include "app/platform/app.hpp"
#include "app/session/session.hpp"
#include "app/views/frame/view_context.hpp"
#include "app/views/frame/view_memory.hpp"

namespace headlight {

/// Width and height in design pixels.
struct Extent {
  float width = 0;
  float height = 0;
};

class FigureApp : public App {
 public:
  /// `scale` is device pixels per design pixel. The session must outlive it.
  FigureApp(Session& session, const Figure& figure, double scale);

  SurfaceLook look() const override;
  void frame(FrameContext& frame) override;

  /// Device pixels per design pixel.
  void set_scale(double scale) { scale_ = scale; }
  /// What the figure is drawn in, in the middle of the surface; the whole surface without.
  void set_extent(const Extent& extent) { extent_ = extent; }
  /// How much higher the last frame would have had to be to show everything.
  float hidden() const { return hidden_; }
  /// More width would not help to show more.
  bool wide_enough() const { return figure_.kind == FigureKind::explanation; }

 private:
  void draw(ViewContext& context, const Rect& whole);

  Session& session_;
  Figure figure_;
  double scale_;
  ViewMemory memory_;
  std::optional<Extent> extent_;
  float hidden_ = 0;
};

}  // namespace headlight
