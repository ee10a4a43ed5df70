// Setups that tests share.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/setup.hpp"
#include "core/setup/checks.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/validity.hpp"

namespace headlight::testing {

inline std::vector<Draw> draws(const std::vector<std::string>& texts) {
  std::vector<Draw> result;
  for (const std::string& text : texts) result.push_back(parse_draw(text).value());
  return result;
}

/// Self-attention over four positions, everything drawn from a normal distribution, with all biases.
inline Setup small_setup() {
  Setup setup;
  setup.random.draws = draws({"seed 0", "X normal", "W_q normal", "b_q normal", "W_k normal", "b_k normal",
                              "W_v normal", "b_v normal", "W_o normal", "b_o normal"});
  return setup;
}

/// Heads, outputs and a second input of any width, and any norms, in some setups.
inline void choose_sizes_and_norms(Setup& setup, unsigned seed) {
  std::mt19937 random(seed + 5000);
  const auto pick = [&](Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(random); };
  if (pick(0, 2) == 0) setup.sizes.d_head = pick(1, 6);
  if (pick(0, 2) == 0) setup.sizes.d_out = pick(1, 9);
  if (setup.is_cross() && !setup.position.is_added() && pick(0, 1) == 0) setup.sizes.d_source = pick(1, 9);
  if (pick(0, 1) == 0)
    setup.norm = {.kind = static_cast<NormKind>(pick(1, 2)), .epsilon = pick(0, 1) == 0 ? 1e-6 : 0.1};
  setup.attention.qk_norm = pick(0, 2) == 0;
  setup.attention.qk_norm_over = static_cast<NormSpan>(pick(0, 1));
  if (pick(0, 4) == 0) setup.attention.soft_cap = 1.5;
}

/// Past positions, masks aligned otherwise, padding on the left, rotary positions of a part of the features, and sinks,
/// in some setups.
inline void choose_conventions(Setup& setup, unsigned seed) {
  std::mt19937 random(seed + 9000);
  const auto pick = [&](Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(random); };
  if (pick(0, 1) == 0) return;
  if (!setup.is_cross() && pick(0, 2) > 0) setup.sizes.past = pick(1, 4);
  if (pick(0, 1) == 0) setup.mask.align = static_cast<MaskAlign>(pick(0, 1));
  setup.mask.padding_side = static_cast<PaddingSide>(pick(0, 1));
  setup.position.from = static_cast<PositionOrigin>(pick(0, 1));
  if (setup.d_head() >= 4 && pick(0, 1) == 0) setup.position.fraction = setup.d_head() % 4 == 0 ? 0.5 : 0.7;
  setup.attention.sink = static_cast<Sink>(pick(0, 2));
}

/// A residual stream, an MLP, norms before or after, an embedding and an unembedding, in some setups. For setups that
/// have their draws and their task.
/// The same setup with more layers, each drawn as the first one is.
inline Setup with_layers_drawn(Setup setup, Index layers) {
  Sizes sizes = setup.sizes;
  sizes.layers = layers;
  return resized(setup, sizes);
}

inline void choose_block(Setup& setup, unsigned seed) {
  std::mt19937 random(seed + 13000);
  const auto pick = [&](Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(random); };
  if (pick(0, 1) == 0) return;
  setup.block.residual = true;
  setup.block.mlp = static_cast<Mlp>(pick(0, static_cast<Index>(setup_words<Mlp>.size()) - 1));
  setup.block.gated = pick(0, 1) == 0;
  setup.sizes.d_mlp = pick(0, 1) == 0 ? std::optional(pick(1, 9)) : std::nullopt;
  if (setup.has_norm()) {
    setup.norm.placement = static_cast<NormPlacement>(pick(0, 1));
    setup.norm.final = pick(0, 1) == 0;
  }
  setup.embedding.learned = setup.has_task() && pick(0, 1) == 0;
  setup.embedding.unembed = pick(0, 1) == 0;
  if (!setup.has_task()) setup.sizes.symbols = pick(1, 7);
  setup = with_parts(std::move(setup));
  if (setup.has_mlp() && pick(0, 1) == 0) setup.random.draws.push_back(*parse_draw("b_out normal 0.5"));
  const Index layers = pick(1, 3);
  if (!setup.is_cross() && setup.past() == 0 && setup.attention.dropout == 0)
    setup = with_layers_drawn(std::move(setup), layers);
}

/// A valid setup chosen at random by a seed, with any source, sizes, norms, mask, generator, layout and precision.
inline Setup random_setup(unsigned seed) {
  std::mt19937 random(seed);
  const auto pick = [&](Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(random); };
  Setup setup;
  const Index kv_heads = pick(1, 3), group = pick(1, 3), d_head = pick(1, 6);
  setup.sizes = {.batch = pick(1, 3),
                 .query_length = pick(1, 9),
                 .key_length = {},
                 .d_model = kv_heads * group * d_head,
                 .heads = kv_heads * group,
                 .kv_heads = kv_heads};
  setup.attention.source = pick(0, 1) == 0 ? Source::self : Source::cross;
  if (setup.is_cross()) setup.sizes.key_length = pick(1, 9);
  setup.attention.token_axis = pick(0, 1) == 0 ? TokenAxis::rows : TokenAxis::columns;
  setup.attention.weight_layout = pick(0, 1) == 0 ? WeightLayout::in_out : WeightLayout::out_in;
  setup.attention.precision = pick(0, 1) == 0 ? Precision::float64 : Precision::float32;
  setup.attention.temperature = static_cast<double>(pick(1, 8)) / 4;
  if (pick(0, 2) == 0) setup.attention.scale = NoScale{};
  if (pick(0, 3) == 0) setup.attention.scale = 0.3;
  if (pick(0, 3) == 0) setup.attention.dropout = 0.4;
  setup.position = {.encoding = static_cast<Encoding>(pick(0, static_cast<Index>(setup_words<Encoding>.size()) - 1)),
                    .base = pick(0, 1) == 0 ? 10000.0 : 30.0,
                    .layout = pick(0, 1) == 0 ? PairLayout::half : PairLayout::interleaved};
  choose_sizes_and_norms(setup, seed);
  choose_conventions(setup, seed);
  if (!problems(setup).empty()) setup.position.encoding = Encoding::none;  // not for these sizes
  for (Index head = 0; head < setup.sizes.heads; ++head)
    if (pick(0, 7) == 0) setup.attention.ablated_heads.push_back(head);
  for (MaskKind kind : {MaskKind::causal, MaskKind::padding, MaskKind::window, MaskKind::custom}) {
    if (pick(0, 2) == 0) setup.mask.kinds.push_back(kind);
  }
  for (Index item = 0; item < setup.sizes.batch; ++item)
    setup.mask.valid_lengths.push_back(pick(0, setup.key_length()));
  setup.mask.window = pick(0, 4);
  for (Index i = pick(0, 5); i > 0; --i) {
    setup.mask.blocked.emplace_back(pick(0, setup.sizes.query_length - 1), pick(0, setup.key_length() - 1));
  }
  setup.random.generator =
      static_cast<GeneratorKind>(pick(0, static_cast<Index>(setup_words<GeneratorKind>.size()) - 1));
  const bool torch = setup.random.generator == GeneratorKind::torch;
  std::vector<std::string> list{"seed " + std::to_string(pick(0, 1000))};
  for (const char* tensor : {"X", "Y", "P", "W_q", "W_k", "W_v", "W_o", "b_q", "b_k", "b_v", "b_o"}) {
    const std::string name = tensor;
    if (name == "Y" && !setup.is_cross()) continue;
    if (name == "P" && setup.position.encoding != Encoding::learned) continue;
    if (name[0] == 'b' && pick(0, 1) == 0) continue;
    const bool linear = torch && name[0] == 'W' && pick(0, 2) == 0;
    const char* const as_linear = seed % 2 == 0 ? " linear" : " linear_no_bias";
    list.push_back(name + (linear ? as_linear : pick(0, 1) == 0 ? " uniform" : " normal"));
  }
  if (setup.attention.sink == Sink::learned) list.push_back("sinks normal");
  for (const char* tensor : {"norm_gain", "norm_bias", "q_gain", "k_gain", "q_head_gains", "k_head_gains"})
    if (missing_for(*tensor_named(tensor), setup).empty() && seed % 3 == 0)
      list.push_back(tensor + std::string(" normal"));
  setup.random.draws = draws(list);
  choose_block(setup, seed);
  return setup;
}

/// A valid setup with a task, chosen at random by a seed, with any masks, grouped heads, generator and precision.
inline Setup random_task_setup(unsigned seed) {
  Setup setup = random_setup(seed);
  setup.block = {};
  setup.embedding = {};
  setup.sizes.symbols.reset();
  setup = with_parts(std::move(setup));
  std::mt19937 random(seed + 1000);
  const auto pick = [&](Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(random); };
  setup.attention.source = Source::self;
  setup.attention.dropout = 0;
  setup.sizes.key_length.reset();
  setup.sizes.query_length = pick(2, 7);
  setup.task = {.name = static_cast<TaskName>(pick(1, 5)), .symbols = pick(2, 6), .seed = pick(0, 99)};
  if (setup.task.name == TaskName::lookup) setup.task.symbols = std::max(setup.task.symbols, setup.token_count() - 1);
  const Index heads = setup.sizes.heads;
  const Index features = std::max(features_of(setup.task), answers_of(setup.task.name) * setup.task.symbols);
  setup.sizes.d_model = heads * ((features + heads - 1) / heads + pick(0, 2));
  setup.sizes.d_source.reset();
  if (setup.sizes.d_out)
    setup.sizes.d_out = std::max(*setup.sizes.d_out, answers_of(setup.task.name) * setup.task.symbols);
  if (setup.position.encoding == Encoding::one_hot && setup.sizes.d_model < setup.token_count())
    setup.position.encoding = Encoding::none;
  setup.position.fraction = setup.d_head() >= 4 && setup.d_head() % 4 == 0 ? setup.position.fraction : 1;
  if (setup.position.encoding == Encoding::rotary && setup.d_head() % 2 != 0) setup.position.encoding = Encoding::alibi;
  setup.mask.valid_lengths.clear();
  for (Index item = 0; item < setup.sizes.batch; ++item)
    setup.mask.valid_lengths.push_back(pick(0, setup.key_length()));
  setup.mask.blocked = {{0, 1}, {1, 0}};
  std::erase_if(setup.random.draws, [](const Draw& draw) {
    const auto* tensor = std::get_if<TensorDraw>(&draw);
    return tensor != nullptr && (draws_into(*tensor, TensorId::X) || draws_into(*tensor, TensorId::Y));
  });
  setup.training = {.optimizer = pick(0, 1) == 0 ? OptimizerKind::adam : OptimizerKind::sgd,
                    .learning_rate = 0.01,
                    .batch = pick(1, 9),
                    .steps = 0};
  choose_block(setup, seed);
  return setup;
}

/// A layer that learns the task `first` in a few steps.
inline Setup learning_setup() {
  Setup setup;
  setup.sizes = {.batch = 4, .query_length = 3, .key_length = {}, .d_model = 8, .heads = 2, .kv_heads = {}};
  setup.mask.kinds = {MaskKind::custom};  // every position sees the first one alone
  setup.mask.blocked = {{0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 1}, {2, 2}};
  setup.random.draws = draws({"seed 1", "W_q normal", "W_k normal", "W_v normal", "W_o normal", "b_o zeros"});
  setup.task = {.name = TaskName::first, .symbols = 4, .seed = 7};
  setup.training = {.optimizer = OptimizerKind::adam, .learning_rate = 0.05, .batch = 8, .steps = 0};
  return setup;
}

/// A valid setup in which no key has its default, except that a task would not fit beside the others, nor another width
/// of Y beside positions that are added to it.
inline Setup everything() {
  Setup setup;
  setup.title = "A \"title\" with \\ and\nlines\tand é \x7F";
  setup.tokens = {"The", "cat", "sat"};
  setup.key_tokens = {"ein", "zwei", "drei", "vier", "fünf"};
  setup.sizes = {.batch = 2,
                 .query_length = 3,
                 .key_length = 5,
                 .d_model = 24,
                 .heads = 8,
                 .kv_heads = 4,
                 .d_head = 2,
                 .d_out = 10};
  setup.attention = {.source = Source::cross,
                     .token_axis = TokenAxis::columns,
                     .weight_layout = WeightLayout::out_in,
                     .scale = 0.1,
                     .temperature = 1.0 / 3.0,
                     .soft_cap = 2.5,
                     .dropout = 0.30000000000000004,
                     .precision = Precision::float32,
                     .ablated_heads = {6, 1},
                     .qk_norm = true,
                     .qk_norm_over = NormSpan::heads,
                     .sink = Sink::learned};
  setup.norm = {.kind = NormKind::layer, .epsilon = 0.001};
  setup.position = {.encoding = Encoding::learned, .base = 12.5, .layout = PairLayout::interleaved};
  setup.position.from = PositionOrigin::first_real;
  setup.position.fraction = 0.5;
  setup.mask = {.kinds = {MaskKind::custom, MaskKind::padding, MaskKind::window},
                .valid_lengths = {5, 0},
                .window = 7,
                .blocked = {{0, 4}, {2, 1}},
                .align = MaskAlign::top_left,
                .padding_side = PaddingSide::left};
  setup.random.generator = GeneratorKind::torch;
  for (const char* draw :
       {"seed -3", "X normal", "Y normal", "W_q[1] uniform", "W_o linear", "b_k zeros", "sinks normal", "P normal"}) {
    setup.random.draws.push_back(*parse_draw(draw));
  }
  for (int feature = 0; feature < 24; ++feature) setup.features.push_back("pos " + std::to_string(feature));
  setup.head_names = {"previous token", "adjective → noun", "c", "d", "e", "f", "g", "\"h\""};
  Tensor bias = Tensor::uninitialized(Precision::float64, {10});
  for (Index i = 0; i < 10; ++i) bias.writable<double>()[i] = 1.0 / (static_cast<double>(i) - 7.5);
  setup.task.symbols = 5;
  setup.task.seed = 77;
  setup.training = {.optimizer = OptimizerKind::sgd,
                    .learning_rate = 0.3,
                    .batch = 7,
                    .steps = 0,
                    .with_heads = {1},
                    .without_heads = {2, 0}};
  setup.values.set(TensorId::b_o, {}, GivenNumbers(bias));
  setup.values.set(TensorId::W_v, *parse_array_part("[2, -1]"), GivenNumbers::single(0.25));
  return setup;
}

/// A layer with everything around attention, which scores six symbols.
inline Setup block_setup() {
  Setup setup = small_setup();
  setup.sizes.d_mlp = 5;
  setup.sizes.symbols = 6;
  setup.norm = {.kind = NormKind::layer, .epsilon = 1e-5, .placement = NormPlacement::after, .final = true};
  setup.block = {.residual = true, .mlp = Mlp::silu, .gated = true};
  setup.embedding.unembed = true;
  return with_parts(std::move(setup));
}

/// A valid setup in which this key does not have its default; only model.layer has no other value that is valid.
inline Setup everything_with(std::string_view key) {
  if (key.starts_with("model.")) {
    Setup setup = with_model({}, {.name = ModelName::sentence_encoder, .layer = 0, .text = "The keys"});
    if (key == "model.layer") setup.model.layer = 1;
    return setup;
  }
  if (key == "sizes.d_source") {
    Setup setup = everything();
    setup.position.encoding = Encoding::alibi;
    setup.random.draws.pop_back();
    setup.sizes.d_source = 7;
    return setup;
  }
  if (key == "sizes.past" || key == "mask.align") {
    Setup setup = small_setup();
    setup.sizes.past = 2;
    setup.mask.align = MaskAlign::top_left;
    return setup;
  }
  if (key == "embedding.learned") {
    Setup setup = learning_setup();
    setup.embedding.learned = true;
    return with_parts(std::move(setup));
  }
  const std::initializer_list<std::string_view> of_block{"norm.placement", "norm.final", "sizes.d_mlp", "sizes.symbols",
                                                         "embedding.unembed"};
  if (key.starts_with("block.") || std::ranges::find(of_block, key) != of_block.end()) return block_setup();
  if (key == "sizes.layers") return with_layers_drawn(block_setup(), 2);
  if (key == "task.file") {
    Setup setup = offered_setup(TaskName::text);
    const std::filesystem::path here = std::filesystem::weakly_canonical(__FILE__);  // a text that is there for sure
    const std::ifstream file(here);
    setup.task.file = TaskText((std::ostringstream() << file.rdbuf()).str(), here.string());
    setup.task.text = {};
    return setup;
  }
  if (key == "task.text" || key == "task.split" || key == "task.shown") {
    Setup setup = offered_setup(TaskName::text);
    setup.task.split = TextSplit::stream;
    setup.task.shown.assign(static_cast<std::size_t>(setup.sizes.batch), "ape and cat");
    setup.task.text = TaskText("ape and cat\nape and dog");
    return setup;
  }
  if (key != "task.name" && key != "training.steps") return everything();
  Setup setup = learning_setup();
  setup.training.steps = 3;
  return setup;
}

}  // namespace headlight::testing
