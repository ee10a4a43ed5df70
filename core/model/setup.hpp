// A setup: everything that a person can choose, as a plain value. Two setups that compare equal give the same trace.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/model/layer_head.hpp"
#include "core/model/names.hpp"
#include "core/model/problem.hpp"
#include "core/model/shape.hpp"
#include "core/model/task.hpp"
#include "core/model/tensor.hpp"
#include "core/model/values.hpp"

namespace headlight {

struct Setup;

constexpr Index largest_size = 1'000'000'000;
constexpr Index most_steps = 1'000'000;  ///< of training
constexpr Index largest_model = 128;     ///< in layers
constexpr bool is_size(Index value) { return value >= 1 && value <= largest_size; }

struct Sizes {
  Index batch = 1;
  Index query_length = 4;
  std::optional<Index> key_length = {};  ///< for cross-attention only; self-attention has past + query_length
  Index d_model = 8;
  Index heads = 2;                     ///< divides d_model, unless d_head is given
  std::optional<Index> kv_heads = {};  ///< divides heads; none: as many as heads
  std::optional<Index> d_head = {};    ///< features of a head; none: d_model / heads
  std::optional<Index> d_out = {};     ///< features of the output; none: d_model
  std::optional<Index> d_source = {};  ///< for cross-attention only, features of Y; none: d_model
  /// For self-attention only: X has this many positions before the queries. They make keys and values, as those in a
  /// cache do, but no queries.
  Index past = 0;
  Index layers = 1;                   ///< all alike; more than one only with a residual stream
  std::optional<Index> d_mlp = {};    ///< neurons of the MLP; none: 4 · d_model
  std::optional<Index> symbols = {};  ///< columns of W_U where there is no task, which says it itself

  friend bool operator==(const Sizes&, const Sizes&) = default;
};

// Each choice is followed by the words for it in the setup file, in the order of its enum.

enum class Source : std::uint8_t { self, cross };
constexpr std::array<std::string_view, 2> file_words(Source) { return {"self", "cross"}; }

enum class TokenAxis : std::uint8_t { rows, columns };
constexpr std::array<std::string_view, 2> file_words(TokenAxis) { return {"rows", "columns"}; }

enum class WeightLayout : std::uint8_t { in_out, out_in };
constexpr std::array<std::string_view, 2> file_words(WeightLayout) { return {"in_out", "out_in"}; }

constexpr std::array<std::string_view, 2> file_words(Precision) { return {"float32", "float64"}; }

/// The features in the mean square of a query or key: those of a head, or those of all heads of a position.
enum class NormSpan : std::uint8_t { head, heads };
constexpr std::array<std::string_view, 2> file_words(NormSpan) { return {"head", "heads"}; }

/// A term of a row's softmax that belongs to no key, so that the weights of a row add up to less than 1: exp(0), or
/// exp(sinks[head]).
enum class Sink : std::uint8_t { none, zero, learned };
constexpr std::array<std::string_view, 3> file_words(Sink) { return {"none", "zero", "learned"}; }

/// How dot products become scores, before the division by the temperature.
struct InverseSqrtDHead {
  friend bool operator==(InverseSqrtDHead, InverseSqrtDHead) = default;
};
struct NoScale {
  friend bool operator==(NoScale, NoScale) = default;
};
using Scale = std::variant<InverseSqrtDHead, NoScale, double>;

struct Attention {
  Source source = Source::self;
  TokenAxis token_axis = TokenAxis::rows;
  WeightLayout weight_layout = WeightLayout::in_out;
  Scale scale = InverseSqrtDHead{};
  double temperature = 1.0;  ///< > 0
  double soft_cap = 0.0;     ///< the scores become soft_cap · tanh(scores / soft_cap); 0: they stay
  double dropout = 0.0;      ///< in [0, 1)
  Precision precision = Precision::float64;
  std::vector<LayerHead> ablated_heads = {};  ///< their context is zero; no duplicates
  bool qk_norm = false;                       ///< queries and keys are divided by their root mean square
  NormSpan qk_norm_over = NormSpan::head;     ///< for qk_norm
  Sink sink = Sink::none;

