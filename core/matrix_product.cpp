#include "core/matrix_product.hpp"

#include <array>
#include <type_traits>

#include <cblas.h>

#include "core/vectors.hpp"

namespace headlight {
namespace {

/// Products of fewer terms are done before BLAS has looked at its arguments.
constexpr Index fewest_terms_for_blas = 2048;

/// Floating-point operations of a product that is worth cutting in two, those that are cut further, and those that many
/// small products come to in one task. BLAS copies its operands for each piece, so that smaller ones cost more than they
/// spread; small products run at a fraction of the speed.
constexpr Index least_flops = Index{8} << 20;
constexpr Index most_flops = Index{256} << 20;
constexpr Index small_task_flops = Index{1} << 20;

/// Numbers side by side, anywhere in memory.
template <class T, std::size_t bytes>
using Vector [[gnu::vector_size(bytes), gnu::aligned(alignof(T)), gnu::may_alias]] = T;

/// As many neighbours of a row at a time as fit, from `column` on: summed side by side in registers, each in the order
/// of the terms. Gives the first column that is left. (Plain loops over them are vectorised only in part.)
template <class Neighbours, std::size_t count, class T>
HEADLIGHT_INLINED Index multiply_neighbours(const T* left, Index left_stride, const T* right, Index right_stride,
                                            Index terms, T* out, Index column, Index columns) {
  constexpr auto step = static_cast<Index>(count * sizeof(Neighbours) / sizeof(T));
  for (; column + step <= columns; column += step) {
    Neighbours sums[count] = {};
    for (Index n = 0; n < terms; ++n) {
      const auto* from = reinterpret_cast<const Neighbours*>(right + n * right_stride + column);
      for (std::size_t i = 0; i < count; ++i) sums[i] += left[n * left_stride] * from[i];
    }
    auto* to = reinterpret_cast<Neighbours*>(out + column);
    for (std::size_t i = 0; i < count; ++i) to[i] = sums[i];
  }
  return column;
}

/// The rows of `right` are contiguous.
template <class T>
HEADLIGHT_INLINED void multiply_rows(const MatrixView<const T>& left, const T* right, Index right_stride,
                                     const MatrixView<T>& out) {
  const Index stride = left.column_stride, terms = left.columns, columns = out.columns;
  for (Index row = 0; row < out.rows; ++row) {
    const T* from = left.data + row * left.row_stride;
    T* to = out.data + row * out.row_stride;
    Index column = multiply_neighbours<Vector<T, 32>, 2>(from, stride, right, right_stride, terms, to, 0, columns);
    column = multiply_neighbours<Vector<T, 32>, 1>(from, stride, right, right_stride, terms, to, column, columns);
    column = multiply_neighbours<Vector<T, 16>, 1>(from, stride, right, right_stride, terms, to, column, columns);
    multiply_neighbours<T, 1>(from, stride, right, right_stride, terms, to, column, columns);
  }
}

HEADLIGHT_VECTORIZED void multiply_small(MatrixView<const float> left, const float* right, Index stride, MatrixView<float> out) {
  multiply_rows(left, right, stride, out);
}
HEADLIGHT_VECTORIZED void multiply_small(MatrixView<const double> left, const double* right, Index stride,
                                         MatrixView<double> out) {
  multiply_rows(left, right, stride, out);
}

/// With the rows of `right` laid out one after the other where they are not contiguous.
template <class T>
void multiply_small(MatrixView<const T> left, MatrixView<const T> right, MatrixView<T> out) {
  if (right.column_stride == 1) return multiply_small(left, right.data, right.row_stride, out);
  std::array<T, fewest_terms_for_blas> rows;
  for (Index column = 0; column < right.columns; ++column)
    for (Index n = 0; n < right.rows; ++n)
      rows[static_cast<std::size_t>(n * right.columns + column)] = right.data[n * right.row_stride + column * right.column_stride];
  multiply_small(left, rows.data(), right.columns, out);
}

/// As BLAS wants a matrix: how far one row (or column) is from the next, and which of the two it is.
template <class T>
struct Layout {
  CBLAS_TRANSPOSE transpose;
  blasint stride;

  explicit Layout(const MatrixView<T>& view) {
    // One row alone may come with any distance to the next, but BLAS insists on a plausible one.
    const bool rows = view.column_stride == 1;
    const Index outer = rows ? view.row_stride : view.column_stride;
    transpose = rows ? CblasNoTrans : CblasTrans;
    stride = static_cast<blasint>(std::max(outer, rows ? view.columns : view.rows));
  }
};

/// The threads are ours: BLAS works on the thread that calls it.
void keep_blas_to_one_thread() {
  static const bool done = (openblas_set_num_threads(1), true);
  static_cast<void>(done);
}

template <class T>
void multiply_views(MatrixView<const T> left, MatrixView<const T> right, MatrixView<T> out) {
  if (out.rows * out.columns * left.columns <= fewest_terms_for_blas) return multiply_small(left, right, out);
  keep_blas_to_one_thread();
  const Layout a(left), b(right);
  const auto rows = static_cast<blasint>(out.rows), columns = static_cast<blasint>(out.columns);
  const auto terms = static_cast<blasint>(left.columns);
  const auto stride = static_cast<blasint>(out.row_stride);
  const auto gemm = [] {
    if constexpr (std::is_same_v<T, float>) return cblas_sgemm;
    else return cblas_dgemm;
  }();
  gemm(CblasRowMajor, a.transpose, b.transpose, rows, columns, terms, 1, left.data, a.stride, right.data, b.stride, 0, out.data,
       stride);
}

}  // namespace

void multiply(MatrixView<const float> left, MatrixView<const float> right, MatrixView<float> out) {
  multiply_views(left, right, out);
}
void multiply(MatrixView<const double> left, MatrixView<const double> right, MatrixView<double> out) {
  multiply_views(left, right, out);
}

Cut cut_products(Index rows, Index columns, Index terms) {
  const Index flops = 2 * rows * columns * terms;
  Cut cut{rows, columns, 1};
  if (flops < least_flops) {
    cut.products = std::max<Index>(1, small_task_flops / std::max<Index>(1, flops));
    return cut;
  }
  // Halved along the longer side: square pieces read the least. BLAS works in tiles of up to 16.
  const Index wanted = std::max(std::min<Index>(2, flops / least_flops), flops / most_flops);
  const auto half = [](Index length) { return ((length + 1) / 2 + 15) / 16 * 16; };
  for (Index pieces = 1; pieces < wanted; pieces *= 2) {
    Index& longer = cut.rows >= cut.columns ? cut.rows : cut.columns;
    longer = std::min(longer, half(longer));
  }
  return cut;
}

}  // namespace headlight
