// Matrix products on windows, by BLAS.
#pragma once

#include <algorithm>

#include "core/compute/workspace.hpp"
#include "core/model/shape.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// A matrix inside a block; either its rows or its columns are contiguous.
template <class T>
struct MatrixView {
  T* data = nullptr;
  Index rows = 0;
  Index columns = 0;
  Index row_stride = 0;
  Index column_stride = 1;

  MatrixView transposed() const { return {data, columns, rows, column_stride, row_stride}; }
  MatrixView row_range(Index begin, Index end) const {
    return {data + begin * row_stride, end - begin, columns, row_stride, column_stride};
  }
  MatrixView column_range(Index begin, Index end) const {
    return {data + begin * column_stride, rows, end - begin, row_stride, column_stride};
  }
};

/// The matrix of the last two axes of a tensor, at leading indices `a` (and `b`, for four axes).
template <class T>
MatrixView<const T> matrix(const Tensor& tensor, Index a = 0, Index b = 0) {
  const Shape& strides = tensor.strides();
  const int rank = tensor.shape().rank();
  const Index offset = rank == 4 ? a * strides[0] + b * strides[1] : rank == 3 ? a * strides[0] : 0;
  return {tensor.data<T>() + offset, tensor.shape().back(1), tensor.shape().back(0), strides.back(1), strides.back(0)};
}

/// out = left · right, on the caller's thread; the rows of `out` are contiguous.
void multiply(MatrixView<const float> left, MatrixView<const float> right, MatrixView<float> out);
void multiply(MatrixView<const double> left, MatrixView<const double> right, MatrixView<double> out);

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
  const MatrixView<T> first = out(Index{0});
  const Cut cut = cut_products(first.rows, first.columns, MatrixView<const T>(left(Index{0})).columns);
  const Index down = (first.rows + cut.rows - 1) / cut.rows, across = (first.columns + cut.columns - 1) / cut.columns;
  workspace.ranges(count * down * across, cut.products, [&](Index begin, Index end) {
    for (Index task = begin; task < end; ++task) {
      const Index n = task / (down * across);
      const Index row = task / across % down * cut.rows, column = task % across * cut.columns;
      const Index next_row = std::min(first.rows, row + cut.rows);
      const Index next_column = std::min(first.columns, column + cut.columns);
      const MatrixView<T> to = MatrixView<T>(out(n)).row_range(row, next_row).column_range(column, next_column);
      multiply(MatrixView<const T>(left(n)).row_range(row, next_row),
               MatrixView<const T>(right(n)).column_range(column, next_column), to);
      finish(to, column);
    }
  });
}

}  // namespace headlight
