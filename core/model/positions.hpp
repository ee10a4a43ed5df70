// The numbers behind encodings of positions: angles, the pairs of features that rotary positions turn, and the slopes
// of linear biases.
#pragma once

#include "core/model/names.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// position / base^(2 · pair / width), in radians: the angle of a pair of features of sinusoidal positions (width is
/// d_model) and of rotary ones (width is turned_features).
double position_angle(Index position, Index pair, Index width, double base);
/// What the position is divided by there.
double position_divisor(Index pair, Index width, double base);

/// The position that an index stands for on an axis of queries, keys, positions of X, or rows of P. In self-attention
/// query i is at past + i. If positions count from the first real token, those of padding on the left are 0.
Index position_on(Axis axis, Index batch, Index index, const Setup& setup);
/// Whether the positions of a batch item depend on its padding.
bool positions_skip_padding(const Setup& setup);
/// Whether every index stands for the same position under both setups, as far as both have it.
bool same_positions(const Setup& a, const Setup& b);
/// How many keys of a batch item are padding on the left.
Index left_padding(Index batch, const Setup& setup);

/// How many features of a head rotary positions turn: position.fraction of them, rounded down, as models' code does.
Index turned_features(const Setup& setup);

/// Two features of a head that rotary positions turn together.
struct FeaturePair {
  Index first = 0;
  Index second = 0;
};
/// turned_features / 2 pairs; that number must be even.
FeaturePair feature_pair(Index pair, const Setup& setup);
/// The pair that a turned feature of a head belongs to.
Index pair_of(Index feature, const Setup& setup);
/// The other feature of its pair.
Index partner(Index feature, const Setup& setup);

/// How much a head subtracts from a score for each step between query and key: 2^(−8(h + 1)/heads) where heads is a
/// power of two. Otherwise the first heads have the slopes of the largest power of two below, and the others take turns
/// with the slopes of twice as many heads, as in the code of the ALiBi paper.
double alibi_slope(Index head, Index heads);

}  // namespace headlight
