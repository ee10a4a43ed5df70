// Draws heatmaps with OpenGL, in order with the rest of the draw list.
#pragma once

#include <memory>

#include "app/heatmap/heatmap.hpp"

namespace headlight {

/// Owns the shader and the textures; lives as long as the surface it was made for. A texture is uploaded when
/// the slice is another window on a tensor, or other cells of it are visible, than in a texture it has; textures that a
/// few frames did not use are dropped.
class HeatmapRenderer {
 public:
  /// An OpenGL 3.3 context must be current, here and in all that follows.
  HeatmapRenderer();
  ~HeatmapRenderer();
  HeatmapRenderer(const HeatmapRenderer&) = delete;
  HeatmapRenderer& operator=(const HeatmapRenderer&) = delete;

  /// Puts the heatmap on the canvas, clipped as the canvas is. Cells and gaps only: bands, rings, numbers, labels are
  /// the caller's, before or after.
  void draw(const Canvas& canvas, const Heatmap& heatmap);

  /// For the surface: before the first draw of a frame, and after the draw lists have been rendered.
  void begin_frame();
  void end_frame();

  /// How many textures have been uploaded since the start, and how many are held: for tests.
  int uploads() const;
  int held() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headlight
