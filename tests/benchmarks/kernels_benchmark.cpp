// Our own kernels beside Eigen and the standard library doing the same work; the difference is why we keep the kernels.
// Compare neighbours: "own" and "eigen", or "own" and "standard".
#include <array>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "core/compute/matrix_product.hpp"
#include "core/compute/softmax.hpp"
#include "core/random/mersenne_twister.hpp"

namespace headlight {
namespace {

template <class T>
std::vector<T> normal_numbers(Index count) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<T> numbers;
  for (Index i = 0; i < count; ++i) numbers.push_back(static_cast<T>(normal(random)));
  return numbers;
}

/// The matrices of a product (rows, terms) @ (terms, columns). The second one is stored row by row, like weights and
/// values, or column by column, like transposed keys.
template <class T, class Right>
struct Operands {
  explicit Operands(const benchmark::State& state)
      : rows(state.range(0)),
        terms(state.range(1)),
        columns(state.range(2)),
        left_numbers(normal_numbers<T>(rows * terms)),
        right_numbers(normal_numbers<T>(terms * columns)),
        out_numbers(normal_numbers<T>(rows * columns)) {}

  Index rows, terms, columns;
  std::vector<T> left_numbers, right_numbers, out_numbers;
  Eigen::Map<const RowMajor<T>> left{left_numbers.data(), rows, terms};
  Eigen::Map<const Right> right{right_numbers.data(), terms, columns};
  Eigen::Map<RowMajor<T>> out{out_numbers.data(), rows, columns};
};

template <class T, class Right>
void product_own(benchmark::State& state) {
  Operands<T, Right> given(state);
  const MatrixView<T> right(given.right.data(), given.terms, given.columns,
                            AnyStride(given.right.rowStride(), given.right.colStride()));
  for (auto _ : state) {
    multiply(given.left, right, given.out);
    benchmark::ClobberMemory();
  }
}

template <class T, class Right>
void product_eigen(benchmark::State& state) {
  Operands<T, Right> given(state);
  for (auto _ : state) {
    given.out.noalias() = given.left * given.right;
    benchmark::ClobberMemory();
  }
}

/// product_own itself uses Eigen for the last size, and from the fourth on if the second matrix is column by column.
void sizes_of_products(benchmark::internal::Benchmark* benchmark) {
  for (const auto& size : {std::array{4, 8, 8}, {6, 6, 20}, {6, 20, 6}, {10, 64, 10}, {6, 100, 100}, {64, 64, 64}})
    benchmark->Args({size[0], size[1], size[2]});
}
using Floats = RowMajor<float>;
using Doubles = RowMajor<double>;
BENCHMARK(product_own<float, Floats>)->Apply(sizes_of_products);
BENCHMARK(product_eigen<float, Floats>)->Apply(sizes_of_products);
BENCHMARK(product_own<float, Eigen::MatrixXf>)->Apply(sizes_of_products);
BENCHMARK(product_eigen<float, Eigen::MatrixXf>)->Apply(sizes_of_products);
BENCHMARK(product_own<double, Doubles>)->Apply(sizes_of_products);
BENCHMARK(product_eigen<double, Doubles>)->Apply(sizes_of_products);
BENCHMARK(product_own<double, Eigen::MatrixXd>)->Apply(sizes_of_products);
BENCHMARK(product_eigen<double, Eigen::MatrixXd>)->Apply(sizes_of_products);

constexpr Index softmax_numbers = 4096;

template <class T>
void softmax_own(benchmark::State& state) {
  const Index keys = state.range(0);
  const std::vector<T> scores = normal_numbers<T>(softmax_numbers);
  std::vector<T> weights = scores;
  for (auto _ : state) {
    softmax_rows(scores.data(), weights.data(), softmax_numbers / keys, keys);
    benchmark::ClobberMemory();
  }
}

template <class T>
void softmax_eigen(benchmark::State& state) {
  const Index keys = state.range(0);
  const std::vector<T> scores = normal_numbers<T>(softmax_numbers);
  std::vector<T> weights = scores;
  for (auto _ : state) {
    for (Index row = 0; row < softmax_numbers / keys; ++row) {
      const auto from = numbers(scores.data() + row * keys, keys);
      auto to = numbers(weights.data() + row * keys, keys);
      to = (from - from.maxCoeff()).exp();
      to /= to.sum();
    }
    benchmark::ClobberMemory();
  }
}

BENCHMARK(softmax_own<float>)->Arg(4)->Arg(10)->Arg(64)->Arg(1024);
BENCHMARK(softmax_eigen<float>)->Arg(4)->Arg(10)->Arg(64)->Arg(1024);
BENCHMARK(softmax_own<double>)->Arg(4)->Arg(10)->Arg(64)->Arg(1024);
BENCHMARK(softmax_eigen<double>)->Arg(4)->Arg(10)->Arg(64)->Arg(1024);

/// Seeds the generator each time, as the setups of lectures do.
void words_own(benchmark::State& state) {
  std::vector<std::uint32_t> words(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    MersenneTwister(3).fill(words);
    benchmark::ClobberMemory();
  }
}

void words_standard(benchmark::State& state) {
  std::vector<std::uint32_t> words(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    std::mt19937 random(3);
    for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random());
    benchmark::ClobberMemory();
  }
}

BENCHMARK(words_own)->Arg(64)->Arg(1024)->Arg(65536);
BENCHMARK(words_standard)->Arg(64)->Arg(1024)->Arg(65536);

}  // namespace
}  // namespace headlight
