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

/// The same, with each sum added in the order of its terms, at any size: so a row has the same bits in a product of any
/// number of rows. Products that are not large are always computed so.
void multiply_in_order(const MatrixIn<float>& left, const MatrixIn<float>& right, MatrixOut<float> out);
void multiply_in_order(const MatrixIn<double>& left, const MatrixIn<double>& right, MatrixOut<double> out);

/// How a batch of products is cut into tasks.
struct Cut {
  Index rows = 1;      ///< of the result in one piece
  Index columns = 1;   ///< of the result in one piece
  Index products = 1;  ///< whole products in one task, when a product is not cut
};
Cut cut_products(Index rows, Index columns, Index terms);

/// The `finish` of products whose results need nothing added.
constexpr auto as_it_is = [](const auto&, Index) {};

/// Which rows of a taller product are wanted: of every `before + own` rows the last `own`.
struct LastRows {
  Index before = 0;
  Index own = 1;
};

namespace detail {

inline void multiply_as(Products products, const auto& left, const auto& right, const auto& out) {
  if (products == Products::in_order) multiply_in_order(left, right, out);
  else multiply(left, right, out);
}

/// As multiply_all, for some rows of a taller product. The last bits of a row depend on the size of the product and on
/// the row's place in it, so the taller one is cut into pieces, and those with wanted rows are computed whole. `left`
/// has all rows of the taller product, or the wanted ones alone; then zeros take the place of the others.
template <class T, class Left, class Right, class Out, class Finish>
void multiply_last_rows(Workspace& workspace, Index count, Left&& left, Right&& right, Out&& out, Finish&& finish,
                        LastRows wanted) {
  const Index span = wanted.before + wanted.own;
  const Index rows = out(Index{0}).rows() / wanted.own * span, columns = out(Index{0}).cols();
  const Index terms = left(Index{0}).cols();
  const bool has_all = left(Index{0}).rows() == rows;
  const Cut cut = cut_products(rows, columns, terms);
  const Index down = (rows + cut.rows - 1) / cut.rows, across = (columns + cut.columns - 1) / cut.columns;
  workspace.ranges(count * down * across, cut.products, [&](Index begin, Index end) {
    for (Index task = begin; task < end; ++task) {
      const Index n = task / (down * across);
      const Index row = task / across % down * cut.rows, column = task % across * cut.columns;
      const Index height = std::min(cut.rows, rows - row), width = std::min(cut.columns, columns - column);
      const auto for_each_wanted = [&](auto&& use) {  // use(row of the piece, row of the result)
        for (Index i = 0; i < height; ++i)
          if (const Index at = (row + i) % span; at >= wanted.before)
            use(i, (row + i) / span * wanted.own + at - wanted.before);
      };
      bool is_wanted = false;
      for_each_wanted([&](Index, Index) { is_wanted = true; });
      if (!is_wanted) continue;
      RowMajor<T> piece(height, width);
      MatrixOut<T> result = piece;
      const auto given = left(n), others = right(n);
      if (has_all) {
        multiply_as(workspace.products(), given.middleRows(row, height), others.middleCols(column, width), result);
      } else {
        RowMajor<T> factors = RowMajor<T>::Zero(height, terms);
        for_each_wanted([&](Index i, Index own) { factors.row(i) = given.row(own); });
        multiply_as(workspace.products(), factors, others.middleCols(column, width), result);
      }
      finish(result, column);
      WritableMatrix<T> whole = out(n);
      for_each_wanted([&](Index i, Index own) { whole.block(own, column, 1, width) = piece.row(i); });
    }
  });
}

}  // namespace detail

/// Computes out(n) = left(n) · right(n) for n in [0, count), on all threads; every n has the same sizes. `left`,
/// `right` and `out` return the n-th matrix. `finish(piece, first_column)` is called for every computed piece of a
/// result. Where only some rows of a taller product are wanted, they have the bits that they have in that product.
template <class T, class Left, class Right, class Out, class Finish>
void multiply_all(Workspace& workspace, Index count, Left&& left, Right&& right, Out&& out, Finish&& finish,
                  LastRows wanted = {}) {
  if (count == 0) return;
  if (wanted.before > 0) return detail::multiply_last_rows<T>(workspace, count, left, right, out, finish, wanted);
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
      detail::multiply_as(workspace.products(), left(n).middleRows(row, height), right(n).middleCols(column, width),
                          piece);
      finish(piece, column);
    }
  });
}

}  // namespace headlight
