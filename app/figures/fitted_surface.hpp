// A surface on which a figure fills its size with nothing hidden and no room wasted.
#pragma once

#include "app/figures/figure_app.hpp"
#include "app/platform/surfaces/offscreen.hpp"

namespace headlight {

/// The figure is laid out once at the size that suits it, trimmed to what it drew, and then scaled into its size, in
/// the middle. The window alone takes its size as a window does: the larger it is, the more stands in it.
class FittedSurface {
 public:
  /// The session must outlive it. Throws MachineError where there is no OpenGL 3.3.
  FittedSurface(Session& session, const Figure& figure);

  Image pixels() { return surface_.settled_picture(); }
  DisplayList shapes() { return surface_.settled_drawing(); }
  /// The size on the page.
  PageSize page() const { return page_; }

 private:
  /// A layout in which everything shows, without the bands in which nothing does.
  Extent lay_out(Extent extent);
  bool all_shows();
  void fill(const Figure& figure, const Extent& extent);

  FigureApp app_;
  Offscreen surface_;
  PageSize page_;
};

}  // namespace headlight
