// What a surface draws: the same frame function for the window, the offscreen picture and the tests.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "app/heatmap/heatmap_renderer.hpp"
#include "app/platform/pictures/image.hpp"
#include "app/platform/surfaces/texture.hpp"
#include "app/theme_name.hpp"
#include "app/ui/ui.hpp"

namespace headlight {

/// What a surface must know before a frame begins.
struct SurfaceLook {
  ThemeName theme = ThemeName::dark;
  float ui_scale = 1;  ///< 1, 1.25, 1.5 or 2; the surface multiplies by the display's own scale
  bool reduce_motion = false;
  bool transparent = false;  ///< nothing lies behind what is drawn: for pictures

  friend bool operator==(const SurfaceLook&, const SurfaceLook&) = default;
};

/// One frame: draw on `ui` (an ImGui window that covers the surface is open), read `ui.input()`.
struct FrameContext {
  Ui& ui;
  HeatmapRenderer& heatmaps;
  /// A picture that the app shows; the surface keeps it, because it must go before the surface does.
  std::unique_ptr<Texture>& texture;
  /// Set to end the window.
  bool close = false;
  /// Set to get a picture of this frame, once it is drawn.
  std::function<void(const Image&)> take_picture = {};
};

class App {
 public:
  virtual ~App() = default;
  virtual SurfaceLook look() const = 0;
  virtual std::string title() const { return "Headlight"; }
  virtual void frame(FrameContext& frame) = 0;

  /// While nobody does anything, the window asks at this interval (seconds), and whenever it is woken, whether
  /// something changed outside of its frames: a file that is being edited, a result that is there. Only when it did is
  /// a frame drawn.
  virtual double watch_interval() const { return std::numeric_limits<double>::infinity(); }
  virtual bool changed_outside() { return false; }
  /// What the app may call, on any thread, to have changed_outside() asked at once. Empty when nobody listens any more.
  virtual void set_wake(std::function<void()>) {}
};

}  // namespace headlight
