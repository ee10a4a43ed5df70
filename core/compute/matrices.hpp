// The numbers of a tensor as Eigen matrices and arrays that share the tensor's memory. Including Eigen adds a second of
// compile time to a file, so only the sources of kernels, stages and studies include this.
#pragma once

#include <Eigen/Core>

#include "core/model/tensor.hpp"

namespace headlight {

template <class T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using AnyStride = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
using RowStride = Eigen::OuterStride<>;

/// A matrix to read, with any distance between neighbouring rows and between neighbouring columns.
template <class T>
using MatrixView = Eigen::Map<const RowMajor<T>, Eigen::Unaligned, AnyStride>;
/// A matrix to write; each of its rows is contiguous.
template <class T>
using WritableMatrix = Eigen::Map<RowMajor<T>, Eigen::Unaligned, RowStride>;

/// The same two types as function parameters, which also accept a block of a matrix.
template <class T>
using MatrixIn = Eigen::Ref<const RowMajor<T>, Eigen::Unaligned, AnyStride>;
template <class T>
using MatrixOut = Eigen::Ref<RowMajor<T>, Eigen::Unaligned, RowStride>;

/// The (rows, columns) matrix of a tensor's last two axes, at leading indices `a` (and `b`, for four axes).
template <class T>
MatrixView<T> matrix(const Tensor& tensor, Index a = 0, Index b = 0) {
  const Shape& strides = tensor.strides();
  const int rank = tensor.shape().rank();
  const Index offset = rank == 4 ? a * strides[0] + b * strides[1] : rank == 3 ? a * strides[0] : 0;
  return {tensor.data<T>() + offset, tensor.shape().back(1), tensor.shape().back(0),
          AnyStride(strides.back(1), strides.back(0))};
}

/// The matrix of a tensor with four axes at its first two indices, to write. Its rows are contiguous.
template <class T>
WritableMatrix<T> writable(Tensor& tensor, Index a, Index b) {
  const Shape& strides = tensor.strides();
  return {tensor.writable<T>() + a * strides[0] + b * strides[1], tensor.shape()[2], tensor.shape()[3],
          RowStride(strides[2])};
}

template <class T>
MatrixView<T> transposed(const MatrixView<T>& matrix) {
  return {matrix.data(), matrix.cols(), matrix.rows(), AnyStride(matrix.innerStride(), matrix.outerStride())};
}

/// `count` contiguous numbers as an array.
template <class T>
Eigen::Map<const Eigen::ArrayX<T>> numbers(const T* first, Index count) {
  return {first, count};
}
template <class T>
Eigen::Map<Eigen::ArrayX<T>> numbers(T* first, Index count) {
  return {first, count};
}

}  // namespace headlight
