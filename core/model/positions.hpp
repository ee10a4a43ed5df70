// The numbers behind encodings of positions: angles, the pairs of features that rotary positions turn, and the slopes
// of linear biases.
#pragma once

#include "core/model/setup.hpp"

namespace headlight {

/// position / base^(2 · pair / width), in radians: the angle of a pair of features of sinusoidal positions (width is
/// d_model) and of rotary ones (width is d_head).
double position_angle(Index position, Index pair, Index width, double base);

/// Two features of a head that rotary positions turn together.
struct FeaturePair {
  Index first = 0;
  Index second = 0;
};
/// d_head / 2 pairs; d_head must be even.
FeaturePair feature_pair(Index pair, const Setup& setup);
/// The pair that a feature of a head belongs to.
Index pair_of(Index feature, const Setup& setup);
/// The other feature of its pair.
Index partner(Index feature, const Setup& setup);

/// How much a head subtracts from a score for each step between query and key: 2^(−8(h + 1)/heads) where heads is a
/// power of two. Otherwise the first heads have the slopes of the largest power of two below, and the others take turns
/// with the slopes of twice as many heads, as in the code of the ALiBi paper.
double alibi_slope(Index head, Index heads);

}  // namespace headlight
