#include "core/formats/layers/families.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace headlight {
namespace {

using Four = std::array<ProjectionArrays, 4>;

/// All of a module's weight and bias.
constexpr ProjectionArrays whole(std::string_view weight, std::string_view bias) { return {{weight}, {bias}}; }

/// One of the parts of an array with several projections.
constexpr ProjectionArrays part(std::string_view weight, std::string_view bias, Index part, Index parts,
                                Packing packing = Packing::stacked) {
  return {{weight, part, parts, packing}, {bias, part, parts, packing}};
}

/// Queries, keys and values in one array, and the output in another.
constexpr Four packed(std::string_view weight, std::string_view bias, ProjectionArrays output,
                      Packing packing = Packing::stacked) {
  return {part(weight, bias, 0, 3, packing), part(weight, bias, 1, 3, packing), part(weight, bias, 2, 3, packing),
          output};
}

constexpr FamilyPositions rotary(PairLayout layout, double turned) {
  return {"rotary positions", Encoding::rotary, layout, turned};
}

constexpr ProjectionArrays without_output{};
constexpr Four all_c_attn = packed("c_attn.weight", "c_attn.bias", whole("c_proj.weight", "c_proj.bias"));
constexpr Four all_query_key_value =
    packed("query_key_value.weight", "query_key_value.bias", whole("dense.weight", "dense.bias"), Packing::grouped);
constexpr Four all_stacked_query_key_value =
    packed("query_key_value.weight", "query_key_value.bias", whole("dense.weight", "dense.bias"));
constexpr Four all_out_proj{whole("q_proj.weight", "q_proj.bias"), whole("k_proj.weight", "k_proj.bias"),
                            whole("v_proj.weight", "v_proj.bias"), whole("out_proj.weight", "out_proj.bias")};
constexpr Four all_t5{whole("q.weight", "q.bias"), whole("k.weight", "k.bias"), whole("v.weight", "v.bias"),
                      whole("o.weight", "o.bias")};

constexpr Arithmetic usual_causal{.causal = CausalMask::always};
constexpr Arithmetic usual_both_ways{.causal = CausalMask::never};
constexpr Arithmetic usual_if_stored{.causal = CausalMask::if_stored};
/// What config.json leaves open is read from whatever keys it has.
constexpr Arithmetic usual_llama{.causal = CausalMask::always,
                                 .scale = ScaleRule::query_scalar,
                                 .positions = rotary(PairLayout::half, 1),
                                 .windows = WindowRule::by_keys};

constexpr std::array family_table{
    Family{.name = "nn.MultiheadAttention",
           .names = Names::torch,
           .projections = packed("in_proj_weight", "in_proj_bias", whole("out_proj.weight", "out_proj.bias"))},
    // With kdim or vdim the weights are apart, but not the biases.
    Family{.name = "nn.MultiheadAttention",
           .names = Names::torch,
           .projections = {ProjectionArrays{{"q_proj_weight"}, {"in_proj_bias", 0, 3}},
                           ProjectionArrays{{"k_proj_weight"}, {"in_proj_bias", 1, 3}},
                           ProjectionArrays{{"v_proj_weight"}, {"in_proj_bias", 2, 3}},
                           whole("out_proj.weight", "out_proj.bias")},
           .other_features = true},
    Family{.name = "GPT-2",
           .names = Names::gpt2,
           .projections = all_c_attn,
           .axes = WeightAxes::in_out,  // its Conv1D multiplies from the right
           .usual = {.causal = CausalMask::always, .scale = ScaleRule::gpt2}},
    Family{.name = "nanoGPT", .names = Names::nano_gpt, .projections = all_c_attn, .usual = usual_causal},
    Family{.name = "GPT-2",
           .names = Names::gpt2,
           .projections = {whole("q_attn.weight", "q_attn.bias"), part("c_attn.weight", "c_attn.bias", 0, 2),
                           part("c_attn.weight", "c_attn.bias", 1, 2), whole("c_proj.weight", "c_proj.bias")},
           .axes = WeightAxes::in_out,
           .usual = usual_both_ways},
    Family{.name = "StarCoder",
           .names = Names::multi_query_c_attn,
           .projections = all_c_attn,
           .usual = usual_causal,
           .fewer_keys = true},
    Family{
        .name = "GPT BigCode",
        .names = Names::per_head_c_attn,
        .projections = packed("c_attn.weight", "c_attn.bias", whole("c_proj.weight", "c_proj.bias"), Packing::grouped),
        .usual = usual_causal},
    Family{.name = "BERT, RoBERTa",
           .names = Names::bert,
           .projections = {whole("self.query.weight", "self.query.bias"), whole("self.key.weight", "self.key.bias"),
                           whole("self.value.weight", "self.value.bias"),
                           whole("output.dense.weight", "output.dense.bias")}},
    Family{.name = "BERT in Flax",
           .names = Names::bert,
           .projections = {whole("self.query.kernel", "self.query.bias"), whole("self.key.kernel", "self.key.bias"),
                           whole("self.value.kernel", "self.value.bias"),
                           whole("output.dense.kernel", "output.dense.bias")},
           .axes = WeightAxes::in_out},
    Family{.name = "DistilBERT",
           .names = Names::distilbert,
           .projections = {whole("q_lin.weight", "q_lin.bias"), whole("k_lin.weight", "k_lin.bias"),
                           whole("v_lin.weight", "v_lin.bias"), whole("out_lin.weight", "out_lin.bias")},
           .usual = usual_both_ways},
    Family{.name = "ViT",
           .names = Names::vit,
           .projections = {whole("attention.query.weight", "attention.query.bias"),
                           whole("attention.key.weight", "attention.key.bias"),
                           whole("attention.value.weight", "attention.value.bias"),
                           whole("output.dense.weight", "output.dense.bias")},
           .usual = usual_both_ways},
    Family{.name = "ViT of timm",
           .names = Names::timm,
           .projections = packed("qkv.weight", "qkv.bias", whole("proj.weight", "proj.bias")),
           .usual = usual_both_ways},
    // Qwen 3 and Gemma 3 have a norm of each head's queries and keys, OLMo 2 one of all heads together.
    Family{.name = "Llama, Mistral, Qwen2, Qwen3, Gemma, OLMo 2",
           .names = Names::llama,
           .projections = {whole("q_proj.weight", "q_proj.bias"), whole("k_proj.weight", "k_proj.bias"),
                           whole("v_proj.weight", "v_proj.bias"), whole("o_proj.weight", "o_proj.bias")},
           .usual = usual_llama,
           .gains = {"q_norm.weight", "k_norm.weight"}},
    Family{.name = "Llama in Flax",
           .names = Names::llama,
           .projections = {whole("q_proj.kernel", "q_proj.bias"), whole("k_proj.kernel", "k_proj.bias"),
                           whole("v_proj.kernel", "v_proj.bias"), whole("o_proj.kernel", "o_proj.bias")},
           .axes = WeightAxes::in_out,
           .usual = usual_llama},
    // Two with BART's names. GPT-Neo does not scale.
    Family{.name = "GPT-Neo",
           .names = Names::gpt_neo,
           .projections = all_out_proj,
           .usual = {.causal = CausalMask::always, .scale = ScaleRule::none, .windows = WindowRule::gpt_neo},
           .path_end = "attn.attention"},
    Family{.name = "GPT-J",
           .names = Names::gptj,
           .projections = all_out_proj,
           .usual = {.causal = CausalMask::always, .positions = rotary(PairLayout::interleaved, 0)},
           .path_end = "attn"},
    Family{.name = "BART, OPT, Whisper", .names = Names::bart, .projections = all_out_proj},
    Family{.name = "Phi",
           .names = Names::phi,
           .projections = {whole("q_proj.weight", "q_proj.bias"), whole("k_proj.weight", "k_proj.bias"),
                           whole("v_proj.weight", "v_proj.bias"), whole("dense.weight", "dense.bias")},
           .usual = {.causal = CausalMask::always, .positions = rotary(PairLayout::half, 0)}},
    Family{.name = "Phi-3",
           .names = Names::phi3,
           .projections = packed("qkv_proj.weight", "qkv_proj.bias", whole("o_proj.weight", "o_proj.bias")),
           .usual = usual_llama,
           .fewer_keys = true},
    Family{.name = "T5",
           .names = Names::t5,
           .projections = all_t5,
           .usual = {.scale = ScaleRule::none, .positions = {.name = "relative positions"}},
           .path_end = "SelfAttention"},
    Family{.name = "T5",
           .names = Names::t5,
           .projections = all_t5,
           .usual = {.causal = CausalMask::never, .scale = ScaleRule::none},
           .path_end = "EncDecAttention"},
    Family{.name = "BLOOM",
           .names = Names::per_head_qkv,
           .projections = all_query_key_value,
           .usual = {.causal = CausalMask::always, .positions = {"ALiBi", Encoding::alibi}},
           .path_end = "self_attention"},
    Family{.name = "GPT-NeoX",
           .names = Names::per_head_qkv,
           .projections = all_query_key_value,
           .usual = {.causal = CausalMask::always, .positions = rotary(PairLayout::half, 0)}},
    Family{.name = "Falcon 7B, ChatGLM 2",
           .names = Names::multi_query_qkv,
           .projections = all_stacked_query_key_value,
           .usual = {.causal = CausalMask::always, .positions = rotary(PairLayout::half, 1)},
           .fewer_keys = true},
    Family{.name = "Falcon 40B",
           .names = Names::grouped_qkv,
           .projections = all_query_key_value,
           .usual = {.causal = CausalMask::always, .positions = rotary(PairLayout::half, 1)},
           .fewer_keys = true},
    Family{.name = "ModernBERT",
           .names = Names::wqkv_wo,
           .projections = packed("Wqkv.weight", "Wqkv.bias", whole("Wo.weight", "Wo.bias")),
           .usual = {.causal = CausalMask::never,
                     .positions = rotary(PairLayout::half, 1),
                     .windows = WindowRule::modern_bert}},
    Family{.name = "MPT",
           .names = Names::wqkv_out_proj,
           .projections = packed("Wqkv.weight", "Wqkv.bias", whole("out_proj.weight", "out_proj.bias")),
           .usual = {.causal = CausalMask::always, .positions = {"ALiBi", Encoding::alibi}},
           .fewer_keys = true},
    Family{.name = "InternLM 2",
           .names = Names::internlm2,
           .projections = packed("wqkv.weight", "wqkv.bias", whole("wo.weight", "wo.bias"), Packing::grouped),
           .usual = usual_llama,
           .fewer_keys = true},
    Family{.name = "Baichuan",
           .names = Names::baichuan,
           .projections = packed("W_pack.weight", "W_pack.bias", whole("o_proj.weight", "o_proj.bias")),
           .usual = {.causal = CausalMask::always, .positions = rotary(PairLayout::half, 1)}},
    Family{.name = "ALBERT",
           .names = Names::albert,
           .projections = {whole("query.weight", "query.bias"), whole("key.weight", "key.bias"),
                           whole("value.weight", "value.bias"), whole("dense.weight", "dense.bias")},
           .usual = usual_both_ways},
    // Meta's own files turn neighbours; those of Hugging Face have the rows in another order, so that halves turn.
    Family{.name = "Llama of Meta",
           .names = Names::meta,
           .projections = {whole("wq.weight", "wq.bias"), whole("wk.weight", "wk.bias"), whole("wv.weight", "wv.bias"),
                           whole("wo.weight", "wo.bias")},
           .usual = {.causal = CausalMask::always, .positions = rotary(PairLayout::interleaved, 1)}},
    Family{.name = "LLMs from scratch",
           .projections = {whole("W_query.weight", "W_query.bias"), whole("W_key.weight", "W_key.bias"),
                           whole("W_value.weight", "W_value.bias"), whole("out_proj.weight", "out_proj.bias")},
           .usual = usual_if_stored,
           .other_output = true},
    Family{.name = "LLMs from scratch, a module for each head",
           .projections = {whole("heads.0.W_query.weight", "heads.0.W_query.bias"),
                           whole("heads.0.W_key.weight", "heads.0.W_key.bias"),
                           whole("heads.0.W_value.weight", "heads.0.W_value.bias"), without_output},
           .usual = usual_if_stored,
           .other_output = true,
           .head_modules = true},
    Family{.name = "LLMs from scratch, one head",
           .projections = {whole("W_query.weight", "W_query.bias"), whole("W_key.weight", "W_key.bias"),
                           whole("W_value.weight", "W_value.bias"), without_output},
           .usual = usual_if_stored,
           .other_output = true},
    Family{.name = "LLMs from scratch, one head",
           .projections = {whole("W_query", ""), whole("W_key", ""), whole("W_value", ""), without_output},
           .axes = WeightAxes::in_out,
           .usual = usual_if_stored,
           .other_output = true},
    Family{.name = "a module for each head, as in the lecture before nanoGPT",
           .projections = {whole("heads.0.query.weight", "heads.0.query.bias"),
                           whole("heads.0.key.weight", "heads.0.key.bias"),
                           whole("heads.0.value.weight", "heads.0.value.bias"), whole("proj.weight", "proj.bias")},
           .usual = usual_if_stored,
           .head_modules = true},
    Family{.name = "a module for each head, as in the lecture before nanoGPT",
           .projections = {whole("heads.0.query.weight", "heads.0.query.bias"),
                           whole("heads.0.key.weight", "heads.0.key.bias"),
                           whole("heads.0.value.weight", "heads.0.value.bias"), without_output},
           .usual = usual_if_stored,
           .other_output = true,
           .head_modules = true},
    Family{.name = "minGPT",
           .projections = {whole("query.weight", "query.bias"), whole("key.weight", "key.bias"),
                           whole("value.weight", "value.bias"), whole("proj.weight", "proj.bias")},
           .usual = usual_if_stored},
    Family{.name = "the annotated transformer",
           .projections = {whole("linears.0.weight", "linears.0.bias"), whole("linears.1.weight", "linears.1.bias"),
                           whole("linears.2.weight", "linears.2.bias"), whole("linears.3.weight", "linears.3.bias")}},
    Family{.name = "Dive into Deep Learning",
           .projections = {whole("W_q.weight", "W_q.bias"), whole("W_k.weight", "W_k.bias"),
                           whole("W_v.weight", "W_v.bias"), whole("W_o.weight", "W_o.bias")},
           .other_features = true},
    Family{.name = "to_qkv, as with einops",
           .projections = packed("to_qkv.weight", "to_qkv.bias", whole("to_out.0.weight", "to_out.0.bias"))},
    Family{.name = "to_qkv, as with einops",
           .projections = packed("to_qkv.weight", "to_qkv.bias", whole("to_out.weight", "to_out.bias"))},
    Family{.name = "diffusers",
           .projections = {whole("to_q.weight", "to_q.bias"), whole("to_k.weight", "to_k.bias"),
                           whole("to_v.weight", "to_v.bias"), whole("to_out.0.weight", "to_out.0.bias")},
           .usual = usual_both_ways,
           .other_features = true},
    Family{.name = "to_q, to_k, to_v",
           .projections = {whole("to_q.weight", "to_q.bias"), whole("to_k.weight", "to_k.bias"),
                           whole("to_v.weight", "to_v.bias"), whole("to_out.weight", "to_out.bias")},
           .other_features = true},
    Family{.name = "to_q and to_kv, as with einops",
           .projections = {whole("to_q.weight", "to_q.bias"), part("to_kv.weight", "to_kv.bias", 0, 2),
                           part("to_kv.weight", "to_kv.bias", 1, 2), whole("to_out.weight", "to_out.bias")},
           .other_features = true},
    Family{.name = "to_q and to_kv, as with einops",
           .projections = {whole("to_q.weight", "to_q.bias"), part("to_kv.weight", "to_kv.bias", 0, 2),
                           part("to_kv.weight", "to_kv.bias", 1, 2), whole("to_out.0.weight", "to_out.0.bias")},
           .other_features = true},
    Family{.name = "TransformerLens",
           .projections = {whole("W_Q", "b_Q"), whole("W_K", "b_K"), whole("W_V", "b_V"), whole("W_O", "b_O")},
           .axes = WeightAxes::heads_in_out,
           .usual = usual_if_stored},
    Family{
        .name = "Keras",
        .projections = {whole("query.kernel", "query.bias"), whole("key.kernel", "key.bias"),
                        whole("value.kernel", "value.bias"), whole("attention_output.kernel", "attention_output.bias")},
        .axes = WeightAxes::in_heads_out,
        .other_features = true,
        .other_output = true},
    Family{.name = "Keras, by the paths of its layers",
           .projections = {whole("query_dense.vars.0", "query_dense.vars.1"),
                           whole("key_dense.vars.0", "key_dense.vars.1"),
                           whole("value_dense.vars.0", "value_dense.vars.1"),
                           whole("output_dense.vars.0", "output_dense.vars.1")},
           .axes = WeightAxes::in_heads_out,
           .other_features = true,
           .other_output = true},
    Family{.name = "Flax",
           .projections = {whole("query.kernel", "query.bias"), whole("key.kernel", "key.bias"),
                           whole("value.kernel", "value.bias"), whole("out.kernel", "out.bias")},
           .axes = WeightAxes::in_heads_out,
           .other_features = true,
           .other_output = true},
    // The order of get_weights(), with biases and without; a saved list of arrays has no other names.
    Family{.name = "Keras, in the order of get_weights",
           .projections = {whole("arr_0", "arr_1"), whole("arr_2", "arr_3"), whole("arr_4", "arr_5"),
                           whole("arr_6", "arr_7")},
           .axes = WeightAxes::in_heads_out,
           .other_features = true,
           .other_output = true,
           .unnamed = true},
    Family{.name = "Keras, in the order of get_weights",
           .projections = {whole("arr_0", ""), whole("arr_1", ""), whole("arr_2", ""), whole("arr_3", "")},
           .axes = WeightAxes::in_heads_out,
           .other_features = true,
           .other_output = true,
           .unnamed = true},
    // Traces that Headlight wrote, and other files with the same names.
    Family{.name = "Headlight",
           .projections = {whole("W_q", "b_q"), whole("W_k", "b_k"), whole("W_v", "b_v"), whole("W_o", "b_o")},
           .axes = WeightAxes::in_out,
           .usual = usual_both_ways,
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
    FurtherArray{"self.distance_embedding.weight", "relative positions"},
    FurtherArray{"relative_position_bias_table", "relative positions"},
    FurtherArray{"attention.relative_position_bias.relative_position_bias_table", "relative positions"},
    FurtherArray{"rel_pos_h", "relative positions"},
    FurtherArray{"q_layernorm.weight", "a norm of the queries"},
    FurtherArray{"k_layernorm.weight", "a norm of the keys"},
    FurtherArray{"q_layernorm.norms.0.weight", "a norm of the queries"},
    FurtherArray{"k_layernorm.norms.0.weight", "a norm of the keys"},
    FurtherArray{"q_ln.weight", "a norm of the queries"},
    FurtherArray{"k_ln.weight", "a norm of the keys"},
    FurtherArray{"norm_q.weight", "a norm of the queries"},
    FurtherArray{"norm_k.weight", "a norm of the keys"},
    FurtherArray{"query_layernorm.weight", "a norm of the queries after their rotation, as in Hunyuan"},
    FurtherArray{"key_layernorm.weight", "a norm of the keys after their rotation, as in Hunyuan"},
    FurtherArray{"rotary_sin", "rotary positions"},
    FurtherArray{"added_scores", "numbers added to the scores (a mask of floats)"},
    FurtherArray{"mask_per_head", "a separate mask for each head"},
};

constexpr std::array refused{
    RefusedArray{"q_proj.qweight", "whole numbers of a few bits (GPTQ or AWQ) in place of weights"},
    RefusedArray{"qkv_proj.qweight", "whole numbers of a few bits (GPTQ or AWQ) in place of weights"},
    RefusedArray{"c_attn.qweight", "whole numbers of a few bits (GPTQ or AWQ) in place of weights"},
    RefusedArray{"query_key_value.qweight", "whole numbers of a few bits (GPTQ or AWQ) in place of weights"},
    RefusedArray{"kv_a_proj_with_mqa.weight",
                 "latent attention, as in DeepSeek V2: keys and values are made in two steps"},
    RefusedArray{"self.in_proj.weight",
                 "queries, keys and values in one in_proj.weight, as in DeBERTa, without a known order"},
    RefusedArray{"self.query_proj.weight", "disentangled attention, as in DeBERTa V2"},
    RefusedArray{"r_r_bias", "relative positions with keys of their own, as in XLNet"},
    RefusedArray{"qkv_proj.weight",
                 "queries, keys and values in one qkv_proj.weight, in an order that is not known here"},
    RefusedArray{"Wqkv.weight", "queries, keys and values in one Wqkv.weight, in an order that is not known here"},
};

constexpr std::array<std::string_view, 8> cross_names{
    "multihead_attn",  "crossattention",  "encoder_attn", "cross_attn",
    "cross_attention", "EncDecAttention", "src_attn",     "attn2"};

constexpr std::string_view weight_of_module = ".weight";

}  // namespace

std::span<const Family> families() { return family_table; }

std::optional<std::array<std::string_view, 4>> projection_modules(const Family& family) {
  std::array<std::string_view, 4> modules;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    modules[i] = family.projections[i].weight.name;
    if (family.head_modules) return std::nullopt;
    if (!modules[i].ends_with(weight_of_module)) return std::nullopt;
    modules[i].remove_suffix(weight_of_module.size());
  }
  return modules;
}

std::vector<std::string_view> weight_names(const Family& family) {
  std::vector<std::string_view> names;
  for (const ProjectionArrays& each : family.projections) {
    if (!each.weight.name.empty() && std::ranges::find(names, each.weight.name) == names.end())
      names.push_back(each.weight.name);
  }
  return names;
}

std::string of_head(std::string_view name, Index head) {
  constexpr std::string_view first = "heads.0.";
  return fmt::format("heads.{}.{}", head, name.substr(first.size()));
}

std::span<const RefusedArray> refused_arrays() { return refused; }

std::span<const FurtherArray> further_arrays() { return further; }

std::span<const std::string_view> cross_attention_names() { return cross_names; }

}  // namespace headlight
