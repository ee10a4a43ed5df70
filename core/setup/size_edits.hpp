// Sizes, labels and the source of keys and values, with everything that must fit them.
#pragma once

#include <string>
#include <string_view>
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
/// without words removes the labels and keeps the length.
Setup with_sentence(const Setup& setup, std::string_view sentence);
Setup with_key_sentence(const Setup& setup, std::string_view sentence);
/// The labels with blanks between them: what an editor of the sentence starts from.
std::string sentence(const std::vector<std::string>& labels);

/// One token more at the end, another label, one token less (never the last one). Positions without labels get their
/// numbers as soon as one of them is labelled.
Setup with_added_token(const Setup& setup, std::string_view label);
Setup with_token(const Setup& setup, Index position, std::string_view label);
Setup without_token(const Setup& setup, Index position);

/// Self-attention or cross-attention. Y gets the distribution of X and is drawn last, so that every other tensor keeps
/// its numbers.
Setup with_source(const Setup& setup, Source source);

/// The setup with its labels (tokens, features and head names) cut, or continued with their numbers, to fit its sizes.
Setup with_fitting_labels(Setup setup);

/// Everything that depends on the sizes made to fit them: labels, lengths of cross-attention, valid lengths, blocked
/// pairs, heads and draws per head. Settings that fit stay as they are.
Setup fitted(Setup setup);

}  // namespace headlight
