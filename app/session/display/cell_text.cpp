#include "app/session/display/cell_text.hpp"

namespace headlight {
namespace {

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
