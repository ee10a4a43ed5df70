// What the window and the offscreen picture share: Dear ImGui with its OpenGL back end, fonts, heatmaps, and one frame.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>

#include "app/platform/app.hpp"
#include "app/ui/text/fonts.hpp"

struct ImGuiContext;

namespace headlight {

class GlyphTexture;

struct FrameTiming {
  double time = 0;
  double step = 1.0 / 60;
};

struct FrameResult {
  double next_frame_in = std::numeric_limits<double>::infinity();  ///< seconds; infinity when nothing moves
  bool close = false;
};

class Surface {
 public:
  /// Needs a current OpenGL 3.3 context, here, in every call and when it ends.
  Surface();
  ~Surface();
  Surface(const Surface&) = delete;
  Surface& operator=(const Surface&) = delete;

  void make_current();
  /// Before anything else of a frame: fonts for this scale, unless they are there.
  void prepare(const SurfaceLook& look, float display_scale);
  /// Lets the app make one frame. ImGui's input must be set and its size and time step in place.
  /// What it draws goes into `record` too, where there is one.
  FrameResult frame(App& app, Input input, const FrameTiming& timing, DisplayList* record = nullptr);
  /// Draws the last frame into the bound framebuffer, and hands out its picture if the app asked for one.
  void render();
  bool picture_wanted() const { return static_cast<bool>(take_picture_); }
  /// Device pixels per design pixel of the last prepare().
  float scale() const { return fonts_->scale(); }
  const HeatmapRenderer& heatmaps() const { return *heatmaps_; }
  UiMemory& ui_memory() { return memory_; }

 private:
  struct ContextDeleter {
    void operator()(ImGuiContext* context) const;
  };
  std::unique_ptr<ImGuiContext, ContextDeleter> context_;
  std::unique_ptr<HeatmapRenderer> heatmaps_;
  std::unique_ptr<Texture> texture_;
  std::optional<Fonts> fonts_;
  std::unique_ptr<GlyphTexture> glyphs_;
  UiMemory memory_;
  SurfaceLook look_;
  std::function<void(const Image&)> take_picture_;
};

}  // namespace headlight
