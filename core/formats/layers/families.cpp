#include "core/formats/layers/families.hpp"

#include <algorithm>

namespace headlight {
namespace {

/// All of a module's weight and bias.
constexpr ProjectionArrays whole(std::string_view weight, std::string_view bias) { return {{weight}, {bias}}; }

/// One of the equal parts that follow one another.
constexpr ProjectionArrays part(std::string_view weight, std::string_view bias, Index part, Index parts) {
  return {{weight, part, parts}, {bias, part, parts}};
}

/// One of the three parts that each head has.
constexpr ProjectionArrays head_part(std::string_view weight, std::string_view bias, Index part) {
  return {{weight, part, 3, true}, {bias, part, 3, true}};
}

/// Of GPT-J, whose config.json tells how many features of a head are turned, and of Llama and GPT-NeoX, where it may
/// name a share.
constexpr FamilyPositions rotary(PairLayout layout, double turned) {
  return {"rotary positions", Encoding::rotary, layout, turned};
}

constexpr std::array family_table{
    Family{.name = "nn.MultiheadAttention",
           .projections = {part("in_proj_weight", "in_proj_bias", 0, 3), part("in_proj_weight", "in_proj_bias", 1, 3),
                           part("in_proj_weight", "in_proj_bias", 2, 3), whole("out_proj.weight", "out_proj.bias")}},
    // With kdim or vdim the weights are apart, but not the biases.
    Family{.name = "nn.MultiheadAttention",
           .projections = {ProjectionArrays{{"q_proj_weight"}, {"in_proj_bias", 0, 3}},
                           ProjectionArrays{{"k_proj_weight"}, {"in_proj_bias", 1, 3}},
                           ProjectionArrays{{"v_proj_weight"}, {"in_proj_bias", 2, 3}},
                           whole("out_proj.weight", "out_proj.bias")},
           .other_features = true},
    Family{.name = "GPT-2",
           .projections = {part("c_attn.weight", "c_attn.bias", 0, 3), part("c_attn.weight", "c_attn.bias", 1, 3),
                           part("c_attn.weight", "c_attn.bias", 2, 3), whole("c_proj.weight", "c_proj.bias")},
           .layout = WeightLayout::in_out,  // its Conv1D multiplies from the right
           .causal = CausalMask::always},
    Family{.name = "nanoGPT",
           .projections = {part("c_attn.weight", "c_attn.bias", 0, 3), part("c_attn.weight", "c_attn.bias", 1, 3),
                           part("c_attn.weight", "c_attn.bias", 2, 3), whole("c_proj.weight", "c_proj.bias")},
           .causal = CausalMask::always},
    Family{.name = "GPT-2",
           .projections = {whole("q_attn.weight", "q_attn.bias"), part("c_attn.weight", "c_attn.bias", 0, 2),
                           part("c_attn.weight", "c_attn.bias", 1, 2), whole("c_proj.weight", "c_proj.bias")},
           .layout = WeightLayout::in_out,
           .causal = CausalMask::never},
    Family{.name = "BERT, RoBERTa",
           .projections = {whole("self.query.weight", "self.query.bias"), whole("self.key.weight", "self.key.bias"),
                           whole("self.value.weight", "self.value.bias"),
                           whole("output.dense.weight", "output.dense.bias")}},
    Family{.name = "DistilBERT",
           .projections = {whole("q_lin.weight", "q_lin.bias"), whole("k_lin.weight", "k_lin.bias"),
                           whole("v_lin.weight", "v_lin.bias"), whole("out_lin.weight", "out_lin.bias")},
           .causal = CausalMask::never},
    Family{.name = "ViT",
           .projections = {whole("attention.query.weight", "attention.query.bias"),
                           whole("attention.key.weight", "attention.key.bias"),
                           whole("attention.value.weight", "attention.value.bias"),
                           whole("output.dense.weight", "output.dense.bias")},
           .causal = CausalMask::never},
    Family{.name = "ViT of timm",
           .projections = {part("qkv.weight", "qkv.bias", 0, 3), part("qkv.weight", "qkv.bias", 1, 3),
                           part("qkv.weight", "qkv.bias", 2, 3), whole("proj.weight", "proj.bias")},
           .causal = CausalMask::never},
    // Qwen 3 and Gemma 3 have a norm of each head's queries and keys, OLMo 2 one of all heads together.
    Family{.name = "Llama, Mistral, Qwen2, Qwen3, Gemma, OLMo 2",
           .projections = {whole("q_proj.weight", "q_proj.bias"), whole("k_proj.weight", "k_proj.bias"),
                           whole("v_proj.weight", "v_proj.bias"), whole("o_proj.weight", "o_proj.bias")},
           .causal = CausalMask::always,
           .positions = rotary(PairLayout::half, 1),
           .gains = {"q_norm.weight", "k_norm.weight"}},
    // Two with BART's names. GPT-Neo does not scale.
    Family{.name = "GPT-Neo",
           .projections = {whole("q_proj.weight", "q_proj.bias"), whole("k_proj.weight", "k_proj.bias"),
                           whole("v_proj.weight", "v_proj.bias"), whole("out_proj.weight", "out_proj.bias")},
           .causal = CausalMask::always,
           .scale = NoScale{},
           .path_end = "attn.attention"},
    Family{.name = "GPT-J",
           .projections = {whole("q_proj.weight", "q_proj.bias"), whole("k_proj.weight", "k_proj.bias"),
                           whole("v_proj.weight", "v_proj.bias"), whole("out_proj.weight", "out_proj.bias")},
           .causal = CausalMask::always,
           .positions = rotary(PairLayout::interleaved, 0),
           .path_end = "attn"},
    Family{.name = "BART, OPT, Whisper",
           .projections = {whole("q_proj.weight", "q_proj.bias"), whole("k_proj.weight", "k_proj.bias"),
                           whole("v_proj.weight", "v_proj.bias"), whole("out_proj.weight", "out_proj.bias")}},
    Family{.name = "T5",
           .projections = {whole("q.weight", "q.bias"), whole("k.weight", "k.bias"), whole("v.weight", "v.bias"),
                           whole("o.weight", "o.bias")},
           .scale = NoScale{},
           .positions = {.name = "relative positions"},
           .path_end = "SelfAttention"},
    Family{.name = "T5",
           .projections = {whole("q.weight", "q.bias"), whole("k.weight", "k.bias"), whole("v.weight", "v.bias"),
                           whole("o.weight", "o.bias")},
           .causal = CausalMask::never,
           .scale = NoScale{},
           .path_end = "EncDecAttention"},
    Family{.name = "BLOOM",
           .projections = {head_part("query_key_value.weight", "query_key_value.bias", 0),
                           head_part("query_key_value.weight", "query_key_value.bias", 1),
                           head_part("query_key_value.weight", "query_key_value.bias", 2),
                           whole("dense.weight", "dense.bias")},
           .causal = CausalMask::always,
           .positions = {"ALiBi", Encoding::alibi},
           .path_end = "self_attention"},
    Family{.name = "GPT-NeoX",
           .projections = {head_part("query_key_value.weight", "query_key_value.bias", 0),
                           head_part("query_key_value.weight", "query_key_value.bias", 1),
                           head_part("query_key_value.weight", "query_key_value.bias", 2),
                           whole("dense.weight", "dense.bias")},
           .causal = CausalMask::always,
           .positions = rotary(PairLayout::half, 0.25)},
    // Traces that Headlight wrote, and other files with the same names.
    Family{.name = "Headlight",
           .projections = {whole("W_q", "b_q"), whole("W_k", "b_k"), whole("W_v", "b_v"), whole("W_o", "b_o")},
           .layout = WeightLayout::in_out,
           .causal = CausalMask::never,
           .other_features = true,
           .gains = {"q_gain", "k_gain"},
           .other_output = true},
};

constexpr std::array further{
    FurtherArray{"q_norm.weight", "a norm of the queries"},
    FurtherArray{"k_norm.weight", "a norm of the keys"},
    FurtherArray{"q_head_gains", "a norm of the queries of all heads"},
    FurtherArray{"k_head_gains", "a norm of the keys of all heads"},
    FurtherArray{"capped_scores", "a soft cap on the scores"},
    FurtherArray{"bias_k", "a learned key after all others (add_bias_kv)"},
    FurtherArray{"bias_v", "a learned value after all others (add_bias_kv)"},
    FurtherArray{"add_zero_attn", "a key of zeros after all others"},
    FurtherArray{"sinks", "a sink of each head in the softmax"},
    FurtherArray{"self.distance_embedding.weight", "relative positions"},
    FurtherArray{"relative_position_bias_table", "relative positions"},
    FurtherArray{"rel_pos_h", "relative positions"},
    FurtherArray{"added_scores", "numbers added to the scores (a mask of floats)"},
    FurtherArray{"mask_per_head", "a separate mask for each head"},
};

constexpr std::array<std::string_view, 6> cross_names{"multihead_attn", "crossattention",  "encoder_attn",
                                                      "cross_attn",     "cross_attention", "EncDecAttention"};

constexpr std::string_view weight_of_module = ".weight";

}  // namespace

std::span<const Family> families() { return family_table; }

std::optional<std::array<std::string_view, 4>> projection_modules(const Family& family) {
  std::array<std::string_view, 4> modules;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    modules[i] = family.projections[i].weight.name;
    if (!modules[i].ends_with(weight_of_module)) return std::nullopt;
    modules[i].remove_suffix(weight_of_module.size());
  }
  return modules;
}

std::vector<std::string_view> weight_names(const Family& family) {
  std::vector<std::string_view> names;
  for (const ProjectionArrays& each : family.projections) {
    if (std::ranges::find(names, each.weight.name) == names.end()) names.push_back(each.weight.name);
  }
  return names;
}

std::span<const FurtherArray> further_arrays() { return further; }

std::span<const std::string_view> cross_attention_names() { return cross_names; }

}  // namespace headlight
