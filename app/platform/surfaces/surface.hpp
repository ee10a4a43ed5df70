// The window and the offscreen picture share this: Dear ImGui with its OpenGL back end, fonts, heatmaps, and one frame.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "app/platform/surfaces/app.hpp"
#include "app/platform/surfaces/input_queue.hpp"
#include "app/ui/drawing/fonts.hpp"

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
  bool awaits_keyboard = false;  ///< a text field is about to get the keyboard: keys wait for it
  bool opened = true;            ///< the keys of the frame may have opened what the next ones are for
  std::optional<FarPointer> far_pointer = {};
};

class Surface {
 public:
  /// Needs a current OpenGL 3.3 context here, in every call and in the destructor.
  Surface();
  ~Surface();
  Surface(const Surface&) = delete;
  Surface& operator=(const Surface&) = delete;

  void make_current();
  /// Call it first in every frame: tells ImGui the surface's size (width and height in device pixels), and makes the
  /// fonts for its scale, unless they exist.
  void prepare(const SurfaceLook& look, float display_scale, Point pixels);
  /// Lets the app make one frame. ImGui's input and time step must be set. The drawing is also added to
  /// `record`, unless that is null.
  FrameResult frame(App& app, Input input, const FrameTiming& timing, DisplayList* record = nullptr,
                    const Surroundings& around = {});
  /// Takes what the frame after `last` gets, and lets keys share it where no control wants them and nothing depends on
  /// what lies between them.
  std::vector<InputEvent> take(InputQueue& events, const App& app, const FrameResult& last) const;
  /// Makes everything on the graphics card anew, because the card has lost it.
  void restore();
  /// Draws the last frame into the bound framebuffer, and hands the app its picture if it asked for one.
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
  std::vector<std::unique_ptr<InnerSurface>> inner_;
  std::optional<Fonts> fonts_;
  std::unique_ptr<GlyphTexture> glyphs_;
  UiMemory memory_;
  SurfaceLook look_;
  std::function<void(const Image&)> take_picture_;
};

}  // namespace headlight
