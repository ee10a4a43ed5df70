// Dropout that was left on: every number is 0, or ours divided by what dropout keeps.
#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <Eigen/QR>

#include "core/compute/matrices.hpp"
#include "core/diagnose/arrays/layout.hpp"
#include "core/diagnose/mistakes/mistake.hpp"
#include "core/diagnose/mistakes/output_inverse.hpp"

namespace headlight {
namespace {

using enum TensorId;

double median(std::vector<double> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

/// Whether so many zeros among so many numbers are what dropout makes that enlarges the rest by this factor.
bool is_likely(double factor, double zeros, double count) {
  const double dropped = 1 - 1 / factor;
  const double spread = std::sqrt(dropped * (1 - dropped) / count);
  return factor > 1.001 && zeros > 0 && zeros < count && std::abs(zeros / count - dropped) <= 5 * spread + 2 / count;
}

Tensor kept(const Tensor& ours, const std::vector<bool>& keeps, double factor) {
  Tensor result = Tensor::uninitialized(ours.precision(), ours.shape());
  with_element_type(ours.precision(), [&](auto zero) {
    using T = decltype(zero);
    for (Index i = 0; i < ours.elements(); ++i)
      result.writable<T>()[i] =
          keeps[static_cast<std::size_t>(i)] ? static_cast<T>(factor * static_cast<double>(ours.data<T>()[i])) : T{0};
  });
  return result;
}

/// From numbers that were dropped themselves.
std::optional<Tensor> dropped_here(Attempt& attempt, const Tensor& theirs) {
  const Tensor ours = attempt.computed().contiguous();
  if (theirs.shape() != ours.shape()) return std::nullopt;
  const Tensor from = converted(theirs, Precision::float64), right = converted(ours, Precision::float64);
  std::vector<bool> keeps;
  std::vector<double> factors;
  double zeros = 0, count = 0;
  for (Index i = 0; i < from.elements(); ++i) {
    const double number = from.data<double>()[i], own = right.data<double>()[i];
    keeps.push_back(number != 0);
    if (own == 0 || !std::isfinite(own) || !std::isfinite(number)) continue;
    count += 1;
    if (number == 0) zeros += 1;
    else factors.push_back(number / own);
  }
  if (factors.empty()) return std::nullopt;
  const double factor = median(factors);
  if (!is_likely(factor, zeros, count)) return std::nullopt;
  attempt.said = fmt::format(" ({:.0f} % of them)", 100 * (1 - 1 / factor));
  return kept(ours, keeps, factor);
}

/// The weights of a row that were kept, from what it mixes: target = Σ factor · weight_j · value_j over the kept keys.
/// Of several choices that fit, as where a weight is tiny, the one that leaves least. False if none fits.
bool find_kept(const RowMajor<double>& terms, const Eigen::VectorXd& target, double factor, std::vector<bool>& keeps) {
  const Index keys = terms.rows();
  double least = 1e-4 * (1 + target.norm());
  bool fits = false;
  for (Index bits = 0; bits < Index{1} << keys; ++bits) {
    Eigen::VectorXd rest = -target;
    for (Index key = 0; key < keys; ++key)
      if ((bits >> key & 1) != 0) rest += factor * terms.row(key).transpose();
    if (rest.norm() > least) continue;
    least = rest.norm();
    fits = true;
    for (Index key = 0; key < keys; ++key) keeps[static_cast<std::size_t>(key)] = (bits >> key & 1) != 0;
  }
  return fits;
}

/// From the context, or the output: all choices of kept keys are tried, which is quick for a few keys.
std::optional<Tensor> dropped_before(Attempt& attempt) {
  const Setup& setup = attempt.setup();
  const Tensor ours = attempt.computed().contiguous();
  const Shape& shape = ours.shape();  // (batch, head, query, key)
  const Index rows = shape[0] * shape[1] * shape[2], keys = shape[3], width = setup.d_head();
  constexpr Index most_keys = 10, most_rows = 4096;
  if (keys > most_keys || rows > most_rows || rows * (Index{1} << keys) > Index{1} << 20) return std::nullopt;
  const Tensor theirs = their_concat(attempt);
  if (!(theirs.shape() == Shape{shape[0] * shape[2], shape[1] * width})) return std::nullopt;
  const Eigen::Map<const RowMajor<double>> joined(theirs.data<double>(), theirs.shape()[0], theirs.shape()[1]);
  const Tensor weight = converted(ours, Precision::float64);
  const Tensor values = converted(repeated_heads(attempt[V_heads], shape[1]), Precision::float64);
  for (const double dropout : {0.1, 0.2, 0.5, 0.3, 0.25, 0.4, 0.15, 0.05, 0.6, 0.75, 0.8}) {
    std::vector<bool> keeps(static_cast<std::size_t>(ours.elements()), false);
    double zeros = 0, count = 0;
    bool fits = true;
    for (Index row = 0; row < rows && fits; ++row) {
      const Index query = row % shape[2], head = row / shape[2] % shape[1], item = row / shape[2] / shape[1];
      std::vector<Index> seen;
      for (Index key = 0; key < keys; ++key)
        if (weight.data<double>()[row * keys + key] > 1e-12) seen.push_back(key);
      RowMajor<double> terms(static_cast<Index>(seen.size()), width);
      for (std::size_t i = 0; i < seen.size(); ++i)
        terms.row(static_cast<Index>(i)) =
            weight.data<double>()[row * keys + seen[i]] * matrix<double>(values, item, head).row(seen[i]);
      std::vector<bool> found(seen.size());
      const Eigen::VectorXd target = joined.row(item * shape[2] + query).segment(head * width, width).transpose();
      fits = find_kept(terms, target, 1 / (1 - dropout), found);
      for (std::size_t i = 0; fits && i < seen.size(); ++i) {
        keeps[static_cast<std::size_t>(row * keys + seen[i])] = found[i];
        zeros += found[i] ? 0 : 1;
        count += 1;
      }
    }
    if (!fits || !is_likely(1 / (1 - dropout), zeros, count)) continue;
    attempt.said = fmt::format(" ({:.0f} % of the weights)", 100 * dropout);
    return kept(ours, keeps, 1 / (1 - dropout));
  }
  return std::nullopt;
}

/// From the output, through the inverse of its projection, which leaves nearly 0 of what was dropped.
std::optional<Tensor> dropped_concat(Attempt& attempt) {
  const Tensor ours = converted(attempt.computed(), Precision::float64).contiguous();
  Tensor theirs = reshaped(their_concat(attempt), ours.shape());
  double largest = 0;
  for (Index i = 0; i < ours.elements(); ++i) largest = std::max(largest, std::abs(ours.data<double>()[i]));
  for (Index i = 0; i < theirs.elements(); ++i)
    if (double& number = theirs.writable<double>()[i]; std::abs(number) < 1e-6 * largest) number = 0;
  return dropped_here(attempt, theirs);
}

std::optional<Tensor> dropout_active(Attempt& attempt) {
  if (attempt.variant > 0) return std::nullopt;
  if (attempt.at == concat && attempt.given == output) return dropped_concat(attempt);
  if (const Tensor* const theirs = attempt.handed_over(attempt.at)) return dropped_here(attempt, *theirs);
  const bool shows_context = attempt.given == context || attempt.given == concat || attempt.given == output;
  if (attempt.at != weights || !shows_context || attempt.setup().attention.dropout > 0) return std::nullopt;
  return dropped_before(attempt);
}

}  // namespace

std::vector<Mistake> dropout_mistakes() {
  return {
      {.name = "dropout_active",
       .words = "dropout is on: some numbers are 0 by chance, and the others are larger",
       .at = {Q, K, V, weights, context, concat, output},
       .replay = dropout_active,
       .parts = std::nullopt,
       .fix_numpy = "model.eval()",
       .fix_torch = "model.eval()",
       .fitted = true},
  };
}

}  // namespace headlight
