#include "core/formats/layers/described_settings.hpp"

namespace headlight {

void set_described(Setup& setup, const AttentionLayer& layer) {
  Sizes& sizes = setup.sizes;
  sizes.d_model = layer.d_model;
  sizes.heads = layer.heads;
  if (layer.kv_heads != layer.heads) sizes.kv_heads = layer.kv_heads;
  if (layer.head_columns != layer.d_model) sizes.d_head = layer.d_head();

  Attention& attention = setup.attention;
  attention.scale = layer.scale;
  attention.soft_cap = layer.soft_cap;
  attention.sink = layer.sink;
  if (layer.qk_norm) {
    attention.qk_norm = true;
    attention.qk_norm_over = *layer.qk_norm;
    setup.norm.epsilon = layer.epsilon;
  }
  setup.position = layer.position;
}

MaskSettings described_masks(const AttentionLayer& layer, Index query_length) {
  MaskSettings masks;
  if (layer.is_causal) masks.kinds = {MaskKind::causal};
  if (!layer.sliding_window || *layer.sliding_window >= query_length) return masks;
  masks.kinds.push_back(MaskKind::window);
  masks.window = *layer.sliding_window - 1;
  return masks;
}

}  // namespace headlight
