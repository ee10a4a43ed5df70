#include "core/formats/layers/blocks.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/formats/layers/model_types.hpp"

namespace headlight {
namespace {

constexpr std::array block_table{
    // Its state has no word about the bend, nor about where the norms are: those of its constructor are assumed.
    BlockFamily{.name = "nn.TransformerEncoder",
                .names = Names::torch,
                .types = "",
                .attention = "self_attn",
                .norm = NormKind::layer,
                .block = {.norm = "norm1", .mlp_norm = "norm2", .in = "linear1", .gate = "", .out = "linear2"},
                .ends = {.norm = "norm",
                         .may_lack_norm = true,
                         .embedding = "",
                         .positions = "",
                         .unembedding = "",
                         .is_tied = false},
                .bend = {"activation", Mlp::relu},
                .epsilon = {"layer_norm_eps", 1e-5},
                .norm_first = "norm_first"},
    BlockFamily{.name = "GPT-2",
                .names = Names::gpt2,
                .types = "gpt2",
                .attention = "attn",
                .norm = NormKind::layer,
                .block = {.norm = "ln_1", .mlp_norm = "ln_2", .in = "mlp.c_fc", .gate = "", .out = "mlp.c_proj"},
                .ends = {.norm = "ln_f",
                         .may_lack_norm = false,
                         .embedding = "wte",
                         .positions = "wpe",
                         .unembedding = "lm_head",
                         .is_tied = true},
                .bend = {"activation_function", Mlp::gelu_tanh},
                .epsilon = {"layer_norm_epsilon", 1e-5},
                .norm_first = nullptr},
    // Its first versions bent as GPT-2 does.
    BlockFamily{.name = "nanoGPT",
                .names = Names::nano_gpt,
                .types = "",
                .attention = "attn",
                .norm = NormKind::layer,
                .block = {.norm = "ln_1", .mlp_norm = "ln_2", .in = "mlp.c_fc", .gate = "", .out = "mlp.c_proj"},
                .ends = {.norm = "ln_f",
                         .may_lack_norm = false,
                         .embedding = "wte",
                         .positions = "wpe",
                         .unembedding = "lm_head",
                         .is_tied = true},
                .bend = {"activation_function", Mlp::gelu},
                .epsilon = {nullptr, 1e-5},
                .norm_first = nullptr},
    BlockFamily{.name = "Llama",
                .names = Names::llama,
                .types = "llama mistral qwen2 qwen3",
                .attention = "self_attn",
                .norm = NormKind::rms,
                .block = {.norm = "input_layernorm",
                          .mlp_norm = "post_attention_layernorm",
                          .in = "mlp.up_proj",
                          .gate = "mlp.gate_proj",
                          .out = "mlp.down_proj"},
                .ends = {.norm = "norm",
                         .may_lack_norm = false,
                         .embedding = "embed_tokens",
                         .positions = "",
                         .unembedding = "lm_head",
                         .is_tied = false},
                .bend = {"hidden_act", Mlp::silu},
                .epsilon = {"rms_norm_eps", 1e-6},
                .norm_first = nullptr},
};

constexpr std::array<std::pair<std::string_view, Mlp>, 8> bends{{{"relu", Mlp::relu},
                                                                 {"gelu", Mlp::gelu},
                                                                 {"gelu_python", Mlp::gelu},
                                                                 {"gelu_new", Mlp::gelu_tanh},
                                                                 {"gelu_pytorch_tanh", Mlp::gelu_tanh},
                                                                 {"gelu_tanh", Mlp::gelu_tanh},
                                                                 {"silu", Mlp::silu},
                                                                 {"swish", Mlp::silu}}};

constexpr std::array<std::string_view, 4> buffers{"bias", "masked_bias", "rotary_emb.inv_freq", "mask"};

}  // namespace

std::span<const BlockFamily> block_families() { return block_table; }

const BlockFamily* block_family_of(Names names, const ConfigPart& config) {
  const std::string type = config.type();
  const auto found = std::ranges::find_if(block_table, [&](const BlockFamily& each) {
    return each.names == names && (type.empty() || has_type(each.types, type));
  });
  return found == block_table.end() ? nullptr : &*found;
}

std::optional<Mlp> bend_called(std::string_view word) {
  const auto found = std::ranges::find(bends, word, &std::pair<std::string_view, Mlp>::first);
  return found == bends.end() ? std::nullopt : std::optional(found->second);
}

bool is_buffer(std::string_view array) { return std::ranges::find(buffers, array) != buffers.end(); }

}  // namespace headlight
