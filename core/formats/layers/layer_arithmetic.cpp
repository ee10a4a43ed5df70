#include "core/formats/layers/layer_arithmetic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/text/numbers.hpp"

namespace headlight {
namespace {

using enum TensorId;

/// How many positions a setup has if the file does not say.
constexpr Index shown_positions = 8;

/// Where the layer is in its model: the number in "model.layers.3.self_attn"; 0 where there is none.
Index layer_number(std::string_view path) {
  const auto digit = path.find_first_of("0123456789");
  if (digit == std::string_view::npos) return 0;
  const std::string_view from = path.substr(digit);
  return number_from<Index>(from.substr(0, from.find('.'))).value_or(0);
}

/// The extent of an array with a single axis; 0 if there is none.
Index length_of(const NamedArrays& model, std::string_view path, std::string_view name) {
  const StoredArray* const array = name.empty() ? nullptr : model.find(path, name);
  return array == nullptr || array->info.extents.size() != 1 ? 0 : array->info.extents[0];
}

class Knowing {
 public:
  Knowing(AttentionLayer& layer, const NamedArrays& model, const ConfigPart& config)
      : layer_(layer),
        model_(model),
        config_(config),
        how_(layer.arithmetic),
        number_(layer_number(layer.path)),
        is_gemma_(is_gemma()) {}

  void all() {
    layer_.is_causal = is_causal();
    layer_.sliding_window = window();
    if (layer_.heads == 0) return;
    know_positions();
    know_norms();
    know_scores();
    know_sinks();
    if (!how_.not_computed.empty()) layer_.not_computed.push_back(how_.not_computed);
    if (config_.has("clip_qkv")) layer_.not_computed.emplace_back("queries, keys and values cut off at a limit");
    know_chunks();
    know_shared_keys();
    know_further_keys_of_mpt();
  }

 private:
  // --- Masks ---------------------------------------------------------------------------------------------------------

  bool has_stored_mask() const {
    constexpr std::array<std::string_view, 6> names{"mask",         "tril",         "causal_mask",
                                                    "heads.0.mask", "heads.0.tril", "IGNORE"};
    return std::ranges::any_of(names, [&](auto name) { return model_.has(layer_.path, name); });
  }

  bool is_causal() {
    if (layer_.is_cross || how_.causal == CausalMask::never) return false;
    if (how_.causal == CausalMask::always || config_.flag("is_decoder").value_or(false)) return true;
    if (has_stored_mask()) return true;
    if (how_.causal == CausalMask::if_stored) {
      layer_.assumed.emplace_back("Whether a query sees later positions is not in the file: no mask is assumed");
      return false;
    }
    if (layer_.path.find("decoder") != std::string::npos) return true;
    const std::string_view parent = parent_of(layer_.path);
    return std::ranges::any_of(cross_attention_names(),
                               [&](std::string_view name) { return model_.has_below(joined(parent, name)); });
  }

  bool is_windowed_by_type() const { return config_.word_in("layer_types", number_) == "sliding_attention"; }

  std::optional<Index> window() const {
    if (layer_.is_cross || how_.windows == WindowRule::none) return std::nullopt;
    if (how_.windows == WindowRule::gpt_neo) return gpt_neo_window();
    if (how_.windows == WindowRule::modern_bert) return modern_bert_window();
    auto keys = config_.size("sliding_window");
    if (!keys && !config_.says("sliding_window") && how_.window > 0) keys = how_.window;
    return keys && is_windowed() ? keys : std::nullopt;
  }

  bool is_windowed() const {
    const bool is_listed = config_.length("layer_types") > 0;
    switch (how_.windows) {
      case WindowRule::all: return !is_listed || is_windowed_by_type();
      case WindowRule::if_asked:
        if (!config_.flag("use_sliding_window").value_or(false)) return false;
        return is_listed ? is_windowed_by_type() : number_ >= config_.count("max_window_layers").value_or(28);
      case WindowRule::all_but_last:
        if (is_listed) return is_windowed_by_type();
        return (number_ + 1) % config_.size("sliding_window_pattern").value_or(how_.period) != 0;
      default: return is_windowed_by_keys();
    }
  }

  /// Where no model_type tells what the keys mean.
  bool is_windowed_by_keys() const {
    if (config_.length("layer_types") > 0) return is_windowed_by_type();
    const auto asked = config_.flag("use_sliding_window");
    if (asked == false) return false;
    const Index first = asked ? config_.count("max_window_layers").value_or(0) : 0;
    const Index period = config_.size("sliding_window_pattern").value_or(0);
    return number_ >= first && (period == 0 || (number_ + 1) % period != 0);
  }

  std::optional<Index> gpt_neo_window() const {
    const bool is_local =
        config_.word_in("attention_layers", number_) == "local" ||
        (config_.length("attention_layers") == 0 && config_.has("attention_types") && number_ % 2 == 1);
    if (!is_local) return std::nullopt;
    const auto keys = config_.size("window_size");
    return keys ? keys : how_.window > 0 ? std::optional(how_.window) : std::nullopt;
  }

