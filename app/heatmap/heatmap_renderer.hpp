// Draws heatmaps with OpenGL, in the order in which they come in the draw list.
#pragma once

#include <memory>
#include <vector>

#include "app/heatmap/heatmap.hpp"
#include "app/slices/pyramid.hpp"

namespace headlight {

/// The work that drawing heatmaps took.
struct HeatmapWork {
  int uploads = 0;   ///< textures uploaded
  Index texels = 0;  ///< texels in the uploaded textures
  Index cells = 0;   ///< cells read from tensors
  friend bool operator==(const HeatmapWork&, const HeatmapWork&) = default;
};

/// Owns the shader and the textures; lives as long as the surface it was made for. When a frame is rendered, a heatmap
/// reuses a texture that holds the same window on the tensor with the same visible cells; otherwise a new one is
/// uploaded. Textures that are no longer used are dropped. A frame that is not rendered reads no cell.
class HeatmapRenderer {
 public:
  /// An OpenGL 3.3 context must be current, here and in every other call.
  HeatmapRenderer();
  ~HeatmapRenderer();
  HeatmapRenderer(const HeatmapRenderer&) = delete;
  HeatmapRenderer& operator=(const HeatmapRenderer&) = delete;

  /// Puts the heatmap on the canvas, clipped as the canvas is. Draws cells and gaps only: the caller draws bands,
  /// rings, numbers and labels before or after.
  void draw(const Canvas& canvas, const Heatmap& heatmap);

  /// Pyramids that were made beside the frames: a frame that draws their slices need not read all cells. And threads
  /// for the cells that it has to read; until then one reads them all. Neither is null.
  void use(std::shared_ptr<const std::vector<Pyramid>> prepared, std::shared_ptr<Threads> threads);

  /// The surface calls these: before the first draw of a frame, and when its textures are no longer needed.
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
