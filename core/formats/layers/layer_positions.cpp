#include "core/formats/layers/layer_positions.hpp"

namespace headlight {
namespace {

/// Whether every feature of a head is turned.
bool turns_all(const AttentionLayer& layer, const ModelConfig::Rotary& rotary) {
  const Index d_head = layer.d_model / layer.heads;
  if (rotary.features) return *rotary.features == d_head;
  return rotary.share.value_or(layer.family->positions.turned) == 1;
}

void know_rotary(AttentionLayer& layer, const ModelConfig& config) {
  if (!turns_all(layer, config.rotary) || (layer.d_model / layer.heads) % 2 != 0)
    return layer.not_computed.push_back("rotary positions of a part of each head");
  if (config.rotary.rescaled) return layer.not_computed.push_back("rotary positions with rescaled angles");
  layer.position.encoding = Encoding::rotary;
  layer.position.layout = layer.family->positions.layout;
  if (config.rotary.base) layer.position.base = *config.rotary.base;
  else layer.assumed.push_back("Nothing says the base of the rotary positions: it is taken to be 10000");
}

}  // namespace

void know_positions(AttentionLayer& layer, const ModelConfig& config) {
  const FamilyPositions& positions = layer.family->positions;
  if (layer.heads == 0 || positions.name.empty()) return;
  if (positions.encoding == Encoding::rotary) return know_rotary(layer, config);
  layer.position.encoding = positions.encoding;
  if (positions.encoding == Encoding::none) layer.not_computed.push_back(positions.name);
}

}  // namespace headlight
