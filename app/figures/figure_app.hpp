// Draws a figure on a surface.
#pragma once

#include <optional>

#include "app/figures/figure.hpp"
#include "app/platform/surfaces/app.hpp"
#include "app/presenter/presenter_app.hpp"
#include "app/session/session.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/base/view_memory.hpp"

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
  /// Draws the figure in an area of this size in the middle of the surface, instead of on the whole surface.
  void set_extent(const Extent& extent) { extent_ = extent; }
  /// The height, in design pixels, that was missing in the last frame to show everything.
  float hidden() const { return hidden_; }
  /// Whether a wider surface would not show more: true for the explanation, which is one column.
  bool wide_enough() const { return figure_.what == ExportWhat::explanation; }

 private:
  void draw(ViewContext& context, const Rect& whole);

  Session& session_;
  PresenterApp presenter_;
  Figure figure_;
  double scale_;
  ViewMemory memory_;
  std::optional<Extent> extent_;
  float hidden_ = 0;
};

}  // namespace headlight
