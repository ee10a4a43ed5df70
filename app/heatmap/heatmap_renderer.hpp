// Draws heatmaps with OpenGL, in the order of the draw list.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "app/heatmap/heatmap.hpp"
#include "app/slices/pyramid.hpp"

namespace headlight {

/// The work done to draw heatmaps.
struct HeatmapWork {
  int uploads = 0;   ///< textures uploaded
  Index texels = 0;  ///< texels in the uploaded textures
  Index cells = 0;   ///< cells read from tensors
  friend bool operator==(const HeatmapWork&, const HeatmapWork&) = default;
};

/// Owns the shader and the textures of a surface. When a frame is rendered, a heatmap reuses a texture with the same
/// window on the tensor and the same visible cells; otherwise a new one is uploaded. Textures that are no longer used
/// are dropped. A frame that is not rendered reads no cell.
class HeatmapRenderer {
 public:
  /// A context of OpenGL 3.3 or OpenGL ES 3 must be current, here and in every other call. `glsl_beginning` is what its
  /// shaders begin with: their version.
  explicit HeatmapRenderer(std::string_view glsl_beginning);
  ~HeatmapRenderer();
  HeatmapRenderer(const HeatmapRenderer&) = delete;
  HeatmapRenderer& operator=(const HeatmapRenderer&) = delete;

  /// Adds the heatmap to the canvas, with the canvas's clip. Draws only cells and gaps: the caller draws bands, rings,
  /// numbers and labels before or after.
  void draw(const Canvas& canvas, const Heatmap& heatmap);

  /// Sets pyramids that were computed in the background, so that a frame with their slices need not read all cells, and
  /// the threads that read cells; before this call one thread reads them all. Neither may be null.
  void use(std::shared_ptr<const std::vector<Pyramid>> prepared, std::shared_ptr<Threads> threads);

  /// The surface calls these before the first draw of a frame, and when its textures are no longer needed.
  void begin_frame();
  void end_frame();

  /// The work done since the start, and the number of textures, for tests.
  const HeatmapWork& work() const;
  int held() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headlight
