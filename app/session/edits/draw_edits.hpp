// Generator, seed and how tensors are drawn.
#pragma once

#include <cstdint>
#include <optional>

#include "core/model/setup.hpp"

namespace headlight {

/// NumPy cannot draw what only PyTorch has: `linear`, `xavier_uniform` and the packed in-projection become `uniform`,
/// and seeds come into its range.
Setup with_generator(const Setup& setup, GeneratorKind generator);

/// The first seed of the draws.
std::optional<std::int64_t> first_seed(const Setup& setup);
/// Another first seed; a setup without one gets it before its first draw.
Setup with_seed(const Setup& setup, std::int64_t seed);

/// How X, Y, a weight or a bias is drawn (the first of its draws); nothing where it is left at zero.
std::optional<Distribution> distribution_of(const Setup& setup, TensorId tensor);
/// Changes all draws of the tensor, in their places; a tensor that was not drawn is drawn last. The packed
/// in-projection is taken apart first.
Setup with_distribution(const Setup& setup, TensorId tensor, Distribution distribution);
/// The distribution of W_q, W_k, W_v and W_o at once.
Setup with_weight_distribution(const Setup& setup, Distribution distribution);

/// Whether any bias is drawn as something else than zero.
bool has_biases(const Setup& setup);
/// Biases are drawn last, so that everything else keeps its numbers. Those that nn.Linear draws with its weight cannot
/// be left out without changing what follows them: they are zeroed instead.
Setup with_biases(const Setup& setup, bool on);

/// Dropout needs a seed; a setup without one gets seed 0.
Setup with_dropout(const Setup& setup, double dropout);

/// A draw of the whole tensor.
Draw whole(TensorId id, Distribution distribution);
/// A random draw needs a seed before it: seed 0, where there is none.
void ensure_seed(Setup& setup);

}  // namespace headlight
