#include "app/views/pictures/blend.hpp"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

constexpr double clearly_more = 1.5;  ///< times the next feature

bool nearly(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(1.0, std::abs(a)); }

}  // namespace

std::optional<std::size_t> Blend::mostly() const {
  if (sums.size() < 2) return std::nullopt;
  std::vector<std::size_t> order(sums.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, std::greater{}, [&](std::size_t i) { return sums[i]; });
  if (!(sums[order[0]] > 0) || sums[order[0]] < clearly_more * sums[order[1]]) return std::nullopt;
  return order[0];
}

TensorId numbers_of_words(const Trace& trace) {
  if (trace.setup.is_cross()) return trace.has(TensorId::Y_plus_P) ? TensorId::Y_plus_P : TensorId::Y;
  return trace.has(TensorId::X_plus_P) ? TensorId::X_plus_P : TensorId::X;
}

std::optional<Blend> blend_of(const Trace& trace, Index batch, Index query, const std::vector<Index>& features) {
  const Setup& setup = trace.setup;
  const bool plain = setup.sizes.heads == 1 && !setup.is_cross() && setup.d_head() == setup.sizes.d_model &&
                     setup.d_out() == setup.sizes.d_model && setup.past() == 0;
  if (!plain) return std::nullopt;
  for (const TensorId needed : {TensorId::X, TensorId::weights, TensorId::output})
    if (!trace.has(needed)) return std::nullopt;
  if (query >= setup.sizes.query_length || batch >= setup.sizes.batch) return std::nullopt;
  Blend blend;
  blend.query = static_cast<std::size_t>(query);
  for (Index word = 0; word < setup.key_length(); ++word) {
    blend.words.push_back(setup.key_label(word));
    blend.shares.push_back(trace.number({TensorId::weights, {batch, 0, query, word}}));
  }
  for (const Index feature : features) {
    if (feature >= setup.sizes.d_model) return std::nullopt;
    blend.features.push_back(setup.feature_label(feature));
    std::vector<double>& row = blend.numbers.emplace_back();
    double sum = 0;
    for (Index word = 0; word < setup.key_length(); ++word) {
      row.push_back(trace.number({numbers_of_words(trace), {batch, word, feature}}));
      sum += blend.shares[static_cast<std::size_t>(word)] * row.back();
    }
    if (!nearly(sum, trace.number({TensorId::output, {batch, query, feature}}))) return std::nullopt;
    blend.sums.push_back(sum);
  }
  return blend;
}

Blend blend_between(const Blend& from, const Blend& to, double share) {
  const auto at = [&](std::vector<double>& ours, const std::vector<double>& theirs) {
    for (std::size_t i = 0; i < ours.size(); ++i) ours[i] += (theirs[i] - ours[i]) * share;
  };
  Blend blend = from;
  if (share >= 0.5) blend.words = to.words;
  at(blend.shares, to.shares);
  for (std::size_t row = 0; row < blend.numbers.size(); ++row) at(blend.numbers[row], to.numbers[row]);
  at(blend.sums, to.sums);
  return blend;
}

}  // namespace headlight
