// What attention layers compute besides their projections, as far as families differ in it. All of it is data: the
// table of model types fills it in, and layer_arithmetic.cpp reads config.json by it.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/model/setup.hpp"

namespace headlight {

enum class CausalMask : std::uint8_t {
  never,
  always,
  decoders,   ///< in self-attention of what is a decoder by its name, by its cross-attention or by its config.json
  if_stored,  ///< where the file has the mask beside the weights: "mask", "tril"
};

/// Which layers of a model rotary positions turn.
enum class TurnedLayers : std::uint8_t {
  all,
  listed,             ///< those that `no_rope_layers` has as 1, or but one of `no_rope_layer_interval`
  windowed,           ///< those with a sliding window
  windowed_or_alone,  ///< those with a sliding window, and all where no layer has one
};

/// The influence of positions on the scores, as far as a setup can express it.
struct FamilyPositions {
  std::string_view name = {};          ///< "rotary positions"; empty if they have none
  Encoding encoding = Encoding::none;  ///< none: a setup cannot express it
  PairLayout layout = PairLayout::half;
  double turned = 1;  ///< rotary: the share of a head's features, unless config.json has another; 0: it must have one
  double base = 0;    ///< rotary: the base, unless config.json has another; 0: 10000, which is said
  double windowed_base = 0;  ///< the same, of layers with a sliding window; 0: that of the others
  TurnedLayers layers = TurnedLayers::all;
  bool ratio_of_base = false;  ///< rotary: `rope_ratio` multiplies the base. Where it does not, it is said
};

/// What multiplies the dot products.
enum class ScaleRule : std::uint8_t {
  by_width,              ///< 1 / √d_head
  none,                  ///< 1
  attention_multiplier,  ///< this number of config.json; 1 where it has none
  query_scalar,          ///< 1 / √query_pre_attn_scalar; 1 / √d_head where it has none
  gpt2,                  ///< 1 / √d_head, unless config.json says otherwise: in layer i also divided by i + 1
};

/// Which layers have a sliding window.
enum class WindowRule : std::uint8_t {
  none,
  by_keys,       ///< whatever keys config.json has
  all,           ///< all, if there is a `sliding_window`
  if_asked,      ///< only with `use_sliding_window`, from `max_window_layers` on
  all_but_last,  ///< all but the last of each `period` layers
  gpt_neo,       ///< the "local" ones of `attention_types` or `attention_layers`
  modern_bert,   ///< on both sides, all but the first of each `global_attn_every_n_layers`
};

struct Arithmetic {
  CausalMask causal = CausalMask::decoders;
  ScaleRule scale = ScaleRule::by_width;
  FamilyPositions positions = {};
  WindowRule windows = WindowRule::none;
  Index period = 0;             ///< of WindowRule::all_but_last, unless `sliding_window_pattern` has another
  Index window = 0;             ///< the keys that a query sees, unless config.json has another; 0: it must have one
  double soft_cap = 0;          ///< unless config.json has another
  bool gains_less_one = false;  ///< the files hold the gains of norms less 1
  bool norm_without_gain =
      false;  ///< with `use_qk_norm`, turned queries and keys are divided by their root mean square
  std::string_view not_computed = {};  ///< what the layers do besides: "a norm of the values"
};

}  // namespace headlight
