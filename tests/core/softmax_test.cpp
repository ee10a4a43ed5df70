#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/compute/softmax.hpp"

using namespace headlight;

namespace {

template <class T>
std::vector<T> softmax(const std::vector<T>& scores) {
  std::vector<T> weights(scores.size(), T{-1});
  softmax_rows(scores.data(), weights.data(), 1, static_cast<Index>(scores.size()));
  return weights;
}

template <class T>
void check_against_the_c_library() {
  std::mt19937 random(1);
  constexpr double unit = std::numeric_limits<T>::epsilon();
  for (std::size_t keys : {1U, 2U, 7U, 8U, 9U, 15U, 16U, 17U, 31U, 33U, 100U, 1000U}) {
    for (double spread : {1e-3, 1.0, 30.0, 1e3}) {
      std::vector<T> scores(keys);
      for (T& score : scores) score = static_cast<T>(std::normal_distribution<double>(0, spread)(random));
      if (keys > 3) scores[keys / 2] = -std::numeric_limits<T>::infinity();
      const std::vector<T> weights = softmax(scores);
      const T largest = *std::max_element(scores.begin(), scores.end());
      long double sum = 0;
      for (T score : scores) sum += std::exp(static_cast<long double>(score - largest));
      for (std::size_t i = 0; i < keys; ++i) {
        const auto expected = static_cast<double>(std::exp(static_cast<long double>(scores[i] - largest)) / sum);
        const double allowed = 4 * unit * expected + std::numeric_limits<T>::denorm_min();
        CHECK(std::abs(static_cast<double>(weights[i]) - expected) <= allowed);
      }
    }
  }
}

template <class T>
void check_special_rows() {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  constexpr T none = std::numeric_limits<T>::quiet_NaN();
  for (std::size_t keys : {1U, 5U, 16U, 40U}) {
    for (T weight : softmax(std::vector<T>(keys, -infinity))) CHECK(weight == 0);
    for (T weight : softmax(std::vector<T>(keys, none))) CHECK(std::isnan(weight));
    std::vector<T> broken(keys, T{1});
    broken.back() = none;
    for (T weight : softmax(broken)) CHECK(std::isnan(weight));
    std::vector<T> one_hot(keys, -std::numeric_limits<T>::max());
    one_hot.front() = std::numeric_limits<T>::max();
    const std::vector<T> weights = softmax(one_hot);
    CHECK(weights.front() == 1);
    for (std::size_t i = 1; i < keys; ++i) CHECK(weights[i] == 0);
  }
  CHECK(softmax(std::vector<T>{none, -infinity, -infinity})[0] != 0);
}

}  // namespace

TEST_CASE("softmax is the C library's to a few units in the last place") {
  check_against_the_c_library<float>();
  check_against_the_c_library<double>();
}

TEST_CASE("every bit of a softmax is the same wherever its row lies in memory") {
  std::mt19937 random(2);
  for (const std::size_t keys : {3U, 10U, 64U, 101U}) {
    std::vector<float> scores(keys);
    for (float& score : scores) score = std::normal_distribution<float>(0, 3)(random);
    const std::vector<float> expected = softmax(scores);
    for (std::size_t before = 1; before < 16; ++before) {
      std::vector<float> memory(before + keys), weights(before + keys);
      std::copy(scores.begin(), scores.end(), memory.begin() + static_cast<std::ptrdiff_t>(before));
      softmax_rows(memory.data() + before, weights.data() + before, 1, static_cast<Index>(keys));
      CHECK(std::equal(expected.begin(), expected.end(), weights.begin() + static_cast<std::ptrdiff_t>(before)));
    }
  }
}

TEST_CASE_TEMPLATE("short rows, which are taken together, have the bits of a longer row that sees no more", T, float,
                   double) {
  std::mt19937 random(2);
  constexpr std::size_t rows = 37, longer = 40;
  for (std::size_t keys = 1; keys <= 17; ++keys) {
    std::vector<T> scores(rows * keys);
    for (T& score : scores) score = static_cast<T>(std::normal_distribution<double>(0, 5)(random));
    for (std::size_t i = 0; i < scores.size(); i += 5) scores[i] = -std::numeric_limits<T>::infinity();
    std::fill_n(scores.begin() + static_cast<std::ptrdiff_t>(3 * keys), keys, -std::numeric_limits<T>::infinity());
    std::vector<T> weights(scores.size());
    softmax_rows(scores.data(), weights.data(), rows, static_cast<Index>(keys));
    for (std::size_t row = 0; row < rows; ++row) {
      const auto begin = scores.begin() + static_cast<std::ptrdiff_t>(row * keys);
      std::vector<T> alone(begin, begin + static_cast<std::ptrdiff_t>(keys));
      alone.resize(longer, -std::numeric_limits<T>::infinity());
      const std::vector<T> expected = softmax(alone);
      for (std::size_t key = 0; key < keys; ++key) CHECK(weights[row * keys + key] == expected[key]);
    }
  }
}

TEST_CASE("rows that are hidden, broken or lopsided") {
  check_special_rows<float>();
  check_special_rows<double>();
}

TEST_CASE("exponentials fade out through the least numbers") {
  CHECK(softmax(std::vector<float>{0, -100})[1] == doctest::Approx(std::exp(-100.0)).epsilon(0.02));
  CHECK(softmax(std::vector<float>{0, -105})[1] == 0);
  CHECK(softmax(std::vector<double>{0, -744})[1] > 0);
  CHECK(softmax(std::vector<double>{0, -746})[1] == 0);
}
