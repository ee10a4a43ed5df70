// Edits of what is drawn: generator, seed, distributions, biases, an encoding's table, and the draws of single heads.
#pragma once

#include <cstdint>
#include <optional>

#include "core/model/setup.hpp"

namespace headlight {

/// NumPy does not have some draws of PyTorch: `linear`, `xavier_uniform` and the packed in-projection become `uniform`,
/// and seeds are brought into its range.
Setup with_generator(const Setup& setup, GeneratorKind generator);

/// The first seed of the draws.
std::optional<std::int64_t> first_seed(const Setup& setup);
/// Another first seed; a setup without one gets it before its first draw.
Setup with_seed(const Setup& setup, std::int64_t seed);

/// How X, Y, a weight or a bias is drawn (the first of its draws); nothing where it is left at zero.
std::optional<Distribution> distribution_of(const Setup& setup, TensorId tensor);
/// The same where nothing is left out: a tensor that is not drawn is zero, and a bias without a draw of its own is
/// drawn with its weight if that is drawn as by nn.Linear.
Distribution drawn_as(const Setup& setup, TensorId tensor);
/// Changes all draws of the tensor, in their places; a tensor that was not drawn is drawn last. The packed
/// in-projection is taken apart first.
Setup with_distribution(const Setup& setup, TensorId tensor, Distribution distribution);

/// Whether any bias is drawn, and not only zeroed.
bool has_biases(const Setup& setup);
/// Biases are drawn last, so that everything else keeps its numbers. Those that nn.Linear draws with its weight cannot
/// be left out without changing what follows them: they are zeroed instead.
Setup with_biases(const Setup& setup, bool on);

/// Dropout needs a seed; a setup without one gets seed 0.
Setup with_dropout(const Setup& setup, double dropout);

/// Another encoding of the positions. A learned P is drawn last, from a normal distribution, unless it is drawn or
/// given already; what is drawn or given for a P that is no longer learned is removed.
Setup with_encoding(const Setup& setup, Encoding encoding);

/// Removes the tensor's draws.
void erase_draws(Setup& setup, TensorId tensor);
/// Removes the draws of heads that the setup no longer has.
void drop_head_draws(Setup& setup);
/// Where every head of `before` was drawn on its own, each new head is drawn last and as the last of those was.
void add_head_draws(Setup& setup, const Setup& before);

}  // namespace headlight