  friend bool operator==(const Attention&, const Attention&) = default;
};

/// How attention knows the position of a token: from a table that is added to the input, by turning queries and keys,
/// or by a bias of the scores.
enum class Encoding : std::uint8_t { none, one_hot, sinusoidal, learned, rotary, alibi };
constexpr std::array<std::string_view, 6> file_words(Encoding) {
  return {"none", "one_hot", "sinusoidal", "learned", "rotary", "alibi"};
}

/// Which features of a head rotary positions turn together: (k, k + d_head/2), or (2k, 2k + 1).
enum class PairLayout : std::uint8_t { half, interleaved };
constexpr std::array<std::string_view, 2> file_words(PairLayout) { return {"half", "interleaved"}; }

/// Where positions are counted from: the first token, or where padding is on the left, the first that isn't padding.
enum class PositionOrigin : std::uint8_t { start, first_real };
constexpr std::array<std::string_view, 2> file_words(PositionOrigin) { return {"start", "first_real"}; }

struct PositionSettings {
  Encoding encoding = Encoding::none;
  double base = 10000.0;                 ///< for sinusoidal and rotary: the wavelengths are up to 2π · base
  PairLayout layout = PairLayout::half;  ///< for rotary
  PositionOrigin from = PositionOrigin::start;
  double fraction = 1.0;  ///< for rotary: only this share of a head's features is turned, the first ones; in (0, 1]

  /// Whether a table P is added to the input.
  bool is_added() const { return encoding >= Encoding::one_hot && encoding <= Encoding::learned; }
  /// Whether a bias is added to the scores.
  bool biases_scores() const { return encoding >= Encoding::alibi; }
  friend bool operator==(const PositionSettings&, const PositionSettings&) = default;
};

/// The norm of each row of X (or of X + P) before it is projected. `layer`: less its mean, divided by its spread.
/// `rms`: divided by its root mean square. Both then take a gain and a shift. In cross-attention queries are made from
/// the result, and Y is projected as it is.
enum class NormKind : std::uint8_t { none, layer, rms };
constexpr std::array<std::string_view, 3> file_words(NormKind) { return {"none", "layer", "rms"}; }

/// Where a layer with a residual stream has its norms: `before` attention and the MLP, on what these read, or `after`
/// them, on the stream that they have added to.
enum class NormPlacement : std::uint8_t { before, after };
constexpr std::array<std::string_view, 2> file_words(NormPlacement) { return {"before", "after"}; }

struct NormSettings {
  NormKind kind = NormKind::none;
  double epsilon = 1e-6;  ///< added to variance or mean square, also those of queries and keys; > 0
  NormPlacement placement = NormPlacement::before;
  bool final = false;  ///< one more norm, of what leaves the last layer

  friend bool operator==(const NormSettings&, const NormSettings&) = default;
};

/// How the neurons of an MLP bend what they read; `none`: there is no MLP. `gelu` is exact, with the error function,
/// and `gelu_tanh` is GPT-2's.
enum class Mlp : std::uint8_t { none, relu, gelu, gelu_tanh, silu };
constexpr std::array<std::string_view, 5> file_words(Mlp) { return {"none", "relu", "gelu", "gelu_tanh", "silu"}; }

/// What is around attention in a layer of a transformer.
struct BlockSettings {
  bool residual = false;  ///< the output is added to the input, and both are the residual stream
  Mlp mlp = Mlp::none;    ///< only with `residual`
  bool gated = false;     ///< for an MLP: the bend acts on a gate, N @ W_gate, which multiplies N @ W_in