  /// Of one side, with the query itself: `local_attention` counts both sides.
  std::optional<Index> modern_bert_window() const {
    const bool is_global = config_.length("layer_types") > 0
                               ? !is_windowed_by_type()
                               : number_ % config_.size("global_attn_every_n_layers").value_or(3) == 0;
    const auto keys = config_.size("local_attention");
    if (is_global || !(keys || how_.window > 0)) return std::nullopt;
    return keys.value_or(how_.window) / 2 + 1;
  }

  void know_chunks() {
    const auto chunk = config_.size("attention_chunk_size");
    if (chunk && *chunk < shown_positions && is_turned()) layer_.not_computed.emplace_back("attention in chunks");
  }

  /// Gemma 3n's last layers use the keys and values of earlier ones.
  void know_shared_keys() {
    const auto shared = config_.count("num_kv_shared_layers"), layers = config_.size("num_hidden_layers");
    if (shared && layers && number_ >= *layers - *shared)
      layer_.not_computed.emplace_back("keys and values of an earlier layer in place of its own");
  }

  void know_further_keys_of_mpt() {
    if (layer_.family->names != Names::wqkv_out_proj) return;
    if (config_.count("sliding_window_size")) layer_.not_computed.emplace_back("a sliding window");
    if (config_.has("attn_logit_softcapping")) layer_.not_computed.emplace_back("a soft cap on the scores");
  }

  // --- Positions -----------------------------------------------------------------------------------------------------

  bool is_turned() const {
    switch (how_.positions.layers) {
      case TurnedLayers::all: return true;
      case TurnedLayers::listed:
        if (const auto listed = config_.entry("no_rope_layers", number_)) return *listed != 0;
        return (number_ + 1) % config_.size("no_rope_layer_interval").value_or(4) != 0;
      case TurnedLayers::windowed: return layer_.sliding_window.has_value();
      case TurnedLayers::windowed_or_alone: return layer_.sliding_window.has_value() || !config_.has("sliding_window");
    }
    return true;
  }

  ConfigPart::Rotary rotary() const {
    if (layer_.sliding_window) {
      for (const char* key : {"rope_local_base_freq", "local_rope_theta"})
        if (const auto base = config_.number(key)) return {.base = base};
      ConfigPart::Rotary own = config_.rotary("sliding_attention");
      const bool is_own = own.base && own.base != config_.rotary().base;
      if (!is_own && how_.positions.windowed_base > 0) return {.base = how_.positions.windowed_base};
      return own;
    }
    ConfigPart::Rotary all = config_.rotary();
    if (!all.base) all.base = config_.number("global_rope_theta");
    return all;
  }

  void know_positions() {
    const FamilyPositions& positions = how_.positions;
    if (positions.name.empty() || layer_.is_cross || !is_turned()) return;
    if (positions.encoding == Encoding::rotary) return know_rotary(rotary());
    layer_.position.encoding = positions.encoding;
    if (positions.encoding == Encoding::none) layer_.not_computed.push_back(positions.name);
  }

  /// The share of a head's features that are turned; 0 where nothing tells.
  double turned_share(const ConfigPart::Rotary& rotary) const {
    const auto width = static_cast<double>(layer_.d_head());
    if (!rotary.features) return rotary.share.value_or(how_.positions.turned);
    const auto features = static_cast<double>(*rotary.features);
    const double share = features / width;
    return share * width < features ? std::nextafter(share, 1.0) : share;  // the setup multiplies and rounds down
  }

  void know_rotary(const ConfigPart::Rotary& rotary) {
    const double share = turned_share(rotary);
    const auto turned = static_cast<Index>(share * static_cast<double>(layer_.d_head()));
    if (turned < 2 || turned % 2 != 0 || share > 1)
      return layer_.not_computed.push_back("rotary positions of a part of each head");
    if (!rotary.besides.empty()) return layer_.not_computed.push_back(rotary.besides);
    if (rotary.ratio != 1 && !how_.positions.ratio_of_base)
      return layer_.not_computed.push_back("rotary positions with a rope_ratio, which families read differently");
    layer_.position.encoding = Encoding::rotary;
    layer_.position.layout = how_.positions.layout;
    layer_.position.fraction = share;
    if (rotary.base) layer_.position.base = *rotary.base;
    else if (how_.positions.base > 0) layer_.position.base = how_.positions.base;
    else layer_.assumed.emplace_back("The base of the rotary positions is not given: 10000 is assumed");
    layer_.position.base *= rotary.ratio;
  }

  // --- Norms and scores ----------------------------------------------------------------------------------------------

