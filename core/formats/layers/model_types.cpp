#include "core/formats/layers/model_types.hpp"

#include <algorithm>

#include "core/text/numbers.hpp"

namespace headlight {
namespace {

constexpr FamilyPositions halves(double base = 10000, double turned = 1, TurnedLayers layers = TurnedLayers::all) {
  return {"rotary positions", Encoding::rotary, PairLayout::half, turned, base, 0, layers};
}
constexpr FamilyPositions neighbours(double base = 10000, double turned = 1, TurnedLayers layers = TurnedLayers::all) {
  return {"rotary positions", Encoding::rotary, PairLayout::interleaved, turned, base, 0, layers};
}
constexpr FamilyPositions of_windows(FamilyPositions positions, double base) {
  positions.windowed_base = base;
  return positions;
}
constexpr FamilyPositions with_ratio_of_base(FamilyPositions positions) {
  positions.ratio_of_base = true;
  return positions;
}
constexpr FamilyPositions with_alibi{"ALiBi", Encoding::alibi};
constexpr FamilyPositions of_images{.name = "rotary positions of rows and columns of an image"};
constexpr FamilyPositions of_blocks{.name = "rotary positions of tokens and of blocks"};

/// A decoder with rotary positions, as most are.
constexpr Arithmetic decoder(FamilyPositions positions = halves(), WindowRule windows = WindowRule::none,
                             Index period = 0, Index window = 0) {
  return {.causal = CausalMask::always, .positions = positions, .windows = windows, .period = period, .window = window};
}
constexpr Arithmetic with_scale(Arithmetic arithmetic, ScaleRule scale) {
  arithmetic.scale = scale;
  return arithmetic;
}
constexpr Arithmetic and_also(Arithmetic arithmetic, std::string_view what) {
  arithmetic.not_computed = what;
  return arithmetic;
}
constexpr Arithmetic with_cap(Arithmetic arithmetic, double cap) {
  arithmetic.soft_cap = cap;
  return arithmetic;
}
constexpr Arithmetic as_gemma(Arithmetic arithmetic) {
  arithmetic.gains_less_one = true;
  return arithmetic;
}
constexpr Arithmetic with_norm_without_gain(Arithmetic arithmetic) {
  arithmetic.norm_without_gain = true;
  return arithmetic;
}

constexpr Arithmetic only_encoder{.causal = CausalMask::never};
constexpr Arithmetic only_causal{.causal = CausalMask::always};
constexpr Arithmetic both_kinds{};

// Each as in the family's own code; what it is called there is in the comment where it isn't obvious.
const std::vector<ModelType> type_table{
    // Decoders with rotary positions in halves.
    {"Llama", "llama internlm code_llama deepseek", {Names::llama}, decoder()},
    {"Llama", "llava llava_next llava_llama", {Names::llama}, decoder()},
    {"Mistral", "mistral ministral mixtral mistral3", {Names::llama}, decoder(halves(), WindowRule::all)},
    {"StarCoder 2", "starcoder2", {Names::llama}, decoder(halves(), WindowRule::all)},
    {"Qwen2, Qwen3",
     "qwen2 qwen2_moe qwen3 qwen3_moe qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text qwen3_vl qwen3_vl_text",
     {Names::llama},
     decoder(halves(), WindowRule::if_asked)},
    {"Qwen", "qwen", {Names::nano_gpt}, decoder()},
    {"OLMo, OLMo 2", "olmo olmo2 olmoe", {Names::llama}, decoder()},
    {"OLMo 3", "olmo3", {Names::llama}, decoder(halves(), WindowRule::all_but_last, 4, 4096)},
    {"Granite",
     "granite granitemoe granitemoeshared",
     {Names::llama},
     with_scale(decoder(), ScaleRule::attention_multiplier)},
    {"SmolLM 3", "smollm3", {Names::llama}, decoder(halves(2000000, 1, TurnedLayers::listed), WindowRule::if_asked)},
    {"EXAONE 4",
     "exaone4",
     {Names::llama},
     decoder(halves(10000, 1, TurnedLayers::windowed_or_alone), WindowRule::all_but_last, 4)},
    {"EXAONE 3", "exaone", {Names::gpt_neo}, decoder()},
    {"Phi-3", "phi3", {Names::phi3}, decoder(halves(), WindowRule::all)},
    {"InternLM 2", "internlm2", {Names::internlm2}, decoder()},
    {"GPT-OSS", "gpt_oss", {Names::llama}, decoder(halves(150000), WindowRule::all_but_last, 2, 128)},
    {"Jamba", "jamba", {Names::llama}, only_causal},
    {.name = "Baichuan",
     .types = "baichuan",
     .names = {Names::baichuan},
     .arithmetic = decoder(),
     .only_if = "max_position_embeddings"},
    {"Baichuan 13B", "baichuan", {Names::baichuan}, decoder(with_alibi)},
    {"Phi", "phi", {Names::phi}, decoder(halves(10000, 0.5))},
    {"StableLM", "stablelm stablelm_epoch", {Names::llama}, decoder(halves(10000, 0.25))},
    {"Nemotron", "nemotron", {Names::llama}, decoder(halves(10000, 0.5))},
    {"GLM 4.5", "glm4_moe", {Names::llama}, decoder(halves(10000, 0.5))},
    {"GPT-NeoX", "gpt_neox", {Names::per_head_qkv}, decoder(halves(10000, 0.25))},
    {"Persimmon", "persimmon", {Names::per_head_qkv}, decoder(halves(25000, 0.5))},

    // Gemma's files hold the gains of norms less 1.
    {.name = "Gemma",
     .types = "gemma paligemma",
     .names = {Names::llama},
     .arithmetic = as_gemma(decoder()),
     .d_head = 256},
    {.name = "Gemma 2",
     .types = "gemma2",
     .names = {Names::llama},
     .arithmetic = as_gemma(
         with_cap(with_scale(decoder(halves(), WindowRule::all_but_last, 2, 4096), ScaleRule::query_scalar), 50)),
     .heads = 8,
     .d_head = 256},
    {.name = "Gemma 3",
     .types = "gemma3 gemma3_text",
     .names = {Names::llama},
     .arithmetic = as_gemma(with_scale(decoder(of_windows(halves(1000000), 10000), WindowRule::all_but_last, 6, 4096),
                                       ScaleRule::query_scalar)),
     .heads = 8,
     .d_head = 256},
    {.name = "Gemma 3n",
     .types = "gemma3n gemma3n_text",
     .names = {Names::llama},
     .arithmetic = and_also(
         with_scale(decoder(of_windows(halves(1000000), 10000), WindowRule::all_but_last, 5, 512), ScaleRule::none),
         "a norm of the values"),
     .heads = 8,
     .d_head = 256},
    {.name = "T5Gemma",
     .types = "t5gemma t5_gemma_module",
     .names = {Names::llama},
     .arithmetic = {.causal = CausalMask::decoders,
                    .scale = ScaleRule::query_scalar,
                    .positions = halves(),
                    .windows = WindowRule::all_but_last,
                    .period = 2,
                    .window = 4096,
                    .soft_cap = 50,
                    .gains_less_one = true},
     .d_head = 256},

    // Neighbours turn together.
    {"Cohere", "cohere", {Names::llama}, decoder(neighbours())},
    {"Cohere 2",
     "cohere2",
     {Names::llama},
     decoder(neighbours(10000, 1, TurnedLayers::windowed), WindowRule::all_but_last, 4, 4096)},
    {"ERNIE 4.5", "ernie4_5 ernie4_5_moe", {Names::llama}, decoder(neighbours(500000))},
    {"Llama 4",
     "llama4 llama4_text",
     {Names::llama},
     with_norm_without_gain(decoder(neighbours(500000, 1, TurnedLayers::listed)))},
    {"GLM", "glm glm4", {Names::llama}, decoder(neighbours(10000, 0.5))},
    // With GLM 4's vocabulary: the code of ChatGLM 2 divides the positions by `rope_ratio`, that of ChatGLM 3
    // multiplies
    // the base by it, as GLM 4's does, and nothing in their files tells which of the two it is.
    {.name = "GLM 4",
     .types = "chatglm",
     .names = {Names::multi_query_qkv},
     .arithmetic = decoder(with_ratio_of_base(neighbours(10000, 0.5))),
     .only_if = "multi_query_attention padded_vocab_size=151552"},
    {.name = "ChatGLM 2, 3",
     .types = "chatglm",
     .names = {Names::multi_query_qkv},
     .arithmetic = decoder(neighbours(10000, 0.5)),
     .only_if = "multi_query_attention"},
    {"ChatGLM 6B", "chatglm", {Names::per_head_qkv}, decoder(of_blocks)},
    {"GPT-J", "gptj", {Names::gptj}, decoder(neighbours(10000, 0))},

    // Falcon adds ALiBi before it divides by √d_head, BLOOM after.
    {.name = "Falcon 40B",
     .types = "falcon refinedweb",
     .names = {Names::grouped_qkv},
     .arithmetic = decoder(),
     .only_if = "new_decoder_architecture !alibi"},
    {.name = "Falcon 40B",
     .types = "refinedweb",
     .names = {Names::grouped_qkv},
     .arithmetic = decoder(),
     .only_if = "n_head_kv !alibi"},
    {.name = "Falcon 7B",
     .types = "falcon refinedweb",
     .names = {Names::multi_query_qkv},
     .arithmetic = decoder(),
     .only_if = "multi_query !alibi"},
    {.name = "Falcon",
     .types = "falcon refinedweb",
     .names = {Names::per_head_qkv},
     .arithmetic = decoder(),
     .only_if = "!alibi"},
    {.name = "Falcon RW",
     .types = "falcon refinedweb",
     .names = {Names::grouped_qkv},
     .arithmetic = and_also(only_causal, "ALiBi, divided by √d_head together with the dot products"),
     .only_if = "new_decoder_architecture"},
    {.name = "Falcon RW",
     .types = "falcon refinedweb",
     .names = {Names::multi_query_qkv},
     .arithmetic = and_also(only_causal, "ALiBi, divided by √d_head together with the dot products"),
     .only_if = "multi_query"},
    {"Falcon RW",
     "falcon refinedweb",
     {Names::per_head_qkv},
     and_also(only_causal, "ALiBi, divided by √d_head together with the dot products")},
    {"BLOOM", "bloom", {Names::per_head_qkv}, decoder(with_alibi)},
    {.name = "MPT", .types = "mpt", .names = {Names::wqkv_out_proj}, .arithmetic = decoder(), .only_if = "rope"},
    {.name = "MPT",
     .types = "mpt",
     .names = {Names::wqkv_out_proj},
     .arithmetic = only_causal,
     .only_if = "alibi=false"},
    {.name = "MPT",
     .types = "mpt",
     .names = {Names::wqkv_out_proj},
     .arithmetic = and_also(only_causal, "ALiBi with other slopes"),
     .only_if = "alibi_bias_max !alibi_bias_max=8"},
    {"MPT", "mpt", {Names::wqkv_out_proj}, decoder(with_alibi)},

    // Positions are in the input.
    {"GPT-2", "gpt2 openai_gpt", {Names::gpt2}, with_scale(only_causal, ScaleRule::gpt2)},
    {"GPT-2", "decision_transformer imagegpt", {Names::gpt2}, with_scale(only_causal, ScaleRule::gpt2)},
    {.name = "StarCoder",
     .types = "gpt_bigcode",
     .names = {Names::per_head_c_attn},
     .arithmetic = with_scale(only_causal, ScaleRule::gpt2),
     .only_if = "multi_query=false"},
    {"StarCoder", "gpt_bigcode", {Names::multi_query_c_attn}, with_scale(only_causal, ScaleRule::gpt2)},
    {"GPT-Neo",
     "gpt_neo",
     {Names::gpt_neo},
     {.causal = CausalMask::always, .scale = ScaleRule::none, .windows = WindowRule::gpt_neo, .window = 256}},
    {"BioGPT", "biogpt", {Names::bart}, only_causal},
    {"OPT, XGLM", "opt xglm", {Names::bart}, only_causal},
    {"BART, Whisper",
     "bart mbart whisper marian pegasus blenderbot blenderbot_small m2m_100 nllb plbart speech_to_text trocr",
     {Names::bart},
     both_kinds},
    {"wav2vec 2", "wav2vec2 hubert data2vec_audio unispeech sew", {Names::bart}, only_encoder},
    {"CLIP, text", "clip clip_text_model clipseg owlvit owlv2 xclip owlvit_text_model", {Names::bart}, only_causal},
    {"CLIP, images",
     "clip:vision clip_vision_model clipseg:vision owlvit:vision owlv2:vision chinese_clip:vision",
     {Names::bart},
     only_encoder},
    {"SigLIP", "siglip siglip:vision siglip_text_model siglip_vision_model", {Names::bart}, only_encoder},
    {"BERT, RoBERTa",
     "bert roberta xlm_roberta camembert electra ernie data2vec_text layoutlm megatron_bert "
     "xlm_roberta_xl roberta_prelayernorm chinese_clip",
     {Names::bert},
     both_kinds},
    {.name = "ESM-2",
     .types = "esm",
     .names = {Names::bert},
     .arithmetic = {.causal = CausalMask::decoders, .positions = halves()},
     .only_if = "position_embedding_type=rotary"},
    {"ESM", "esm", {Names::bert}, both_kinds},
    {"DistilBERT", "distilbert", {Names::distilbert}, only_encoder},
    {"ALBERT", "albert", {Names::albert}, only_encoder},
    {"ViT",
     "vit deit dinov2 vit_mae vit_msn yolos audio_spectrogram_transformer ijepa vivit",
     {Names::vit},
     only_encoder},
    {"ModernBERT",
     "modernbert",
     {Names::wqkv_wo},
     {.causal = CausalMask::never,
      .positions = of_windows(halves(160000), 10000),
      .windows = WindowRule::modern_bert,
      .window = 128}},
    {"T5",
     "t5 mt5 umt5 switch_transformers",
     {Names::t5},
     {.scale = ScaleRule::none, .positions = {.name = "relative positions"}}},

    // The parts that see images, with positions that no setup can express.
    {"Qwen-VL, images",
     "qwen2_vl:vision qwen2_5_vl:vision qwen3_vl:vision qwen2_vl_vision qwen2_5_vl_vision qwen3_vl_vision",
     {Names::timm, Names::torch},
     {.causal = CausalMask::never, .positions = of_images}},
    {"Llama 4, images",
     "llama4:vision llama4_vision_model",
     {Names::llama},
     {.causal = CausalMask::never, .positions = of_images}},
    {"Pixtral, images",
     "pixtral pixtral:vision",
     {Names::llama},
     {.causal = CausalMask::never, .positions = of_images}},
};

/// Letters and digits alone: model types and class names differ in the rest.
std::string bare(std::string_view type) {
  std::string letters;
  for (const char c : type)
    if (c != '_' && c != '-') letters += c;
  return letters;
}

/// "key", "!key", "key=word": whether config.json has it as true or as a number; not so; has just this.
bool holds(std::string_view condition, const ConfigPart& part) {
  if (condition.starts_with('!')) return !holds(condition.substr(1), part);
  const auto equals = condition.find('=');
  const std::string key(condition.substr(0, equals));
  if (equals == std::string_view::npos) return part.flag(key.c_str()).value_or(part.number(key.c_str()).has_value());
  const std::string_view wanted = condition.substr(equals + 1);
  if (const auto flag = part.flag(key.c_str())) return (*flag ? "true" : "false") == wanted;
  if (const auto number = part.number(key.c_str())) return number == number_from<double>(wanted);
  return part.word(key.c_str()) == wanted;
}

bool all_hold(std::string_view conditions, const ConfigPart& part) {
  while (!conditions.empty()) {
    const auto end = std::min(conditions.find(' '), conditions.size());
    if (!holds(conditions.substr(0, end), part)) return false;
    conditions.remove_prefix(std::min(end + 1, conditions.size()));
  }
  return true;
}

}  // namespace

bool has_type(std::string_view types, std::string_view type) {
  while (!types.empty()) {
    const auto end = std::min(types.find(' '), types.size());
    if (bare(types.substr(0, end)) == type) return true;
    types.remove_prefix(std::min(end + 1, types.size()));
  }
  return false;
}

std::span<const ModelType> model_types() { return type_table; }

const ModelType* model_type_of(const ConfigPart& part) {
  const std::string type = part.type();
  if (type.empty()) return nullptr;
  const auto found = std::ranges::find_if(
      type_table, [&](const ModelType& each) { return has_type(each.types, type) && all_hold(each.only_if, part); });
  return found == type_table.end() ? nullptr : &*found;
}

}  // namespace headlight
