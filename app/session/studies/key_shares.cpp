#include "app/session/studies/key_shares.hpp"

#include <cmath>
#include <limits>

#include "core/compute/matrices.hpp"

namespace headlight {
namespace {

auto array_of(const KeyShares& shares) { return numbers(shares.data(), static_cast<Index>(shares.size())); }

/// −Σ x log2 x. 0 log2 0 counts as 0, and so does what is too small for a normal number.
template <class Shares>
double entropy_of(const Shares& shares) {
  return -(shares * shares.max(std::numeric_limits<double>::min()).log2()).sum();
}

}  // namespace

bool read_shares(const Tensor& matrix, Index query, KeyShares& into) {
  const Index keys = matrix.shape()[1];
  into.resize(static_cast<std::size_t>(keys));
  auto shares = numbers(into.data(), keys);
  with_element_type(matrix.precision(), [&](auto zero) {
    using T = decltype(zero);
    shares = numbers(matrix.data<T>() + query * keys, keys).template cast<double>();
  });
  const double sum = shares.sum();
  if (!(sum >= std::numeric_limits<double>::min()) || !std::isfinite(sum)) return false;
  shares /= sum;
  return true;
}

double entropy(const KeyShares& p) { return entropy_of(array_of(p)); }

double entropy_between(const KeyShares& p, const KeyShares& q) { return entropy_of((array_of(p) + array_of(q)) / 2); }

double mean_distance(const KeyShares& p, Index query) {
  const auto last = static_cast<double>(p.size()) - 1;
  const auto places = Eigen::ArrayXd::LinSpaced(static_cast<Index>(p.size()), 0, last);
  return (array_of(p) * (places - static_cast<double>(query)).abs()).sum();
}

double peak(const KeyShares& p) { return array_of(p).maxCoeff(); }

}  // namespace headlight