  friend bool operator==(const BlockSettings&, const BlockSettings&) = default;
};

/// How symbols become vectors, and vectors scores of symbols.
struct EmbeddingSettings {
  bool learned = false;  ///< for a task: X holds the rows of W_E; else a 1 at each symbol
  bool unembed = false;  ///< the scores are what leaves the last layer @ W_U; else its first features

  friend bool operator==(const EmbeddingSettings&, const EmbeddingSettings&) = default;
};

enum class MaskKind : std::uint8_t { causal, padding, window, custom };
constexpr std::array<std::string_view, 4> file_words(MaskKind) { return {"causal", "padding", "window", "custom"}; }

/// For causal and window, where there are more keys than queries: whether the queries are the last positions or the
/// first ones.
enum class MaskAlign : std::uint8_t { bottom_right, top_left };
constexpr std::array<std::string_view, 2> file_words(MaskAlign) { return {"bottom_right", "top_left"}; }

/// Where the padding is.
enum class PaddingSide : std::uint8_t { right, left };
constexpr std::array<std::string_view, 2> file_words(PaddingSide) { return {"right", "left"}; }

/// The settings of a mask kind that is not in `kinds` are kept but have no effect.
struct MaskSettings {
  std::vector<MaskKind> kinds;                    ///< a key is visible if every kind lets it be seen; no duplicates
  std::vector<Index> valid_lengths;               ///< for padding: one per batch item
  Index window = 1;                               ///< for window: |query - key| <= window
  std::vector<std::pair<Index, Index>> blocked;   ///< for custom: the hidden (query, key) pairs
  std::optional<MaskAlign> align = {};            ///< none: as Setup::mask_align says
  PaddingSide padding_side = PaddingSide::right;  ///< for padding

  bool has(MaskKind kind) const;
  friend bool operator==(const MaskSettings&, const MaskSettings&) = default;
};

/// The layers that were really trained and come with the program.
enum class ModelName : std::uint8_t { none, sentence_encoder };
constexpr std::array<std::string_view, 2> file_words(ModelName) { return {"none", "sentence-encoder"}; }

/// A trained layer whose numbers a setup has instead of draws, and the texts that it reads.
struct ModelSettings {
  ModelName name = ModelName::none;
  Index layer = 0;   ///< counted from 0
  std::string text;  ///< a line for each batch item

