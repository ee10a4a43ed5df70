// Matrix products on windows.
#pragma once

#include <algorithm>

#include "core/compute/matrices.hpp"
#include "core/compute/workspace.hpp"

namespace headlight {

/// out = left · right, on the caller's thread. Of each operand either the rows or the columns are contiguous.
void multiply(const MatrixIn<float>& left, const MatrixIn<float>& right, MatrixOut<float> out);
void multiply(const MatrixIn<double>& left, const MatrixIn<double>& right, MatrixOut<double> out);

/// How products are cut into tasks.
struct Cut {
  Index rows = 1;      ///< of a result, in one piece
  Index columns = 1;   ///< likewise
  Index products = 1;  ///< in one task, where each is one piece
};
Cut cut_products(Index rows, Index columns, Index terms);

/// For products that need no finish.
constexpr auto as_it_is = [](const auto&, Index) {};

/// `count` products of one size on all threads: out(n) = left(n) · right(n). Each of the three gives the n-th matrix.
/// `finish` is called with every piece of a result that is done, and the number of its first column.
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
