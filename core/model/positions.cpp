#include "core/model/positions.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace headlight {

double position_divisor(Index pair, Index width, double base) {
  return std::pow(base, 2 * static_cast<double>(pair) / static_cast<double>(width));
}

double position_angle(Index position, Index pair, Index width, double base) {
  return static_cast<double>(position) / position_divisor(pair, width, base);
}

bool positions_skip_padding(const Setup& setup) {
  return setup.position.from == PositionOrigin::first_real && setup.mask.has(MaskKind::padding) &&
         setup.mask.padding_side == PaddingSide::left;
}

bool same_positions(const Setup& a, const Setup& b) {
  const bool skip = positions_skip_padding(a);
  if (a.past() != b.past() || skip != positions_skip_padding(b)) return false;
  return !skip || (a.is_cross() == b.is_cross() && a.key_length() == b.key_length() &&
                   a.mask.valid_lengths == b.mask.valid_lengths);
}

Index left_padding(Index batch, const Setup& setup) {
  const bool is_left = setup.mask.has(MaskKind::padding) && setup.mask.padding_side == PaddingSide::left;
  return is_left ? setup.key_length() - setup.mask.valid_lengths[static_cast<std::size_t>(batch)] : 0;
}

Index position_on(Axis axis, Index batch, Index index, const Setup& setup) {
  const Index token = axis == Axis::query ? setup.past() + index : index;
  const bool has_padding = axis == Axis::key || (!setup.is_cross() && axis != Axis::position);
  if (!has_padding || !positions_skip_padding(setup)) return token;
  return std::max<Index>(token - left_padding(batch, setup), 0);
}

Index turned_features(const Setup& setup) {
  return static_cast<Index>(setup.position.fraction * static_cast<double>(setup.d_head()));
}

FeaturePair feature_pair(Index pair, const Setup& setup) {
  if (setup.position.layout == PairLayout::interleaved) return {2 * pair, 2 * pair + 1};
  return {pair, pair + turned_features(setup) / 2};
}

Index pair_of(Index feature, const Setup& setup) {
  if (setup.position.layout == PairLayout::interleaved) return feature / 2;
  return feature % (turned_features(setup) / 2);
}

Index partner(Index feature, const Setup& setup) {
  const FeaturePair pair = feature_pair(pair_of(feature, setup), setup);
  return feature == pair.first ? pair.second : pair.first;
}

double alibi_slope(Index head, Index heads) {
  const auto among = [](Index i, Index count) {
    return std::exp2(-8 * static_cast<double>(i + 1) / static_cast<double>(count));
  };
  const auto power = static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(heads)));
  return head < power ? among(head, power) : among(2 * (head - power), 2 * power);
}

}  // namespace headlight
