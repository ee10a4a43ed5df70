// What every view gets to draw one frame with.
#pragma once

namespace headlight {

class HeatmapRenderer;
class Session;
class Ui;
class ViewMemory;
struct Cell;

/// References for the length of one frame. A view reads the session and calls its verbs, and draws in the rectangle
/// that it is given, in design pixels.
struct ViewContext {
  Ui& ui;
  HeatmapRenderer& heatmaps;
  Session& session;
  ViewMemory& memory;
  bool still = false;       ///< drawing a picture for export: no controls, no story, and only a pinned cell is lit
  bool printed = false;     ///< and for paper, perhaps without colours: signs that no number says are marked
  bool presenting = false;  ///< presenting: no controls, the story is drawn elsewhere, and no cell is quiet

  /// Whether a view draws its picture alone.
  bool bare() const { return still || presenting; }
};

/// Tells the session which cell is under the mouse. draw_app ends the hovering after a frame in which no view called
/// this.
void hover_cell(ViewContext& context, const Cell& cell);

}  // namespace headlight