  /// The text of each batch item.
  std::vector<std::string> texts() const;
  friend bool operator==(const ModelSettings&, const ModelSettings&) = default;
};

/// NumPy has two: np.random, which is its RandomState, and np.random.default_rng.
enum class GeneratorKind : std::uint8_t { numpy, torch, numpy_rng };
constexpr std::int64_t largest_numpy_seed = 0xFFFF'FFFF;
constexpr std::array<std::string_view, 3> file_words(GeneratorKind) { return {"numpy", "torch", "numpy_rng"}; }

/// `linear` is nn.Linear, which draws a weight and its bias; `linear_no_bias` is nn.Linear(bias=False).
enum class Distribution : std::uint8_t { uniform, normal, zeros, linear, xavier_uniform, linear_no_bias };
constexpr std::array<std::string_view, 6> file_words(Distribution) {
  return {"uniform", "normal", "zeros", "linear", "xavier_uniform", "linear_no_bias"};
}
/// Whether only PyTorch has it, and only for weights.
constexpr bool is_of_torch(Distribution distribution) { return distribution >= Distribution::linear; }

/// All the words of a choice, and the word for one value.
template <class Enum>
inline constexpr auto setup_words = file_words(Enum{});
template <class Enum>
  requires requires { file_words(Enum{}); }
constexpr std::string_view to_string(Enum value) {
  return setup_words<Enum>[static_cast<std::size_t>(value)];
}

/// The entries of `draws`: SeedDraw sets a seed; TensorDraw fills a tensor of a layer, or one head's block of it, from
/// a distribution; LayerDraws does several such things for each layer in turn.
struct SeedDraw {
  std::int64_t seed = 0;
  friend bool operator==(const SeedDraw&, const SeedDraw&) = default;
};
/// What a draw fills: an input, a weight, a bias, a gain or a shift, or the packed in-projection of
/// nn.MultiheadAttention.
struct PackedQkv {
  friend bool operator==(PackedQkv, PackedQkv) = default;
};
struct TensorDraw {
  std::variant<TensorId, PackedQkv> target;
  std::optional<Index> head;  ///< fills only the block of this head; none: fills the whole tensor
  Distribution distribution = Distribution::uniform;
  double factor = 1;  ///< of uniform and normal: what is drawn is multiplied by it
  Index layer = 0;    ///< of a tensor that each layer has
  friend bool operator==(const TensorDraw&, const TensorDraw&) = default;
};
using PlainDraw = std::variant<SeedDraw, TensorDraw>;
/// "L*: W_q normal, W_o normal": all of it for layer 0, then all of it for layer 1, and so on.
struct LayerDraws {
  std::vector<PlainDraw> draws;  ///< their `layer` is 0
  friend bool operator==(const LayerDraws&, const LayerDraws&) = default;
};
using Draw = std::variant<SeedDraw, TensorDraw, LayerDraws>;

/// Whether the draw fills the tensor of its layer, or one head's block of it: because it names the tensor, because the
/// tensor is part of the packed in-projection, or because the tensor is the bias that nn.Linear draws after its weight.
bool draws_into(const TensorDraw& draw, TensorId id);

/// Whether the draw is left out, because everything that it would fill is given as a whole. It then takes nothing from
/// the generator.
bool is_replaced(const TensorDraw& draw, const Setup& setup);

/// The draws one by one, as a model of the setup's layers carries them out.
std::vector<PlainDraw> draws_in_order(const Setup& setup);

/// A draw as text: "seed 0", "W_q[0] normal", "W_E normal 0.02", "W_qkv xavier_uniform", "L1.W_q normal",
/// "L*: W_q normal, W_o normal". parse_draw returns nullopt if
/// the text is not a draw; `problems` (core/setup/validity.hpp) checks whether a draw fits its setup.
std::string to_string(const Draw& draw);
std::string to_string(const PlainDraw& draw);
std::optional<Draw> parse_draw(std::string_view text);

struct RandomSettings {
  GeneratorKind generator = GeneratorKind::numpy;
  std::vector<Draw> draws;  ///< carried out in exactly this order; what is not drawn is 0, and a gain 1

  friend bool operator==(const RandomSettings&, const RandomSettings&) = default;
};

struct Setup {
  std::string title;
  std::vector<std::string> tokens;      ///< labels of the positions of X; empty, or one per position
  std::vector<std::string> key_tokens;  ///< labels of the key positions in cross-attention; empty, or one per position
  std::vector<std::string> features;    ///< names of the d_model features of the input; empty, or one per feature
  std::vector<std::string> head_names;  ///< names of the heads; empty, or one per head
  ModelSettings model;
  Sizes sizes;
  Attention attention;
  PositionSettings position;
  NormSettings norm;
  BlockSettings block;
  EmbeddingSettings embedding;
  MaskSettings mask;
  RandomSettings random;
  Values values;  ///< given instead of drawn
  TaskSettings task;
  TrainingSettings training;
  /// The lens: which of its layers the setup is asked about. Everything below, the tensors that exist and `values`
  /// speak of that layer. It is neither saved nor compared; seen_at() sets it.
  Index layer = 0;

  bool is_first() const { return layer == 0; }
  bool is_last() const { return layer + 1 == sizes.layers; }
  /// Whether the head is ablated, in the layer that is asked about.
  bool is_ablated(Index head) const;

