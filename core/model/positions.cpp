#include "core/model/positions.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

namespace headlight {

double position_angle(Index position, Index pair, Index width, double base) {
  return static_cast<double>(position) / std::pow(base, 2 * static_cast<double>(pair) / static_cast<double>(width));
}

FeaturePair feature_pair(Index pair, const Setup& setup) {
  if (setup.position.layout == PairLayout::interleaved) return {2 * pair, 2 * pair + 1};
  return {pair, pair + setup.d_head() / 2};
}

Index pair_of(Index feature, const Setup& setup) {
  if (setup.position.layout == PairLayout::interleaved) return feature / 2;
  return feature % (setup.d_head() / 2);
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
