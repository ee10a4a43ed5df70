// Edits of a setup as a person makes them. Each takes a setup and returns the edited one, with everything else adapted
// so that it can still be computed. What cannot be adapted is reported by `problems` later.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/setup.hpp"

namespace headlight {

/// The divisors of a number >= 1, ascending: the heads that a d_model allows, or the kv_heads that heads allow.
std::vector<Index> divisors(Index number);

/// The setup with other sizes. Heads become the nearest divisor of d_model, and kv_heads the nearest divisor of heads:
/// the next larger if that size itself was raised, otherwise the next smaller. Labels, valid lengths, blocked pairs and
/// draws per head are adapted. If kv_heads equalled heads before, they still do. Sizes below 1 become 1.
Setup resized(const Setup& setup, Sizes sizes);
Setup with_batch(const Setup& setup, Index batch);
Setup with_query_length(const Setup& setup, Index length);
Setup with_key_length(const Setup& setup, Index length);  ///< in self-attention it changes the query length
Setup with_d_model(const Setup& setup, Index d_model);
Setup with_heads(const Setup& setup, Index heads);
Setup with_kv_heads(const Setup& setup, Index kv_heads);

/// Makes the words of a sentence the labels of the query (or key) positions, and their count the length. A sentence
/// without words removes the labels and keeps the length.
Setup with_sentence(const Setup& setup, std::string_view sentence);
Setup with_key_sentence(const Setup& setup, std::string_view sentence);
/// The labels joined with spaces, as the text to start editing from.
std::string sentence(const std::vector<std::string>& labels);

/// Appends a token, changes a label, or removes a token (never the last one). When one position gets a label, positions
/// without labels get their numbers as labels.
Setup with_added_token(const Setup& setup, std::string_view label);
Setup with_token(const Setup& setup, Index position, std::string_view label);
Setup without_token(const Setup& setup, Index position);

/// Switches between self-attention and cross-attention. Y gets the distribution of X and is drawn last, so that every
/// other tensor keeps its numbers.
Setup with_source(const Setup& setup, Source source);

/// Changes the generator. Draws that only PyTorch has (`linear`, `xavier_uniform`, the packed in-projection) become
/// `uniform` for NumPy, and seeds are brought into its range.
Setup with_generator(const Setup& setup, GeneratorKind generator);

/// The first seed among the draws; none if no draw sets a seed.
std::optional<std::int64_t> first_seed(const Setup& setup);
/// Changes the first seed; a setup without a seed gets one before its first draw.
Setup with_seed(const Setup& setup, std::int64_t seed);

/// The distribution of the first draw of X, Y, a weight or a bias; none if it is not drawn and so is zero.
std::optional<Distribution> distribution_of(const Setup& setup, TensorId tensor);
/// Changes all draws of the tensor where they stand; a tensor that was not drawn is drawn last. A packed in-projection
/// is first replaced by separate draws.
Setup with_distribution(const Setup& setup, TensorId tensor, Distribution distribution);
/// The distribution of W_q, W_k, W_v and W_o at once.
Setup with_weight_distribution(const Setup& setup, Distribution distribution);

/// Whether any bias is drawn from a distribution other than zeros.
bool has_biases(const Setup& setup);
/// Turns biases on or off. New biases are drawn last, so that everything else keeps its numbers. nn.Linear draws a bias
/// together with its weight; leaving that draw out would change all later draws, so such biases are set to zero
/// instead.
Setup with_biases(const Setup& setup, bool on);

/// Turns a kind of mask on or off. Padding starts by hiding each item's last key if there are no lengths that fit.
Setup with_mask_kind(const Setup& setup, MaskKind kind, bool on);
Setup without_mask(const Setup& setup);
Setup with_valid_length(const Setup& setup, Index batch, Index length);
Setup with_window(const Setup& setup, Index window);
/// Hides or shows one cell of the custom mask, and turns the custom mask on.
Setup with_blocked(const Setup& setup, Index query, Index key, bool hidden);
/// The same for many [query, key] pairs in any order. Pairs that stay keep their order; new ones come after them.
Setup with_blocked(const Setup& setup, std::vector<std::pair<Index, Index>> pairs, bool hidden);
bool is_blocked(const Setup& setup, Index query, Index key);

/// Changes the dropout. Dropout needs a seed, so a setup without one gets seed 0.
Setup with_dropout(const Setup& setup, double dropout);

/// Adapts everything that depends on the sizes: labels, the lengths of cross-attention, valid lengths, blocked pairs,
/// heads and draws per head. Settings that fit already stay as they are.
Setup fitted(Setup setup);

}  // namespace headlight
