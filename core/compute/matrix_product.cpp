#include "core/compute/matrix_product.hpp"

#include <algorithm>
#include <array>

#include "core/compute/blas_call.hpp"
#include "core/compute/vectors.hpp"

namespace headlight {
namespace {

/// Products with fewer multiplications than this run in the loops below: for them Eigen with BLAS takes 1.1 to 5 times
/// as long, and Eigen without BLAS up to 8 times (tests/benchmarks/kernels_benchmark.cpp). BLAS first copies its
/// operands into an order of its own; Eigen alone uses only the vector instructions that every x86-64 machine has.
constexpr Index fewest_terms_for_blas = Index{1} << 17;
/// The loops below need contiguous rows of `right`. They copy it to get them if it has at most this many numbers.
constexpr Index most_laid_out = 512;

/// Floating-point operations: a product with more than `least_flops` is cut in two, one with more than `most_flops` is
/// cut further, and many small products share a task until they reach `small_task_flops`. BLAS copies its operands for
/// each piece, so cutting smaller products costs more than the second thread gains. `small_task_flops` is lower because
/// small products need more time per operation.
constexpr Index least_flops = Index{8} << 20;
constexpr Index most_flops = Index{256} << 20;
constexpr Index small_task_flops = Index{1} << 20;

/// The widest vectors that the loops below use, in bytes, and how many of them in each of four rows: as many sums as a
/// machine's registers hold beside their factors.
#ifdef __wasm__
constexpr std::size_t widest = 16;
constexpr Index most_vectors = 2;
#else
constexpr std::size_t widest = 32;
constexpr Index most_vectors = 3;
#endif

/// A vector register of numbers, which may be loaded from an address of any alignment; of 0 bytes a number alone. A
/// type that is handed over as a template's argument would lose its alignment, with Clang, so it is its owner that is.
template <class T, std::size_t bytes>
struct Vector {
  using Numbers [[gnu::vector_size(bytes), gnu::aligned(alignof(T)), gnu::may_alias]] = T;
  static_assert(alignof(Numbers) == alignof(T));
};
template <class T>
struct Vector<T, 0> {
  using Numbers = T;
};

/// Computes a piece of the result: `rows` rows from `row` on, `count` vectors wide, from `column` on. The sums stay in
/// registers, and each adds its terms in their order. (The compiler vectorises plain loops over the numbers only in
/// part. An Index has 64 bits also in WebAssembly, where distances as wide as its addresses make this loop faster.)
template <std::size_t rows, class Register, std::size_t count, class Left, class T>
HEADLIGHT_INLINED void multiply_piece(const Left& left, const T* right, Index right_stride, MatrixOut<T>& out,
                                      Index row, Index column) {
  using Numbers = typename Register::Numbers;
  Numbers sums[rows][count] = {};
  const auto at = [](Index distance) { return static_cast<std::ptrdiff_t>(distance); };
  const std::ptrdiff_t step = Left::InnerStrideAtCompileTime == 1 ? 1 : at(left.innerStride());
  const std::ptrdiff_t next_row = at(left.outerStride());
  const T* factors = left.data() + at(row * left.outerStride());
  const T* numbers = right + at(column);
  for (std::ptrdiff_t n = 0; n < at(left.cols()); ++n) {
    const auto* from = reinterpret_cast<const Numbers*>(numbers + n * at(right_stride));
    for (std::size_t r = 0; r < rows; ++r) {
      const T factor = factors[at(Index(r)) * next_row + n * step];
      for (std::size_t i = 0; i < count; ++i) sums[r][i] += factor * from[i];
    }
  }
  for (std::size_t r = 0; r < rows; ++r) {
    auto* to = reinterpret_cast<Numbers*>(&out(row + Index(r), column));
    for (std::size_t i = 0; i < count; ++i) to[i] = sums[r][i];
  }
}

/// Computes `rows` rows of the result, starting at `row`, in the fewest pieces of up to `most_vectors`, as even as they
/// can be. If the last piece would reach past the end, it starts earlier and overlaps the one before.
template <std::size_t rows, class Register, class Left, class T>
HEADLIGHT_INLINED void multiply_across(const Left& left, const T* right, Index right_stride, MatrixOut<T>& out,
                                       Index row) {
  constexpr auto width =
      static_cast<Index>(sizeof(typename Register::Numbers) / sizeof(T));  // NOLINT(bugprone-sizeof-expression): or 1
  const Index columns = out.cols();
  for (Index column = 0; column < columns;) {
    const Index vectors = (columns - column + width - 1) / width, pieces = (vectors + most_vectors - 1) / most_vectors;
    const Index count = std::min(columns / width, (vectors + pieces - 1) / pieces);
    const Index first = std::min(column, columns - count * width);
    if (count == 3) multiply_piece<rows, Register, 3>(left, right, right_stride, out, row, first);
    else if (count == 2) multiply_piece<rows, Register, 2>(left, right, right_stride, out, row, first);
    else multiply_piece<rows, Register, 1>(left, right, right_stride, out, row, first);
    column += count * width;
  }
}

template <std::size_t rows, class Left, class T>
HEADLIGHT_INLINED void multiply_rows(const Left& left, const T* right, Index right_stride, MatrixOut<T>& out,
                                     Index row) {
  const std::size_t bytes = static_cast<std::size_t>(out.cols()) * sizeof(T);
  if (bytes >= widest) multiply_across<rows, Vector<T, widest>>(left, right, right_stride, out, row);
  else if (bytes >= 16) multiply_across<rows, Vector<T, 16>>(left, right, right_stride, out, row);
  else multiply_across<rows, Vector<T, 0>>(left, right, right_stride, out, row);
}

/// Computes every row of the result, four at a time. If two or three are left, they are computed with those before
/// them once more, since a row alone waits for each of its sums. The rows of `right` must be contiguous.
template <class Left, class T>
HEADLIGHT_INLINED void multiply_all_rows(const Left& left, const T* right, Index stride, MatrixOut<T>& out) {
  const Index rows = out.rows(), alone = rows < 4 ? rows : rows % 4 == 1 ? 1 : 0;
  for (Index row = 0; row < rows - alone; row += 4) multiply_rows<4>(left, right, stride, out, std::min(row, rows - 4));
  for (Index row = rows - alone; row < rows; ++row) multiply_rows<1>(left, right, stride, out, row);
}

/// Where the rows of `left` are contiguous, its type says so. In WebAssembly the loops above then take a sixth less
/// time.
template <class T>
HEADLIGHT_INLINED void multiply_in_loops(const MatrixIn<T>& left, const T* right, Index stride, MatrixOut<T>& out) {
  if (left.innerStride() != 1) return multiply_all_rows(left, right, stride, out);
  const Eigen::Map<const RowMajor<T>, Eigen::Unaligned, RowStride> rows(left.data(), left.rows(), left.cols(),
                                                                        RowStride(left.outerStride()));
  multiply_all_rows(rows, right, stride, out);
}

HEADLIGHT_VECTORIZED void multiply_small(const MatrixIn<float>& left, const float* right, Index stride,
                                         MatrixOut<float>& out) {
  multiply_in_loops(left, right, stride, out);
}
HEADLIGHT_VECTORIZED void multiply_small(const MatrixIn<double>& left, const double* right, Index stride,
                                         MatrixOut<double>& out) {
  multiply_in_loops(left, right, stride, out);
}

/// Copies the rows of `right` one after the other first if they are not contiguous.
template <class T>
void multiply_small(const MatrixIn<T>& left, const MatrixIn<T>& right, MatrixOut<T>& out) {
  if (right.innerStride() == 1) return multiply_small(left, right.data(), right.outerStride(), out);
  std::array<T, most_laid_out> rows;
  WritableMatrix<T>(rows.data(), right.rows(), right.cols(), RowStride(right.cols())).transpose() = right.transpose();
  multiply_small(left, rows.data(), right.cols(), out);
}

/// Computes a result with a single row or column. BLAS is not used here at any size: its products with a vector sum in
/// an order that depends on where the vector is in memory.
template <class T>
void multiply_vector(const MatrixIn<T>& left, const MatrixIn<T>& right, MatrixOut<T>& out) {
  if (out.cols() == 1 || right.innerStride() == 1) return multiply_small(left, right.data(), right.outerStride(), out);
  const MatrixView<T> turned(right.data(), right.cols(), right.rows(),
                             AnyStride(right.innerStride(), right.outerStride()));
  WritableMatrix<T> column(out.data(), out.cols(), 1, RowStride(1));
  MatrixOut<T> turned_out = column;
  multiply_small(turned, left.data(), left.innerStride(), turned_out);
}

template <class T>
bool is_small(const MatrixIn<T>& left, const MatrixIn<T>& right) {
  return left.rows() * right.rows() * right.cols() < fewest_terms_for_blas &&
         (right.innerStride() == 1 || right.size() <= most_laid_out);
}

/// Calls `use` with the matrix typed as row-major or column-major, whichever it is. With strides for both axes in the
/// type, Eigen would copy the matrix before it calls BLAS.
template <class T, class Use>
void with_order(const MatrixIn<T>& matrix, Use&& use) {
  // With a single row the distance to the next row can be anything, but BLAS rejects a distance shorter than the row.
  const auto as = [&]<class Order>(const Order&, Index distance, Index length) {
    const RowStride stride(std::max(distance, length));
    use(Eigen::Map<const Order, Eigen::Unaligned, RowStride>(matrix.data(), matrix.rows(), matrix.cols(), stride));
  };
  if (matrix.innerStride() == 1) as(RowMajor<T>{}, matrix.outerStride(), matrix.cols());
  else as(Eigen::MatrixX<T>{}, matrix.innerStride(), matrix.rows());
}

/// Computes a few columns of the result at a time. Their part of `right` is laid out first, and then stays in the
/// nearest cache for all rows. (Without BLAS, Eigen takes 1.5 to 2.7 times as long: it knows no vector instructions of
/// WebAssembly.)
template <class T>
void multiply_in_panels(const MatrixIn<T>& left, const MatrixIn<T>& right, MatrixOut<T>& out) {
  if (right.innerStride() != 1 && left.rows() < right.cols()) {  // there is less of `left` to lay out
    RowMajor<T> turned(out.cols(), out.rows());
    MatrixOut<T> turned_out = turned;
    multiply_in_panels<T>(right.transpose(), left.transpose(), turned_out);
    out = turned.transpose();
    return;
  }
  constexpr auto width = static_cast<Index>(widest / sizeof(T)) * most_vectors;
  RowMajor<T> panel(right.rows(), std::min(width, right.cols()));
  for (Index column = 0; column < out.cols(); column += width) {
    const Index count = std::min(width, out.cols() - column);
    WritableMatrix<T> own(panel.data(), right.rows(), count, RowStride(count));
    with_order<T>(right.middleCols(column, count), [&](const auto& part) { own = part; });
    MatrixOut<T> piece = out.middleCols(column, count);
    multiply_small(left, panel.data(), count, piece);
  }
}

#ifdef EIGEN_USE_BLAS
template <class T>
void multiply_large(const MatrixIn<T>& left, const MatrixIn<T>& right, MatrixOut<T>& out) {
  const BlasCall call;
  with_order(left, [&](const auto& a) { with_order(right, [&](const auto& b) { out.noalias() = a * b; }); });
}
#else
template <class T>
void multiply_large(const MatrixIn<T>& left, const MatrixIn<T>& right, MatrixOut<T>& out) {
  multiply_in_panels(left, right, out);
}
#endif

template <class T>
void multiply_matrices(const MatrixIn<T>& left, const MatrixIn<T>& right, MatrixOut<T>& out, Products products) {
  if (out.rows() == 1 || out.cols() == 1) return multiply_vector(left, right, out);
  if (is_small(left, right)) return multiply_small(left, right, out);
  if (products == Products::in_order) return multiply_in_panels(left, right, out);
  multiply_large(left, right, out);
}

}  // namespace

void multiply(const MatrixIn<float>& left, const MatrixIn<float>& right, MatrixOut<float> out) {
  multiply_matrices(left, right, out, Products::fast);
}
void multiply(const MatrixIn<double>& left, const MatrixIn<double>& right, MatrixOut<double> out) {
  multiply_matrices(left, right, out, Products::fast);
}
void multiply_in_order(const MatrixIn<float>& left, const MatrixIn<float>& right, MatrixOut<float> out) {
  multiply_matrices(left, right, out, Products::in_order);
}
void multiply_in_order(const MatrixIn<double>& left, const MatrixIn<double>& right, MatrixOut<double> out) {
  multiply_matrices(left, right, out, Products::in_order);
}

Cut cut_products(Index rows, Index columns, Index terms) {
  const Index flops = 2 * rows * columns * terms;
  Cut cut{rows, columns, 1};
  if (flops < least_flops) {
    cut.products = std::max<Index>(1, small_task_flops / std::max<Index>(1, flops));
    return cut;
  }
  // Halves the longer side, because square pieces read the least, and rounds up to 16, the largest tile side of BLAS.
  const Index wanted = std::max(std::min<Index>(2, flops / least_flops), flops / most_flops);
  const auto half = [](Index length) { return ((length + 1) / 2 + 15) / 16 * 16; };
  for (Index pieces = 1; pieces < wanted; pieces *= 2) {
    Index& longer = cut.rows >= cut.columns ? cut.rows : cut.columns;
    longer = std::min(longer, half(longer));
  }
  return cut;
}

}  // namespace headlight
