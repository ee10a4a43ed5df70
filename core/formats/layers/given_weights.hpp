// Attention alone: the weights of each layer of a model that ran, in a file, and nothing else of these layers.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "core/formats/layers/attention_layer.hpp"
#include "core/formats/layers/model_arrays.hpp"

namespace headlight {

/// The contents of such a file, with the two lines of Python that make it; for messages.
extern const std::string_view how_to_give_weights;

/// Whether the arrays are weights by their names and axes, and labels of their tokens, and nothing else.
bool are_given_weights(const std::vector<ArrayInfo>& arrays);

/// A layer for each array of weights:
///
///   - `attentions`, (layers, batch, heads, query, key) or (layers, heads, query, key), and in encoder-decoder models
///     `encoder_attentions`, `decoder_attentions` and `cross_attentions`. Four axes may also be those of a single
///     layer, (batch, heads, query, key): if the tokens don't tell, both are listed, for a person to choose;
///   - `blocks.3.attn.hook_pattern`, (batch, heads, query, key) or (heads, query, key), of TransformerLens;
///   - where a file has nothing else, arrays with the same axes called `attn_3`, `layer_3`, `arr_3` of np.savez, or the
///     only array of an .npy file. Their rows must add up to 1.
///
/// `tokens` label the positions of queries and keys, and `key_tokens` those of keys, where they are as many. With a
/// list of tokens for each batch item, each is a layer of its own. None where the file has no such array. Throws
/// InputError if one has other axes or more layers than any model, or if the tokens fit no layer.
std::vector<ModelLayer> layers_of_given_weights(const std::filesystem::path& file,
                                                const std::shared_ptr<const NamedArrays>& arrays);

}  // namespace headlight
