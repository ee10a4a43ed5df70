#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "core/compute/matrix_product.hpp"

using namespace headlight;

namespace {

/// A matrix of random numbers at a chosen place in memory. It starts `offset` numbers into `memory`, and `gap` numbers
/// lie between its rows, or between its columns if those are contiguous. The same seed gives the same matrix at any
/// place.
template <class T>
struct Placed {
  Index rows, columns, distance, before;
  bool by_columns;
  std::vector<T> memory;

  Placed(Index row_count, Index column_count, bool columns_contiguous, Index offset, Index gap, unsigned seed)
      : rows(row_count),
        columns(column_count),
        distance((columns_contiguous ? row_count : column_count) + gap),
        before(offset),
        by_columns(columns_contiguous),
        memory(static_cast<std::size_t>(offset + distance * std::max(row_count, column_count)), T{7}) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    for (Index row = 0; row < rows; ++row)
      for (Index column = 0; column < columns; ++column)
        memory[static_cast<std::size_t>(before + row * row_stride() + column * column_stride())] =
            static_cast<T>(normal(random));
  }
  Index row_stride() const { return by_columns ? 1 : distance; }
  Index column_stride() const { return by_columns ? distance : 1; }
  MatrixView<T> view() const {
    return {memory.data() + before, rows, columns, AnyStride(row_stride(), column_stride())};
  }
};

struct Size {
  Index rows, terms, columns;
};
constexpr Size sizes[] = {{1, 1, 1},    {1, 9, 3},      {4, 8, 8},     {5, 7, 6},     {6, 20, 6},   {10, 64, 10},
                          {9, 3, 130},  {60, 70, 50},   {1, 400, 500}, {500, 400, 1}, {64, 300, 1}, {65, 67, 129},
                          {3, 513, 90}, {130, 96, 130}, {7, 9, 10},    {11, 5, 14}};

/// left · right, row-major. Each of the three matrices starts `before` numbers into its memory, with a `gap` between
/// rows.
template <class T>
std::vector<T> product(const Size& size, bool left_columns, bool right_columns, Index before, Index gap) {
  const Placed<T> left(size.rows, size.terms, left_columns, before, gap, 1);
  const Placed<T> right(size.terms, size.columns, right_columns, before, gap, 2);
  Placed<T> out(size.rows, size.columns, false, before, gap, 3);
  multiply(left.view(), right.view(),
           WritableMatrix<T>(out.memory.data() + before, size.rows, size.columns, RowStride(out.distance)));
  std::vector<T> dense;
  for (Index row = 0; row < size.rows; ++row)
    for (Index column = 0; column < size.columns; ++column) dense.push_back(out.view()(row, column));
  return dense;
}

template <class T>
void check_against_sums() {
  for (const Size& size : sizes) {
    const RowMajor<long double> left =
        Placed<T>(size.rows, size.terms, false, 0, 0, 1).view().template cast<long double>();
    const RowMajor<long double> right =
        Placed<T>(size.terms, size.columns, false, 0, 0, 2).view().template cast<long double>();
    const RowMajor<long double> expected = left * right;
    const RowMajor<long double> magnitude = left.cwiseAbs() * right.cwiseAbs();
    for (int layout = 0; layout < 4; ++layout) {
      const std::vector<T> found = product<T>(size, layout % 2 == 1, layout / 2 == 1, 3, 2);
      long double worst = 0;
      for (Index row = 0, i = 0; row < size.rows; ++row)
        for (Index column = 0; column < size.columns; ++column, ++i)
          worst = std::max(
              worst, std::abs(static_cast<long double>(found[static_cast<std::size_t>(i)]) - expected(row, column)) /
                         magnitude(row, column));
      CHECK(worst <= std::numeric_limits<T>::epsilon() * static_cast<long double>(size.terms + 1));
    }
  }
}

template <class T>
void check_places() {
  for (const Size& size : sizes) {
    for (int layout = 0; layout < 4; ++layout) {
      INFO(size.rows, " x ", size.terms, " x ", size.columns, ", layout ", layout);
      const std::vector<T> expected = product<T>(size, layout % 2 == 1, layout / 2 == 1, 0, 0);
      for (const Index before : {1, 2, 3, 5, 8, 13}) {
        for (const Index gap : {0, 1, 4, 7}) {
          const std::vector<T> found = product<T>(size, layout % 2 == 1, layout / 2 == 1, before, gap);
          CHECK(std::memcmp(found.data(), expected.data(), expected.size() * sizeof(T)) == 0);
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("a product is the sum of its terms, by rows and by columns") {
  check_against_sums<float>();
  check_against_sums<double>();
}

TEST_CASE("every bit of a product is the same wherever its matrices lie in memory") {
  check_places<float>();
  check_places<double>();
}
