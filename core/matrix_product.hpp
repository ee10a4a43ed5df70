// Matrix products on windows, by BLAS.
#pragma once

#include <algorithm>

#include "core/shape.hpp"
#include "core/tensor.hpp"
#include "core/workspace.hpp"

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

/// How a large product is cut into tasks: pieces of the longer side of its result, of `size` each but the last.
struct Pieces {
  bool of_rows = true;
  Index size = 1;
  Index count = 1;
};
Pieces pieces_of(Index rows, Index columns, Index terms);

template <class T>
MatrixView<T> piece(MatrixView<T> whole, const Pieces& pieces, bool of_rows, Index i) {
  if (pieces.of_rows != of_rows) return whole;
  const Index begin = i * pieces.size;
  return of_rows ? whole.row_range(begin, std::min(whole.rows, begin + pieces.size))
                 : whole.column_range(begin, std::min(whole.columns, begin + pieces.size));
}

/// For products that need no finish.
constexpr auto as_it_is = [](const auto&, Index) {};

/// `count` products of one size on all threads: out(n) = left(n) · right(n). Each of the three gives the n-th matrix.
/// `finish` is called with every piece of a result that is done, and the number of its first column.
template <class T, class Left, class Right, class Out, class Finish>
void multiply_all(Workspace& workspace, Index count, Left&& left, Right&& right, Out&& out, Finish&& finish) {
  if (count == 0) return;
  const MatrixView<T> first = out(Index{0});
  const Index terms = MatrixView<const T>(left(Index{0})).columns;
  const Pieces pieces = pieces_of(first.rows, first.columns, terms);
  const Index products_per_task = pieces.count > 1 ? 1 : pieces_of(count, first.rows * first.columns, terms).size;
  workspace.ranges(count * pieces.count, products_per_task, [&](Index begin, Index end) {
    for (Index task = begin; task < end; ++task) {
      const Index n = task / pieces.count, i = task % pieces.count;
      const MatrixView<T> to = piece(piece(MatrixView<T>(out(n)), pieces, true, i), pieces, false, i);
      multiply(piece(MatrixView<const T>(left(n)), pieces, true, i), piece(MatrixView<const T>(right(n)), pieces, false, i), to);
      finish(to, pieces.of_rows ? 0 : i * pieces.size);
    }
  });
}

}  // namespace headlight