  /// Whether the layer is Gemma's, by its config.json or by the norms beside it.
  bool is_gemma() const {
    if (!layer_.type.empty()) return how_.gains_less_one;
    return config_.number("query_pre_attn_scalar").has_value() ||
           model_.has(parent_of(layer_.path), "pre_feedforward_layernorm.weight");
  }

  void know_epsilon() {
    for (const char* key : {"rms_norm_eps", "norm_eps", "layer_norm_eps"})
      if (const auto epsilon = config_.number(key)) {
        layer_.epsilon = *epsilon;
        return;
      }
    layer_.assumed.emplace_back("The epsilon of the norms is not given: 1e-06 is assumed");
  }

  void know_norms() {
    if (how_.norm_without_gain && is_turned() && config_.flag("use_qk_norm").value_or(true)) {
      layer_.qk_norm = NormSpan::head;
      know_epsilon();
    }
    const auto& [queries, keys] = layer_.family->gains;
    if (queries.empty() || !(model_.has(layer_.path, queries) || model_.has(layer_.path, keys))) return;
    const Index of_queries = length_of(model_, layer_.path, queries), of_keys = length_of(model_, layer_.path, keys);
    const bool each = of_queries == layer_.d_head() && of_keys == layer_.d_head();
    const bool all = of_queries == layer_.head_columns && of_keys == layer_.kv_columns;
    if (!(each || all) || model_.has(layer_.path, "q_norm.bias"))
      return layer_.not_computed.push_back("a norm of the queries and keys");
    layer_.qk_norm = each ? NormSpan::head : NormSpan::heads;
    know_epsilon();
    const auto add = [&](TensorId one, TensorId of_heads, std::string_view name, Index heads) {
      const std::string steps = each ? "" : fmt::format(".reshape({}, {})", heads, layer_.d_head());
      layer_.arrays.push_back(
          {each ? one : of_heads, {}, *model_.index_of(layer_.path, name), steps, is_gemma_ ? 1.0 : 0.0});
    };
    add(q_gain, q_head_gains, queries, layer_.heads);
    add(k_gain, k_head_gains, keys, layer_.kv_heads);
  }

  Scale scale() const {
    const double by_width = 1 / std::sqrt(static_cast<double>(layer_.d_head()));
    switch (how_.scale) {
      case ScaleRule::none: return NoScale{};
      case ScaleRule::attention_multiplier: {
        const double factor = config_.number("attention_multiplier").value_or(1);
        return factor == 1 ? Scale{NoScale{}} : Scale{factor};
      }
      case ScaleRule::query_scalar:
        if (const auto scalar = config_.number("query_pre_attn_scalar");
            scalar && *scalar != static_cast<double>(layer_.d_head()))
          return 1 / std::sqrt(*scalar);
        return InverseSqrtDHead{};
      case ScaleRule::gpt2: {
        const bool scales = config_.flag("scale_attn_weights").value_or(true);
        if (config_.flag("scale_attn_by_inverse_layer_idx").value_or(false) && number_ > 0)
          return (scales ? by_width : 1) / static_cast<double>(number_ + 1);
        return scales ? Scale{InverseSqrtDHead{}} : Scale{NoScale{}};
      }
      case ScaleRule::by_width: break;
    }
    if (const auto softmax_scale = config_.number("softmax_scale")) return *softmax_scale;
    return InverseSqrtDHead{};
  }

  void know_scores() {
    layer_.scale = scale();
    const bool may_cap = how_.scale == ScaleRule::query_scalar || how_.soft_cap > 0;
    if (!may_cap) return;
    if (const auto cap = config_.number("attn_logit_softcapping")) layer_.soft_cap = *cap;
    else if (!config_.says("attn_logit_softcapping")) layer_.soft_cap = how_.soft_cap;
    if (is_gemma_ && layer_.type.empty() && !layer_.is_configured && !layer_.qk_norm)
      layer_.assumed.emplace_back("Whether it caps its scores, as Gemma 2 does, is not given: no cap is assumed");
  }

  /// Behind the layer's path, or alone in a captured file.
  void know_sinks() {
    constexpr std::string_view name = "sinks";
    const std::string_view path = model_.has(layer_.path, name) ? std::string_view(layer_.path) : "";
    if (!model_.has(path, name)) return;
    if (length_of(model_, path, name) != layer_.heads)
      return layer_.not_computed.push_back("a sink of each head in the softmax");
    layer_.sink = Sink::learned;
    layer_.arrays.push_back({sinks, {}, *model_.index_of(path, name), "", 0});
  }

  AttentionLayer& layer_;
  const NamedArrays& model_;
  const ConfigPart& config_;
  const Arithmetic& how_;
  Index number_;
  bool is_gemma_;
};

}  // namespace

void know_arithmetic(AttentionLayer& layer, const NamedArrays& model, const ConfigPart& config) {
  Knowing(layer, model, config).all();
}

}  // namespace headlight
