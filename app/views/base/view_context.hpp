// Everything that a view needs to draw one frame.
#pragma once

namespace headlight {

class HeatmapRenderer;
class Session;
class Ui;
class ViewMemory;
struct Cell;

/// Valid for one frame. A view reads the session and calls its verbs, and draws in the rectangle that it is given, in
/// design pixels.
struct ViewContext {
  Ui& ui;
  HeatmapRenderer& heatmaps;
  Session& session;
  ViewMemory& memory;
  bool still = false;       ///< drawing for export: no controls, no story, and only a pinned cell is lit
  bool printed = false;     ///< and for paper, perhaps without colours: signs without a number are marked
  bool presenting = false;  ///< no controls, the story is drawn elsewhere, and no cell is quiet
  bool wordless = false;    ///< the story is drawn elsewhere or nowhere, and so is a slide's code
  bool reads = false;       ///< a line below the picture says what a number is, so that no tip has to
  bool plays = false;       ///< the strip of a played number has the place of a slide's code and question

  /// Whether a view draws only its picture.
  bool bare() const { return still || presenting; }
};

/// Sets the session's cell under the mouse. draw_app clears it after a frame in which no view called this.
void hover_cell(ViewContext& context, const Cell& cell);

}  // namespace headlight