  bool has_model() const { return model.name != ModelName::none; }
  /// Whether the attention weights are given, so that nothing else is known of the layer.
  bool has_attention_alone() const { return !values.empty() && values.whole(TensorId::weights) != nullptr; }
  bool has_task() const { return task.name != TaskName::none; }
  bool is_cross() const { return attention.source == Source::cross; }
  bool has_norm() const { return norm.kind != NormKind::none; }
  bool norms(NormPlacement placement) const { return has_norm() && norm.placement == placement; }
  bool has_mlp() const { return block.mlp != Mlp::none; }
  /// Whether queries and keys have a mean square of all heads together.
  bool norms_all_heads() const { return attention.qk_norm && attention.qk_norm_over == NormSpan::heads; }
  /// The positions of X before the queries.
  Index past() const { return is_cross() ? 0 : sizes.past; }
  /// The positions of X.
  Index token_count() const { return past() + sizes.query_length; }
  Index key_length() const { return is_cross() ? sizes.key_length.value_or(sizes.query_length) : token_count(); }
  /// The positions that an encoding tells apart: the longer of queries and keys.
  Index positions() const { return std::max(sizes.query_length, key_length()); }
  /// Whether the heads divide d_model among them.
  bool shares_d_model() const { return !sizes.d_head && !has_attention_alone(); }
  Index kv_heads() const { return sizes.kv_heads.value_or(sizes.heads); }
  /// Features of a head; 0 where there are none to share d_model, so that a setup can be asked before it is checked.
  Index d_head() const {
    const Index shared = sizes.heads > 0 ? sizes.d_model / sizes.heads : 0;
    return sizes.d_head.value_or(shared);
  }
  Index d_out() const { return sizes.d_out.value_or(sizes.d_model); }
  Index d_mlp() const { return sizes.d_mlp.value_or(std::min(4 * sizes.d_model, largest_size)); }
  /// The symbols that an answer chooses from, and how many answers a position is asked for.
  Index symbols() const { return has_task() ? task.symbol_count() : sizes.symbols.value_or(0); }
  Index answers() const { return has_task() ? answers_of(task.name) : 1; }
  /// Where the queries of causal and window masks are, if there are more keys. Unless the setup says otherwise they are
  /// the last positions in self-attention, and the first ones in cross-attention, whose keys are another sequence.
  MaskAlign mask_align() const {
    return mask.align.value_or(is_cross() ? MaskAlign::top_left : MaskAlign::bottom_right);
  }
  /// The features of the input of keys and values.
  Index d_source() const { return is_cross() ? sizes.d_source.value_or(sizes.d_model) : sizes.d_model; }
  /// The key and value head that a query head reads: groups of heads / kv_heads neighbouring query heads share one.
  Index kv_head_of(Index head) const;
  /// The factor by which dot products are multiplied: scale / temperature.
  double score_factor() const;
  /// True if a draw or a value fills any part of the tensor. A bias exists only then.
  bool fills(TensorId id) const;
  /// Whether other heads are ablated while the layer learns than afterwards.
  bool switches_heads() const { return !training.with_heads.empty() || !training.without_heads.empty(); }
  /// The label of a position of X: its token, or its index if it has no token; and that of a query or a key.
  std::string token_label(Index token) const;
  std::string query_label(Index query) const;
  std::string key_label(Index key) const;
  /// Whether the features of the input have names: given ones, or those that a task gives them, where each symbol is a
  /// feature of its own.
  bool names_features() const { return (has_task() && !embedding.learned) || !features.empty(); }
  /// The name of a feature of the input, or of a head; its index if it has no name.
  std::string feature_label(Index feature) const;
  std::string head_label(Index head) const;

  /// Whether both agree in everything but the numbers that are given.
  bool same_but_values(const Setup& other) const;

  friend bool operator==(const Setup& a, const Setup& b) { return a.values == b.values && a.same_but_values(b); }
};

/// The same setup, asked about another of its layers.
Setup seen_at(Setup setup, Index layer);

/// The setup of a step of training: with the heads ablated that are while the layer learns.
Setup while_learning(Setup setup);

}  // namespace headlight
