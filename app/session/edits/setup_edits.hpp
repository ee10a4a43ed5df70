// Edits of a setup as a person makes them: each takes a setup and gives the setup that they would expect, with
// everything else adapted so that it can still be computed. What cannot be adapted is left for `problems` to name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/setup.hpp"

namespace headlight {

/// The divisors of a number >= 1, ascending: what heads may be for a d_model, and kv_heads for heads.
std::vector<Index> divisors(Index number);

/// Other sizes. Heads snap to a divisor of d_model and kv_heads to one of heads: upwards when that size itself was
/// raised, downwards otherwise. Labels, valid lengths, blocked pairs and draws per head are made to fit. kv_heads that
/// equalled heads follow them. Sizes below 1 become 1.
Setup resized(const Setup& setup, Sizes sizes);
Setup with_batch(const Setup& setup, Index batch);
Setup with_query_length(const Setup& setup, Index length);
Setup with_key_length(const Setup& setup, Index length);  ///< the query length in self-attention
Setup with_d_model(const Setup& setup, Index d_model);
Setup with_heads(const Setup& setup, Index heads);
Setup with_kv_heads(const Setup& setup, Index kv_heads);

/// Labels of the query (or key) positions from the words of a sentence; their number becomes the length. A sentence
/// without words takes the labels away and keeps the length.
Setup with_sentence(const Setup& setup, std::string_view sentence);
Setup with_key_sentence(const Setup& setup, std::string_view sentence);
/// The labels with blanks between them: what an editor of the sentence starts from.
std::string sentence(const std::vector<std::string>& labels);

/// One token more at the end, another label, one token less (never the last one). Positions without labels get their
/// numbers as soon as one of them is labelled.
Setup with_added_token(const Setup& setup, std::string_view label);
Setup with_token(const Setup& setup, Index position, std::string_view label);
Setup without_token(const Setup& setup, Index position);

/// Self-attention or cross-attention. Y comes with the distribution of X and is drawn last, so that every other tensor
/// keeps its numbers.
Setup with_source(const Setup& setup, Source source);

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

/// A kind of mask on or off. Padding without lengths that fit starts by hiding each item's last key.
Setup with_mask_kind(const Setup& setup, MaskKind kind, bool on);
Setup without_mask(const Setup& setup);
Setup with_valid_length(const Setup& setup, Index batch, Index length);
Setup with_window(const Setup& setup, Index window);
/// Paints one cell of the custom mask, which it switches on.
Setup with_blocked(const Setup& setup, Index query, Index key, bool hidden);
/// Paints many, [query, key] in any order. Pairs that stay keep their order; new ones follow.
Setup with_blocked(const Setup& setup, std::vector<std::pair<Index, Index>> pairs, bool hidden);
bool is_blocked(const Setup& setup, Index query, Index key);

/// Dropout needs a seed; a setup without one gets seed 0.
Setup with_dropout(const Setup& setup, double dropout);

/// Everything that depends on the sizes made to fit them: labels, lengths of cross-attention, valid lengths, blocked
/// pairs, heads and draws per head. Settings that fit stay as they are.
Setup fitted(Setup setup);

}  // namespace headlight
