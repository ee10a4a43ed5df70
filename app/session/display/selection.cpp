#include "app/session/display/selection.hpp"

#include <algorithm>

#include "core/model/shapes.hpp"
#include "core/stages/table.hpp"

namespace headlight {
namespace {

Index clamped(Index index, Index extent) { return std::clamp<Index>(index, 0, extent - 1); }

Index row_extent(TensorId tensor, const Setup& setup) {
  const Shape extents = shape(tensor, setup);
  return extents.rank() < 2 ? 1 : extents.back(1);
}

std::optional<Axis> row_axis(const TensorInfo& tensor) {
  if (tensor.rank < 2) return std::nullopt;
  return tensor.axes[static_cast<std::size_t>(tensor.rank - 2)];
}

Axis column_axis(const TensorInfo& tensor) { return tensor.axes[static_cast<std::size_t>(tensor.rank - 1)]; }

/// The tensor itself if the setup has it, else the one that replaces it.
TensorId existing(TensorId tensor, const Setup& setup) {
  if (exists(tensor, setup)) return tensor;
  if (const auto weight = info(tensor).weight) return existing(*weight, setup);
  const auto made_from = stage_of(tensor).operands;
  if (!made_from.empty()) return existing(made_from.front().tensor, setup);
  return std::ranges::find_if(all_tensors(), [&](const TensorInfo& one) { return exists(one.id, setup); })->id;
}

TensorId neighbour(TensorId tensor, const Setup& setup, int step) {
  for (int index = static_cast<int>(tensor) + step; index >= 0 && index < static_cast<int>(tensor_count);
       index += step) {
    if (exists(static_cast<TensorId>(index), setup)) return static_cast<TensorId>(index);
  }
  return tensor;
}

std::string line(const Tensor& matrix, Index row) {
  std::string text;
  const Tensor numbers = matrix.shape().rank() == 1 ? matrix : matrix.selected(0, row);
  for (Index column = 0; column < numbers.shape()[0]; ++column) {
    if (column > 0) text += '\t';
    text += exact_text(numbers.at({column}), numbers.precision());
  }
  return text;
}

}  // namespace

Cell cell_of(const Selection& selection, const Setup& setup) {
  const TensorInfo& tensor = info(selection.tensor);
  Cell cell{selection.tensor, {}, setup.layer};
  for (int axis = 0; axis + 2 < tensor.rank; ++axis)
    cell.index.push_back(index_on(tensor.axes[static_cast<std::size_t>(axis)], selection.batch, selection.head, setup));
  if (tensor.rank > 1) cell.index.push_back(selection.row);
  cell.index.push_back(selection.column);
  return cell;
}

std::string text_of(const Cell& cell, const Setup& setup) {
  const bool names_first = setup.sizes.layers > 1 && cell.layer == 0 && !info(cell.tensor).is_of_model();
  return (names_first ? "L0." : "") + to_string(cell);
}

Selection fitting(Selection selection, const Setup& setup) {
  selection.tensor = existing(selection.tensor, setup);
  selection.batch = clamped(selection.batch, setup.sizes.batch);
  selection.head = clamped(selection.head, setup.sizes.heads);
  selection.row = clamped(selection.row, row_extent(selection.tensor, setup));
  selection.column = clamped(selection.column, shape(selection.tensor, setup).back(0));
  return selection;
}

Selection at_cell(Selection selection, const Cell& cell, const Setup& setup) {
  const TensorInfo& tensor = info(cell.tensor);
  selection.tensor = cell.tensor;
  if (const auto axis = tensor.batch_axis()) selection.batch = cell.index[*axis];
  if (const auto axis = tensor.head_axis()) {
    const Index head = cell.index[*axis];
    const bool shared = tensor.has_kv_heads();
    const bool same = shared && setup.kv_head_of(clamped(selection.head, setup.sizes.heads)) == head;
    if (!same) selection.head = shared ? head * (setup.sizes.heads / setup.kv_heads()) : head;
  }
  selection.row = tensor.rank > 1 ? cell.index.back(1) : 0;
  selection.column = cell.index.back(0);
  return fitting(selection, setup);
}

Selection on_tensor(Selection selection, TensorId tensor, const Setup& setup) {
  const TensorInfo& from = info(selection.tensor);
  const TensorInfo& to = info(tensor);
  const Selection old = selection;
  const auto index_on = [&](Axis axis, Index otherwise) {
    if (row_axis(from) == axis) return old.row;
    if (column_axis(from) == axis) return old.column;
    return otherwise;
  };
  selection.tensor = tensor;
  selection.row = row_axis(to) ? index_on(*row_axis(to), old.row) : 0;
  selection.column = index_on(column_axis(to), old.column);
  return fitting(selection, setup);
}

Selection moved(Selection selection, Direction direction, const Setup& setup) {
  const bool turned = shown_turned(selection.tensor, setup);
  const bool sideways = direction == Direction::left || direction == Direction::right;
  const bool onwards = direction == Direction::right || direction == Direction::down;
  Index& index = sideways != turned ? selection.column : selection.row;
  index += onwards ? 1 : -1;
  return fitting(selection, setup);
}

TensorId next_tensor(TensorId tensor, const Setup& setup) { return neighbour(tensor, setup, 1); }
TensorId previous_tensor(TensorId tensor, const Setup& setup) { return neighbour(tensor, setup, -1); }

bool shown_turned(TensorId tensor, const Setup& setup) {
  const TensorInfo& about = info(tensor);
  if (about.rank == 1) return false;
  if (about.kind == TensorKind::weight) return setup.attention.weight_layout == WeightLayout::out_in;
  return setup.attention.token_axis == TokenAxis::columns;
}

Tensor matrix_of(const Trace& trace, const Selection& selection) {
  Tensor tensor = trace[selection.tensor];
  const Cell cell = cell_of(selection, trace.setup);
  for (int axis = 0; axis + 2 < cell.index.rank(); ++axis) tensor = tensor.selected(0, cell.index[axis]);
  return tensor;
}

std::string row_text(const Trace& trace, const Selection& selection) {
  return line(matrix_of(trace, selection), selection.row);
}

std::string matrix_text(const Trace& trace, const Selection& selection) {
  const Tensor matrix = matrix_of(trace, selection);
  const Index rows = matrix.shape().rank() == 1 ? 1 : matrix.shape()[0];
  std::string text;
  for (Index row = 0; row < rows; ++row) text += line(matrix, row) + '\n';
  return text;
}

}  // namespace headlight
