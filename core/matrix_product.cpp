#include "core/matrix_product.hpp"

#include <Eigen/Core>

namespace headlight {
namespace {

template <class T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using ColumnMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;
template <class Matrix>
using Map = Eigen::Map<Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;

/// Calls `body` with the Eigen view whose storage order fits the strides.
template <class T, class Body>
void with_map(MatrixView<const T> view, Body&& body) {
  // A single row (or column) may come with any distance to the next one, but BLAS insists on a plausible one.
  if (view.column_stride == 1) {
    const Index outer = view.rows == 1 ? view.columns : view.row_stride;
    body(Map<const RowMajor<T>>(view.data, view.rows, view.columns, Eigen::OuterStride<>(outer)));
  } else {
    const Index outer = view.columns == 1 ? view.rows : view.column_stride;
    body(Map<const ColumnMajor<T>>(view.data, view.rows, view.columns, Eigen::OuterStride<>(outer)));
  }
}

template <class T>
void multiply_views(MatrixView<const T> left, MatrixView<const T> right, MatrixView<T> out) {
  Map<RowMajor<T>> result(out.data, out.rows, out.columns, Eigen::OuterStride<>(out.row_stride));
  with_map(left, [&](auto&& a) { with_map(right, [&](auto&& b) { result.noalias() = a * b; }); });
}

}  // namespace

void multiply(MatrixView<const float> left, MatrixView<const float> right, MatrixView<float> out) {
  multiply_views(left, right, out);
}
void multiply(MatrixView<const double> left, MatrixView<const double> right, MatrixView<double> out) {
  multiply_views(left, right, out);
}

}  // namespace headlight
