// Selecting, pinning and walking from cell to cell.
#pragma once

#include <optional>

#include "app/session/display/selection.hpp"
#include "core/model/cell.hpp"
#include "core/model/trace.hpp"

namespace headlight {

class Session;

/// Hovering previews a cell, selecting moves the selection, and pinning keeps a cell until another one is pinned or it
/// is released.
class Selecting {
 public:
  explicit Selecting(Session& session) : session_(session) {}

  /// Sets the cell under the mouse, or none. A cell outside of the trace counts as none.
  void hover(const std::optional<Cell>& cell);
  /// Selects and pins the cell, after a click or a followed link. A cell outside of the trace is ignored.
  void pin(const Cell& cell);
  /// Pins what Session::cell() shows.
  void pin();
  /// Unpins the cell: the selection stays where it is, and hovering previews cells again.
  void release();

  /// Selects without pinning, and without adding to the cells that go_back() returns to.
  void select(const Selection& selection);
  void select_tensor(TensorId tensor);
  /// Selects a tensor and opens a view that shows it: the present view if it can, else the pipeline.
  void look_at(TensorId tensor);
  void select_head(Index head);
  void select_batch(Index batch);
  /// Selects the next (+1) or previous (-1) visible head; the first follows the last.
  void step_head(int direction);
  void move(Direction direction);

  /// Back and forward among the pinned cells (Session::pins()), as in a browser.
  void go_back();
  void go_forward();
  /// Pins the cell that contributes most to this one, or the first cell that this one contributes to. Returns false if
  /// there is none.
  bool walk_upstream();
  bool walk_downstream();

 private:
  bool walk_to(const std::optional<Cell>& next);
  void return_to(const Pin& pin);

  Session& session_;
};

/// The cell that contributes most to this one; for a weight, its score. None if the tensor is drawn.
std::optional<Cell> upstream_of(const Trace& trace, const Cell& cell);
/// The first cell that this one contributes to; none for the output.
std::optional<Cell> downstream_of(const Trace& trace, const Cell& cell);

}  // namespace headlight
