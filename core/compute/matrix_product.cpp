#include "core/compute/matrix_product.hpp"

#include <array>
#include <type_traits>

#include <cblas.h>

#include "core/compute/vectors.hpp"

namespace headlight {
namespace {

/// Products of fewer terms are done before BLAS has copied its operands into the order that it likes.
constexpr Index fewest_terms_for_blas = Index{1} << 17;
/// Numbers of an operand that are laid out anew for such a product where they must be.
constexpr Index most_laid_out = 4096;

/// Floating-point operations of a product that is worth cutting in two, those that are cut further, and those that many
/// small products come to in one task. BLAS copies its operands for each piece, so that smaller ones cost more than
/// they spread; small products run at a fraction of the speed.
constexpr Index least_flops = Index{8} << 20;
constexpr Index most_flops = Index{256} << 20;
constexpr Index small_task_flops = Index{1} << 20;

/// Numbers side by side, anywhere in memory.
template <class T, std::size_t bytes>
using Vector [[gnu::vector_size(bytes), gnu::aligned(alignof(T)), gnu::may_alias]] = T;

/// Some rows of a result, in pieces of `count` vectors across: summed side by side in registers, each number in the
/// order of the terms. The last piece may begin inside the one before. (Plain loops over the numbers are vectorised in
/// part.)
template <std::size_t rows, class Numbers, std::size_t count, class T>
HEADLIGHT_INLINED void multiply_across(const MatrixView<const T>& left, const T* right, Index right_stride,
                                       const MatrixView<T>& out, Index row) {
  constexpr auto width = static_cast<Index>(count * sizeof(Numbers) / sizeof(T));
  for (Index column = 0; column < out.columns; column += width) {
    const Index first = std::min(column, out.columns - width);
    Numbers sums[rows][count] = {};
    for (Index n = 0; n < left.columns; ++n) {
      const auto* from = reinterpret_cast<const Numbers*>(right + n * right_stride + first);
      for (std::size_t r = 0; r < rows; ++r) {
        const T factor = left.data[(row + Index(r)) * left.row_stride + n * left.column_stride];
        for (std::size_t i = 0; i < count; ++i) sums[r][i] += factor * from[i];
      }
    }
    for (std::size_t r = 0; r < rows; ++r) {
      auto* to = reinterpret_cast<Numbers*>(out.data + (row + Index(r)) * out.row_stride + first);
      for (std::size_t i = 0; i < count; ++i) to[i] = sums[r][i];
    }
  }
}

/// As many times so many rows as there are, from `row` on. Gives the first row that is left.
template <std::size_t rows, class T>
HEADLIGHT_INLINED Index multiply_rows(const MatrixView<const T>& left, const T* right, Index right_stride,
                                      const MatrixView<T>& out, Index row) {
  const std::size_t bytes = static_cast<std::size_t>(out.columns) * sizeof(T);
  for (; row + Index(rows) <= out.rows; row += Index(rows)) {
    if (bytes >= 64) multiply_across<rows, Vector<T, 32>, 2>(left, right, right_stride, out, row);
    else if (bytes >= 32) multiply_across<rows, Vector<T, 32>, 1>(left, right, right_stride, out, row);
    else if (bytes >= 16) multiply_across<rows, Vector<T, 16>, 1>(left, right, right_stride, out, row);
    else multiply_across<rows, T, 1>(left, right, right_stride, out, row);
  }
  return row;
}

/// The rows of `right` are contiguous.
template <class T>
HEADLIGHT_INLINED void multiply_all_rows(const MatrixView<const T>& left, const T* right, Index stride,
                                         const MatrixView<T>& out) {
  const Index row = multiply_rows<4>(left, right, stride, out, 0);
  multiply_rows<1>(left, right, stride, out, row);
}

HEADLIGHT_VECTORIZED void multiply_small(MatrixView<const float> left, const float* right, Index stride,
                                         MatrixView<float> out) {
  multiply_all_rows(left, right, stride, out);
}
HEADLIGHT_VECTORIZED void multiply_small(MatrixView<const double> left, const double* right, Index stride,
                                         MatrixView<double> out) {
  multiply_all_rows(left, right, stride, out);
}

/// With the rows of `right` laid out one after the other where they are not contiguous.
template <class T>
void multiply_small(MatrixView<const T> left, MatrixView<const T> right, MatrixView<T> out) {
  if (right.column_stride == 1) return multiply_small(left, right.data, right.row_stride, out);
  std::array<T, most_laid_out> rows;
  for (Index column = 0; column < right.columns; ++column) {
    const T* from = right.data + column * right.column_stride;
    for (Index n = 0; n < right.rows; ++n)
      rows[static_cast<std::size_t>(n * right.columns + column)] = from[n * right.row_stride];
  }
  multiply_small(left, rows.data(), right.columns, out);
}

template <class T>
bool is_small(const MatrixView<const T>& left, const MatrixView<const T>& right) {
  return left.rows * right.rows * right.columns < fewest_terms_for_blas &&
         (right.column_stride == 1 || right.rows * right.columns <= most_laid_out);
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
  if (is_small(left, right)) return multiply_small(left, right, out);
  keep_blas_to_one_thread();
  const Layout a(left), b(right);
  const auto rows = static_cast<blasint>(out.rows), columns = static_cast<blasint>(out.columns);
  const auto terms = static_cast<blasint>(left.columns);
  const auto stride = static_cast<blasint>(out.row_stride);
  const auto gemm = [] {
    if constexpr (std::is_same_v<T, float>) return cblas_sgemm;
    else return cblas_dgemm;
  }();
  gemm(CblasRowMajor, a.transpose, b.transpose, rows, columns, terms, 1, left.data, a.stride, right.data, b.stride, 0,
       out.data, stride);
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
