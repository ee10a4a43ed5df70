// A surface sized so that a figure fills it, with nothing hidden and little empty space.
#pragma once

#include "app/figures/figure_app.hpp"
#include "app/platform/surfaces/offscreen.hpp"

namespace headlight {

/// Lays out the figure once at the size that suits it, trims the empty space, and scales the result into the size that
/// was asked for, centred. The figure of the window is not scaled: the larger its size, the more it shows.
class FittedSurface {
 public:
  /// The session must outlive this object. Throws MachineError if there is no OpenGL 3.3.
  FittedSurface(Session& session, const Figure& figure);

  Image pixels() { return surface_.settled_picture(); }
  DisplayList shapes() { return surface_.settled_drawing(); }
  /// The size of the picture on the page.
  PageSize page() const { return page_; }

 private:
  /// Finds an extent in which everything is visible and empty space is trimmed; starts at `extent`.
  Extent lay_out(Extent extent);
  bool all_shows();
  void fill(const Figure& figure, const Extent& extent);

  FigureApp app_;
  Offscreen surface_;
  PageSize page_;
};

}  // namespace headlight
