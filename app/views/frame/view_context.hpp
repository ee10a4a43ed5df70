// What every view gets to draw one frame with.
#pragma once

namespace headlight {

class HeatmapRenderer;
class Session;
class Ui;
struct ViewMemory;

/// References for the length of one frame. A view reads the session and calls its verbs, and draws in the rectangle
/// that it is given, in design pixels.
struct ViewContext {
  Ui& ui;
  HeatmapRenderer& heatmaps;
  Session& session;
  ViewMemory& memory;
  bool still = false;  ///< a picture to take away: no controls, no story, and no cell lit that nobody pinned
};

}  // namespace headlight
