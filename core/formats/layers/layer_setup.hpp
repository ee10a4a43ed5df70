// A layer of a model as a setup.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/formats/layers/attention_layer.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// The setup of a layer of a model: its sizes, masks, weights and biases. X, and Y in cross-attention, are those of the
/// file, where it holds some that fit, else they are drawn (normal), eight tokens. Throws InputError with the layer's
/// problems where it has any; where its numbers take more than `limit` bytes, before any is read; where arrays
/// cannot be read; where numbers are not finite; and where a captured mask is none that a setup can have.
Setup layer_setup(const ModelLayer& layer, std::int64_t limit);
/// The same for several layers of a model, whose files are opened once.
Setup layer_setup(const ModelLayer& layer, ArrayFiles& files, std::int64_t limit);

/// The same as the text of a setup file that will be in `folder`; comments at its beginning say what it shows and
/// what the layer does that is not computed.
std::string layer_setup_text(const ModelLayer& layer, const std::filesystem::path& folder, std::int64_t limit);

}  // namespace headlight
