// Draws heatmaps with OpenGL, in order with the rest of the draw list.
#pragma once

#include <memory>
#include <vector>

#include "app/heatmap/heatmap.hpp"
#include "app/slices/pyramid.hpp"

namespace headlight {

/// What drawing heatmaps took.
struct HeatmapWork {
  int uploads = 0;   ///< of textures
  Index texels = 0;  ///< in them
  Index cells = 0;   ///< that were read from tensors
  friend bool operator==(const HeatmapWork&, const HeatmapWork&) = default;
};

/// Owns the shader and the textures; lives as long as the surface it was made for. When a frame is rendered, a texture
/// is uploaded where the slice is another window on a tensor, or other cells of it are visible, than in a texture it
/// has; textures that a few frames did not use are dropped. A frame that is not rendered reads no cell.
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

  /// Pyramids that were made beside the frames: a frame that draws their slices need not read all cells. And threads
  /// for the cells that it has to read; until then one reads them all. Neither is null.
  void use(std::shared_ptr<const std::vector<Pyramid>> prepared, std::shared_ptr<Threads> threads);

  /// For the surface: before the first draw of a frame, and after the draw lists have been rendered.
  void begin_frame();
  void end_frame();

  /// What has been done since the start, and how many textures are held: for tests.
  const HeatmapWork& work() const;
  int held() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headlight
