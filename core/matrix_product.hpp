// Matrix products on windows, by Eigen over BLAS.
#pragma once

#include "core/shape.hpp"
#include "core/tensor.hpp"

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
};

/// The matrix of the last two axes of a tensor, at leading indices `a` (and `b`, for four axes).
template <class T>
MatrixView<const T> matrix(const Tensor& tensor, Index a = 0, Index b = 0) {
  const Shape& strides = tensor.strides();
  const int rank = tensor.shape().rank();
  const Index offset = rank == 4 ? a * strides[0] + b * strides[1] : rank == 3 ? a * strides[0] : 0;
  return {tensor.data<T>() + offset, tensor.shape().back(1), tensor.shape().back(0), strides.back(1), strides.back(0)};
}

/// out = left · right; the rows of `out` are contiguous.
void multiply(MatrixView<const float> left, MatrixView<const float> right, MatrixView<float> out);
void multiply(MatrixView<const double> left, MatrixView<const double> right, MatrixView<double> out);

}  // namespace headlight
