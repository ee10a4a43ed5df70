// Numbers changed in the picture itself: an input's, a weight's or a bias's cell is dragged sideways, or typed over, by
// just typing or from its menu.
//
// The pictures tell what is done to which cell while they are drawn; the setup changes after all of them, because an
// edit replaces the trace that they show. A drag, and a number that is typed, are one step of undo.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/heatmap/heatmap.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/tensors/tensor_picture.hpp"
#include "core/model/setup.hpp"

namespace headlight {

struct CellEdit {
  Cell cell;
  double was = 0;     ///< the number before
  double number = 0;  ///< the number now
  double shown = 0;   ///< what the pictures of the last frame had
  Setup before;       ///< what Escape brings back
  Rect at;            ///< where the cell is on the screen
  bool dragged = false;
  float dragged_by = 0;  ///< how far the pointer has come since the number last changed
  bool typing = false;
  std::string text;      ///< as typed
  std::string offered;   ///< the old number, to be typed over; unchanged it changes nothing
  std::string entered;   ///< what Enter was pressed on: a number, or never one
  bool refused = false;  ///< the text isn't a number
  int age = 0;           ///< frames since the typing began: a text field takes a moment to get the keyboard
  bool over = false;     ///< ends with this frame
};

/// What the views remember of it.
struct CellEditMemory {
  std::optional<Cell> pressed;  ///< the cell that the button went down on
  std::optional<CellEdit> edit;
  ItemId edit_item = 0;  ///< the picture in which it happens
};

/// Whether the item's cell is being dragged, so that the picture itself must not move.
bool drags_cell(const ViewContext& context, const Item& item);

/// To be called with every picture of the present setup whose cells can be changed: begins and continues a drag, begins
/// to type over the pinned cell, and marks the cells that were changed.
void edit_cells(ViewContext& context, const Item& item, const TensorPicture& picture, const Heatmap& heatmap);

/// Opens the field over a number, wherever it is on the screen.
void type_over_cell(ViewContext& context, const Cell& cell);

/// Puts the number into the setup, and draws the bubble above the cell. To be called once in a frame, after all else.
void finish_cell_edit(ViewContext& context);

}  // namespace headlight
