// Matrix products on strided windows of tensors.
#pragma once

#include <algorithm>

#include "core/compute/matrices.hpp"
#include "core/compute/workspace.hpp"

namespace headlight {

/// out = left · right, on the caller's thread: (rows, terms) · (terms, columns) -> (rows, columns). In each operand
/// either the rows or the columns must be contiguous.
void multiply(const MatrixIn<float>& left, const MatrixIn<float>& right, MatrixOut<float> out);
void multiply(const MatrixIn<double>& left, const MatrixIn<double>& right, MatrixOut<double> out);

/// How a batch of products is cut into tasks.
struct Cut {
  Index rows = 1;      ///< of the result in one piece
  Index columns = 1;   ///< of the result in one piece
  Index products = 1;  ///< whole products in one task, when a product is not cut
};
Cut cut_products(Index rows, Index columns, Index terms);

/// The `finish` of products whose results need nothing added.
constexpr auto as_it_is = [](const auto&, Index) {};

/// Computes out(n) = left(n) · right(n) for n in [0, count), on all threads; every n has the same sizes. `left`,
/// `right` and `out` return the n-th matrix. `finish(piece, first_column)` is called for every computed piece of a
/// result.
template <class T, class Left, class Right, class Out, class Finish>
void multiply_all(Workspace& workspace, Index count, Left&& left, Right&& right, Out&& out, Finish&& finish) {
  if (count == 0) return;
  const Index rows = out(Index{0}).rows(), columns = out(Index{0}).cols();
  const Cut cut = cut_products(rows, columns, left(Index{0}).cols());
  const Index down = (rows + cut.rows - 1) / cut.rows, across = (columns + cut.columns - 1) / cut.columns;
  workspace.ranges(count * down * across, cut.products, [&](Index begin, Index end) {
    for (Index task = begin; task < end; ++task) {
      const Index n = task / (down * across);
      const Index row = task / across % down * cut.rows, column = task % across * cut.columns;
      const Index height = std::min(cut.rows, rows - row), width = std::min(cut.columns, columns - column);
      WritableMatrix<T> whole = out(n);
      MatrixOut<T> piece = whole.block(row, column, height, width);
      multiply(left(n).middleRows(row, height), right(n).middleCols(column, width), piece);
      finish(piece, column);
    }
  });
}

}  // namespace headlight
