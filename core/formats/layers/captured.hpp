// The rest of a captured file, besides the weights: the inputs of a layer that ran, its heads and its masks.
// assets/capture.py writes such files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/formats/layers/model_arrays.hpp"
#include "core/model/setup.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// The names of its arrays.
namespace captured {
inline constexpr std::string_view x = "X";
inline constexpr std::string_view n = "N";                      ///< what is projected instead, in a trace with a norm
inline constexpr std::string_view y = "Y";                      ///< the input of keys and values
inline constexpr std::string_view keys_from = "keys_from";      ///< the same, if it does not have d_model features
inline constexpr std::string_view values_from = "values_from";  ///< if values are made from something else
inline constexpr std::string_view heads = "num_heads";
inline constexpr std::string_view mask = "mask";  ///< (batch, query, key), true where the key is hidden
inline constexpr std::string_view mask_per_head = "mask_per_head";  ///< (batch, head, query, key), where heads differ
inline constexpr std::string_view added_scores = "added_scores";    ///< numbers that masks add to the scores besides
inline constexpr std::string_view add_zero_attn = "add_zero_attn";  ///< true if the layer adds a key of zeros
}  // namespace captured

/// Whether such an array says how the layer was called, and is none of its tensors.
bool is_note_of_capture(std::string_view array);

/// The number of heads in the file; nothing if it has none. Throws InputError if it is not a number.
std::optional<Index> captured_heads(const NamedArrays& model);

/// Masks that together hide what is not 0 in `hidden`, (batch, query, key), and with `causal` also every key behind its
/// query: causal, window, valid lengths, or pairs of positions. nullopt where no such masks do: the batch items differ
/// in more than in how many keys are left out at the end.
std::optional<MaskSettings> masks_that_hide(const Tensor& hidden, bool causal);

}  // namespace headlight
