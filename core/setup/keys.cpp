#include "core/setup/keys.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/model/shapes.hpp"
#include "core/model/task.hpp"
#include "core/setup/checks.hpp"
#include "core/setup/edits.hpp"
#include "core/setup/value_checks.hpp"

namespace headlight {

std::string value_text(MaskKind kind) { return std::string(to_string(kind)); }
std::string value_text(const Draw& draw) { return to_string(draw); }
std::string value_text(const LayerHead& head) { return to_string(head); }
bool read_entry(std::string_view text, LayerHead& head) {
  const auto read = parse_layer_head(text);
  if (read) head = *read;
  return read.has_value();
}
std::string value_text(const TaskText& text) {
  if (text.empty()) return "none";
  if (!text.path().empty()) return text.path();
  return text.lines() == 1 ? "1 line" : fmt::format("{} lines", text.lines());
}

std::string value_text(const Values& values) {
  std::string list;
  for (const GivenValue& value : values.entries()) list += (list.empty() ? "" : ", ") + key_of(value);
  return list.empty() ? "none" : list;
}

template struct Entry<Setup>;

namespace {

// --- Words -----------------------------------------------------------------------------------------------------------

struct OnScreen {
  std::string_view label;
  std::string_view help = {};
};

/// The words of a choice in files, with those on the screen.
template <class Enum, std::size_t count>
constexpr std::array<Word, count> on_screen(const OnScreen (&words)[count]) {
  static_assert(count == setup_words<Enum>.size());
  std::array<Word, count> both{};
  for (std::size_t i = 0; i < count; ++i) both[i] = {setup_words<Enum>[i], words[i].label, words[i].help};
  return both;
}

constexpr auto sources = on_screen<Source>({{"Self", "Keys and values come from X, as the queries do"},  //
                                            {"Cross", "Keys and values come from Y"}});
constexpr auto axes = on_screen<TokenAxis>(
    {{"rows", "X is drawn and shown as (positions, d_model)"},
     {"columns", "X is drawn and shown as (d_model, positions), and the softmax runs down the columns"}});
constexpr auto weight_layouts =
    on_screen<WeightLayout>({{"in, out", "Weights are drawn as (in, out)"},
                             {"out, in", "Weights are drawn as (out, in), as nn.Linear keeps them"}});
constexpr auto norm_spans = on_screen<NormSpan>(
    {{"each head", "The root mean square of a query or key is that of its own head"},
     {"all heads", "The root mean square is that of all heads of a position together, as in OLMo 2"}});
constexpr auto norms = on_screen<NormKind>(
    {{"none", "X itself is projected"},
     {"LayerNorm", "Each row of X less its mean, divided by its spread, times a gain, plus a shift"},
     {"RMSNorm", "Each row of X divided by its root mean square, times a gain"}});
constexpr auto placements = on_screen<NormPlacement>(
    {{"before", "Attention and the MLP each read the stream through a norm of their own, as in GPT-2 and Llama"},
     {"after",
      "The stream is normed after attention, and again after the MLP, have added to it, as in the first "
      "transformer and BERT"}});
constexpr auto mlps = on_screen<Mlp>({{"none", "Attention alone"},
                                      {"relu", "A neuron that reads less than 0 says nothing"},
                                      {"gelu", "x times the share of a normal distribution below x"},
                                      {"gelu, by tanh", "Nearly the same, as GPT-2 computes it"},
                                      {"silu", "x times the logistic function of x, as in Llama"}});
constexpr auto precisions = on_screen<Precision>({{"float32"}, {"float64"}});
constexpr Word scales[] = {
    {"inverse_sqrt_d_head", "Divide by √d_head", "Keeps the softmax from saturating when heads have many features"},
    {"none", "none"}};
constexpr auto encodings = on_screen<Encoding>({
    {"none", "Without positions a query cannot tell the order of the keys"},
    {"one-hot", "Each position has its own feature, to which P adds 1"},
    {"sinusoidal", "P adds sines and cosines, whose waves grow longer from feature to feature"},
    {"learned", "P is drawn or given like a weight"},
    {"rotary", "Queries and keys are turned, by an angle that grows with the position"},
    {"ALiBi", "Scores of distant keys are lowered, with a different slope in each head"},
});
constexpr auto pair_layouts = on_screen<PairLayout>({{"halves", "k and k + d_head/2 are turned together, as in Llama"},
                                                     {"neighbours", "2k and 2k + 1 are turned together"}});
constexpr auto mask_kinds =
    on_screen<MaskKind>({{"Causal", "A query sees no key that comes after it"},
                         {"Padding", "Only some keys of each batch item count; the others are padding"},
                         {"Window", "Only keys near the query's position"},
                         {"Painted", "Hide keys from queries by hand"}});
constexpr auto sinks_of_rows = on_screen<Sink>(
    {{"none", "The weights of a row add up to 1"},
     {"zero", "A row has one more score, 0, that belongs to no key: the softmax of \"off by one\""},
     {"learned", "A row has one more score, the sink of its head, that belongs to no key, as in GPT-OSS"}});
constexpr auto position_origins =
    on_screen<PositionOrigin>({{"first token", "Positions count from the first token, also where that is padding"},
                               {"first real token", "Positions count from the first token that isn't padding"}});
constexpr auto mask_aligns = on_screen<MaskAlign>(
    {{"bottom right",
      "The queries are the last positions, as over a cache: query i is at key_length - query_length + i"},
     {"top left", "The queries are the first positions: query i is at i"}});
constexpr auto padding_sides = on_screen<PaddingSide>(
    {{"right", "The first keys of each batch item count"}, {"left", "The last keys of each batch item count"}});
constexpr auto generators = on_screen<GeneratorKind>({{"NumPy", "The same numbers as np.random.seed"},
                                                      {"Torch", "The same numbers as torch.manual_seed on the CPU"},
                                                      {"rng", "The same numbers as NumPy's np.random.default_rng"}});
constexpr auto distributions =
    on_screen<Distribution>({{"uniform [0, 1)"},
                             {"normal"},
                             {"zeros"},
                             {"nn.Linear"},
                             {"xavier uniform"},
                             {"nn.Linear, no bias", "nn.Linear(bias=False): the same weight, without drawing a bias"}});
constexpr auto tasks = on_screen<TaskName>({
    {"nothing", "With a task, X is made of sequences of symbols, and the layer can learn to answer"},
    {"previous symbol", "Every position names the symbol before it"},
    {"first symbol", "Every position names the first symbol"},
    {"reversed", "Every position names the symbol that is there when the sequence is reversed"},
    {"look up", "Positions hold a key and a value; the last one holds a key, and names the value that belongs to it"},
    {"previous and first", "Every position names two symbols: the one before it, and the first"},
    {"induction", "A part of the sequence comes again: its positions name the symbol that followed the first time"},
    {"text", "Every position of a text names the character that comes next"},
});
constexpr auto splits = on_screen<TextSplit>(
    {{"lines", "Each sequence is a line, from its beginning"}, {"anywhere", "Each sequence is some part of the text"}});
constexpr auto models = on_screen<ModelName>(
    {{"none"}, {"sentence encoder", "The first layer of Google's Universal Sentence Encoder Lite (2018), four heads"}});
constexpr auto optimizers = on_screen<OptimizerKind>({{"Adam"}, {"SGD"}});

// --- What a value may be, and what follows it ------------------------------------------------------------------------

constexpr Range a_size = from_to(1, static_cast<double>(largest_size));
constexpr Travel seeds{0, 99, 1, Spacing::unordered};

Setup with_sizes(const Setup& before, Setup after) { return resized(before, after.sizes); }  // NOLINT(*-value-param)

/// The factor of the dot products.
double factor_of(const Setup& setup) {
  const Scale& scale = setup.attention.scale;
  if (const double* factor = std::get_if<double>(&scale)) return *factor;
  return std::holds_alternative<NoScale>(scale) ? 1 : 1 / std::sqrt(static_cast<double>(setup.d_head()));
}

bool turns_by_angles(const Setup& setup) {
  return setup.position.encoding == Encoding::sinusoidal || setup.position.encoding == Encoding::rotary;
}
bool has_any_norm(const Setup& setup) { return setup.has_norm() || setup.attention.qk_norm; }
bool norms_heads(const Setup& setup) { return setup.attention.qk_norm; }
bool is_rotary(const Setup& setup) { return setup.position.encoding == Encoding::rotary; }
bool is_cross(const Setup& setup) { return setup.is_cross(); }
bool is_aligned(const Setup& setup) {
  const bool compares_positions = setup.mask.has(MaskKind::causal) || setup.mask.has(MaskKind::window);
  return compares_positions && setup.key_length() > setup.sizes.query_length;
}
/// Whether positions differ with where they are counted from: there is padding on the left, and an encoding that isn't
/// a matter of distances alone.
bool counts_padding(const Setup& setup) {
  const bool has_places = setup.position.is_added() || is_rotary(setup);
  return has_places && setup.mask.has(MaskKind::padding) && setup.mask.padding_side == PaddingSide::left;
}
bool has_model(const Setup& setup) { return setup.has_model(); }
bool has_task(const Setup& setup) { return setup.has_task(); }
bool has_text(const Setup& setup) { return setup.task.is_text(); }
bool has_mlp(const Setup& setup) { return setup.has_mlp(); }
bool has_stream(const Setup& setup) { return setup.block.residual; }
bool has_normed_stream(const Setup& setup) { return setup.block.residual && setup.has_norm(); }
/// A model with a text to begin with.
ModelSettings offered(ModelSettings model) {
  if (model.text.empty()) model.text = "The keys to the cabinet are on the table.";
  return model.name == ModelName::none ? ModelSettings{} : model;
}
template <MaskKind kind>
bool has_mask(const Setup& setup) {
  return setup.mask.has(kind);
}

// --- How tensors are drawn -------------------------------------------------------------------------------------------

template <TensorId id>
std::vector<TensorId> just() {
  return {id};
}
// Those of attention.
std::vector<TensorId> all_weights() { return {TensorId::W_q, TensorId::W_k, TensorId::W_v, TensorId::W_o}; }
std::vector<TensorId> all_biases() { return {TensorId::b_q, TensorId::b_k, TensorId::b_v, TensorId::b_o}; }

bool is_given(const Setup& setup, TensorId id) { return setup.values.whole(id) != nullptr; }

std::string origin_of(const Setup& setup, TensorId id) {
  return is_given(setup, id) ? "given"
                             : std::string(distributions[static_cast<std::size_t>(drawn_as(setup, id))].label);
}

/// The distribution of some tensors at once; none of the words where they differ, or where one is given.
template <auto tensors>
constexpr Access<Setup> drawn{
    .kind = ValueKind::choice,
    .get = [](const Setup& setup) -> PlainValue {
      const Distribution first = drawn_as(setup, tensors().front());
      const bool all = std::ranges::all_of(
          tensors(), [&](TensorId id) { return !is_given(setup, id) && drawn_as(setup, id) == first; });
      return all ? static_cast<std::size_t>(first) : distributions.size();
    },
    .set =
        [](Setup& setup, const PlainValue& value) {
          const auto drawn = static_cast<Distribution>(std::get<std::size_t>(value));
          for (const TensorId id : tensors()) setup = with_distribution(setup, id, drawn);
        },
    .offered =
        [](const Setup& setup, std::size_t word) {
          const bool is_any = static_cast<Distribution>(word) <= Distribution::zeros;
          const bool takes_all = setup.random.generator == GeneratorKind::torch;
          return is_any || (takes_all && info(tensors().front()).kind == TensorKind::weight);
        },
    .otherwise =
        [](const Setup& setup) {
          std::string each;
          for (const TensorId id : tensors())
            each += fmt::format("{}{}: {}", each.empty() ? "" : ", ", name(id), origin_of(setup, id));
          const bool all = std::ranges::all_of(tensors(), [&](TensorId id) { return is_given(setup, id); });
          return Described{all ? "given" : "mixed", std::move(each)};
        }};
template <auto tensors>
Setup drawn_as_in(const Setup& from, const Setup& to) {
  Setup edited = to;
  for (const TensorId id : tensors())
    edited = is_given(from, id) ? with_tensor_of(from.values, edited, id)
                                : with_distribution(edited, id, drawn_as(from, id));
  return edited;
}
template <TensorId id>
bool draws(const Setup& setup) {
  return exists(id, setup) && is_drawn(id, setup);
}

// --- The table -------------------------------------------------------------------------------------------------------

// `adapted` takes its second setup by value, because most of these functions change it.
// NOLINTBEGIN(performance-unnecessary-value-param)
constexpr SetupKey table[] = {
    {.name = "title",
     .label = "Title",
     .help = "The name of the setup",
     .hint = "no title",
     .group = SetupGroup::conventions,
     .decided = beside_weights,
     .value = at<&Setup::title>,
     .affects_numbers = false},
    {.name = "tokens",
     .label = "Tokens",
     .help = "Labels of the positions of X: none, or one for each",
     .group = SetupGroup::tokens,
     .decided = by_model | beside_weights,
     .value = at<&Setup::tokens>,
     .adapted =
         [](const Setup&, Setup after) {
           return after.tokens.empty() ? after : with_token_count(after, std::ssize(after.tokens));
         },
     .fits =
         [](Findings& findings, const Setup& setup) {
           check_labels(findings, "tokens", setup.tokens.size(), setup.token_count(),
                        setup.past() > 0 ? "sizes.past + sizes.query_length" : "sizes.query_length");
         },
     .reads = {"sizes.query_length", "sizes.past", "attention.source"},
     .saved = Saved::where_set,
     .affects_numbers = false},
    {.name = "key_tokens",
     .label = "Key tokens",
     .help = "Labels of the keys in cross-attention: none, or one for each",
     .group = SetupGroup::tokens,
     .decided = by_model | beside_weights,
     .value = at<&Setup::key_tokens>,
     .applies = is_cross,
     .adapted =
         [](const Setup&, Setup after) {
           return after.key_tokens.empty() ? after : with_key_length(after, std::ssize(after.key_tokens));
         },
     .fits = check_key_tokens,
     .reads = {"sizes.query_length", "sizes.key_length", "attention.source"},
     .saved = Saved::where_set,
     .affects_numbers = false},
    {.name = "features",
     .label = "Features",
     .help = "Names of the features of X: none, or one for each",
     .group = SetupGroup::tokens,
     .decided = by_model,
     .value = at<&Setup::features>,
     .applies = [](const Setup& setup) { return !setup.features.empty(); },
     .fits =
         [](Findings& findings, const Setup& setup) {
           check_labels(findings, "features", setup.features.size(), setup.sizes.d_model, "sizes.d_model", "feature");
         },
     .reads = {"sizes.d_model"},
     .saved = Saved::where_set,
     .affects_numbers = false},
    {.name = "head_names",
     .label = "Head names",
     .help = "Names of the heads: none, or one for each",
     .group = SetupGroup::tokens,
     .decided = beside_weights,
     .value = at<&Setup::head_names>,
     .applies = [](const Setup& setup) { return !setup.head_names.empty(); },
     .fits =
         [](Findings& findings, const Setup& setup) {
           check_labels(findings, "head_names", setup.head_names.size(), setup.sizes.heads, "sizes.heads", "head");
         },
     .reads = {"sizes.heads"},
     .saved = Saved::where_set,
     .affects_numbers = false},

    {.name = "model.name",
     .label = "Trained layer",
     .help = "A layer that was really trained: it gives the sizes, the weights, and X for a text",
     .group = SetupGroup::tokens,
     .words = models,
     .value = at<&Setup::model, &ModelSettings::name>,
     .adapted = [](const Setup& before, Setup after) { return with_model(before, offered(after.model)); },
     .saved = Saved::where_set},
    {.name = "model.layer",
     .label = "Layer",
     .help = "Which layer of the model, counted from 0",
     .group = SetupGroup::tokens,
     .value = at<&Setup::model, &ModelSettings::layer>,
     .range = from_to(0, 0),
     .applies = has_model,
     .saved = Saved::where_set},
    {.name = "model.text",
     .label = "Text",
     .help = "What the trained layer reads: its pieces are the tokens",
     .comment = "a text, or a list of texts: one for each batch item",
     .group = SetupGroup::tokens,
     .value = at<&Setup::model, &ModelSettings::text>,
     .applies = has_model,
     .adapted = [](const Setup& before, Setup after) { return with_model(before, after.model); },
     .saved = Saved::where_set},

    {.name = "sizes.batch",
     .label = "Batch",
     .help = "How many sequences are computed at once",
     .group = SetupGroup::sizes,
     .decided = by_model | by_weights,
     .value = at<&Setup::sizes, &Sizes::batch>,
     .range = a_size,
     .adapted = with_sizes},
    {.name = "sizes.query_length",
     .label = "Query length",
     .help = "How many queries there are: the tokens of X, or the last ones if there are past ones",
     .group = SetupGroup::sizes,
     .decided = by_model | by_weights,
     .value = at<&Setup::sizes, &Sizes::query_length>,
     .range = a_size,
     .adapted = with_sizes},
    {.name = "sizes.key_length",
     .label = "Key length",
     .help = "How many keys there are in cross-attention: the tokens of Y",
     .comment = "cross-attention only",
     .group = SetupGroup::sizes,
     .decided = by_model | by_weights,
     .value = optional_at<&Setup::key_length, &Setup::sizes, &Sizes::key_length>("sizes.query_length"),
     .range = a_size,
     .adapted =
         [](const Setup& before, Setup after) {
           if (before.is_cross()) return resized(before, after.sizes);
           return with_token_count(before, after.sizes.key_length.value_or(before.token_count()));
         },
     .fits = check_key_length,
     .reads = {"sizes.query_length", "sizes.past", "attention.source"},
     .saved = Saved::where_set},
    {.name = "sizes.d_model",
     .label = "d_model",
     .help = "Features of a position in the input, and in the output and in Y unless these have others",
     .group = SetupGroup::sizes,
     .decided = by_model,
     .value = at<&Setup::sizes, &Sizes::d_model>,
     .range = a_size,
     .spaced = [](const Setup& setup) { return setup.sizes.d_head ? Index{1} : setup.sizes.heads; },
     .adapted = with_sizes},
    {.name = "sizes.heads",
     .label = "Heads",
     .help = "How many heads there are; divides d_model, unless d_head is given",
     .comment = "divides d_model",
     .group = SetupGroup::sizes,
     .decided = by_model | by_weights,
     .value = at<&Setup::sizes, &Sizes::heads>,
     .range = a_size,
     .most =
         [](const Setup& setup) { return setup.sizes.d_head ? a_size.high : static_cast<double>(setup.sizes.d_model); },
     .only =
         [](const Setup& setup) { return setup.sizes.d_head ? std::vector<Index>() : divisors(setup.sizes.d_model); },
     .adapted = with_sizes,
     .fits = check_heads,
     .reads = {"sizes.d_model", "sizes.d_head"}},
    {.name = "sizes.kv_heads",
     .label = "KV heads",
     .help = "How many heads keys and values have; divides heads, and fewer is grouped-query attention",
     .comment = "divides heads",
     .group = SetupGroup::sizes,
     .decided = by_model,
     .value = optional_at<&Setup::kv_heads, &Setup::sizes, &Sizes::kv_heads>("sizes.heads"),
     .range = a_size,
     .most = [](const Setup& setup) { return static_cast<double>(setup.sizes.heads); },
     .only = [](const Setup& setup) { return divisors(setup.sizes.heads); },
     .adapted = with_sizes,
     .fits = check_kv_heads,
     .reads = {"sizes.heads"},
     .saved = Saved::where_set},
    {.name = "sizes.d_head",
     .label = "d_head",
     .help = "Features of a head; if left out, the heads share d_model: d_model / heads",
     .comment = "d_model / heads unless given",
     .group = SetupGroup::sizes,
     .decided = by_model,
     .value = optional_at<&Setup::d_head, &Setup::sizes, &Sizes::d_head>("sizes.d_model / sizes.heads"),
     .range = a_size,
     .adapted =
         [](const Setup& before, Setup after) {
           // The share of d_model is what is left out.
           const Sizes& sizes = after.sizes;
           if (sizes.d_head && *sizes.d_head * sizes.heads == sizes.d_model) after.sizes.d_head.reset();
           return resized(before, after.sizes);
         },
     .saved = Saved::where_set},
    {.name = "sizes.d_out",
     .label = "d_out",
     .help = "Features of a position in the output; if left out, as many as in the input",
     .comment = "d_model unless given",
     .group = SetupGroup::sizes,
     .decided = by_model,
     .value = optional_at<&Setup::d_out, &Setup::sizes, &Sizes::d_out>("sizes.d_model"),
     .range = a_size,
     .applies = [](const Setup& setup) { return setup.sizes.d_out.has_value(); },
     .adapted = with_sizes,
     .saved = Saved::where_set},
    {.name = "sizes.d_source",
     .label = "d_source",
     .help = "Features of a position in Y, as kdim and vdim in PyTorch; if left out, as many as in X",
     .comment = "cross-attention only; d_model unless given",
     .group = SetupGroup::sizes,
     .value = optional_at<&Setup::d_source, &Setup::sizes, &Sizes::d_source>("sizes.d_model"),
     .range = a_size,
     .applies = [](const Setup& setup) { return setup.sizes.d_source.has_value(); },
     .adapted = with_sizes,
     .fits = check_d_source,
     .reads = {"sizes.d_model", "attention.source", "position.encoding"},
     .saved = Saved::where_set},
    {.name = "sizes.past",
     .label = "Past tokens",
     .help = "Tokens before the queries, as in a cache: they have keys and values, and only the last ones make queries",
     .comment = "self-attention only: X has past + query_length positions, and only the last query_length make queries",
     .group = SetupGroup::sizes,
     .decided = by_model | by_weights,
     .value = at<&Setup::sizes, &Sizes::past>,
     .range = from_to(0, static_cast<double>(largest_size)),
     // Its row comes with what it is for: a causal mask, as in a model that writes.
     .applies =
         [](const Setup& setup) { return setup.past() > 0 || (!setup.is_cross() && setup.mask.has(MaskKind::causal)); },
     .adapted = with_sizes,
     .fits = check_past,
     .reads = {"sizes.query_length", "attention.source"},
     .saved = Saved::where_set},
    {.name = "sizes.layers",
     .label = "Layers",
     .help = "How many layers there are, one on the other, each with numbers of its own; more than one with a stream",
     .comment = "more than 1 only with block.residual",
     .group = SetupGroup::sizes,
     .decided = by_model,
     .value = at<&Setup::sizes, &Sizes::layers>,
     .range = from_to(1, static_cast<double>(largest_model)),
     .applies = has_stream,
     .adapted = with_sizes,
     .fits = check_layers,
     .reads = {"attention.source", "attention.dropout", "block.residual", "sizes.past"},
     .saved = Saved::where_set},
    {.name = "sizes.d_mlp",
     .label = "d_mlp",
     .help = "Neurons of the MLP; if left out, four times d_model",
     .comment = "4 * d_model unless given",
     .group = SetupGroup::sizes,
     .decided = by_model,
     .value = optional_at<&Setup::d_mlp, &Setup::sizes, &Sizes::d_mlp>("4 · sizes.d_model"),
     .range = a_size,
     .applies = has_mlp,
     .adapted = with_sizes,
     .saved = Saved::where_set},
    {.name = "sizes.symbols",
     .label = "Symbols",
     .help = "How many symbols W_U scores; with a task it is the task's",
     .comment = "columns of W_U where there is no task",
     .group = SetupGroup::sizes,
     .decided = by_model,
     .value = optional_at<&Setup::symbols, &Setup::sizes, &Sizes::symbols>("task.symbols"),
     .range = a_size,
     .applies = [](const Setup& setup) { return setup.sizes.symbols.has_value(); },
     .fits = check_symbols_size,
     .reads = {"task.name", "task.symbols", "task.file", "task.text"},
     .saved = Saved::where_set},

    {.name = "attention.source",
     .label = "Attention",
     .help = "Where keys and values come from: X itself, or another sequence Y",
     .group = SetupGroup::tokens,
     .decided = by_model | by_weights,
     .words = sources,
     .value = at<&Setup::attention, &Attention::source>,
     .adapted = [](const Setup& before, Setup after) { return with_source(before, after.attention.source); }},
    {.name = "attention.token_axis",
     .label = "Tokens are",
     .help = "Whether X is drawn and shown with a token in each row or in each column",
     .group = SetupGroup::conventions,
     .decided = beside_weights,
     .words = axes,
     .value = at<&Setup::attention, &Attention::token_axis>},
    {.name = "attention.weight_layout",
     .label = "Weights are",
     .help = "Which axis of a weight comes first when it is drawn; out_in is that of nn.Linear",
     .group = SetupGroup::conventions,
     .words = weight_layouts,
     .value = at<&Setup::attention, &Attention::weight_layout>},
    {.name = "attention.scale",
     .label = "Scale",
     .help = "What multiplies the dot products",
     .comment = "inverse_sqrt_d_head, none, or a number",
     .group = SetupGroup::attention,
     .words = scales,
     .value = {.kind = ValueKind::number_or_word,
               .get = [](const Setup& setup) -> PlainValue {
                 const Scale& scale = setup.attention.scale;
                 if (const auto* factor = std::get_if<double>(&scale)) return *factor;
                 return scale.index();
               },
               .set =
                   [](Setup& setup, const PlainValue& value) {
                     if (const auto* factor = std::get_if<double>(&value)) setup.attention.scale = *factor;
                     else if (value == PlainValue(std::size_t{0})) setup.attention.scale = InverseSqrtDHead{};
                     else setup.attention.scale = NoScale{};
                   },
               .number = factor_of},
     .range = Range{}},
    {.name = "attention.temperature",
     .label = "Temperature",
     .help = "What divides the scores: higher makes the weights more even",
     .group = SetupGroup::attention,
     .value = at<&Setup::attention, &Attention::temperature>,
     .range = above(0),
     .travel = Travel{0.1, 10, 0.05, Spacing::logarithmic}},
    {.name = "attention.soft_cap",
     .label = "Soft cap",
     .help = "The scores approach this number and never pass it, as in Gemma 2; 0: no cap",
     .group = SetupGroup::attention,
     .value = at<&Setup::attention, &Attention::soft_cap>,
     .range = Range{.low = 0},
     .travel = Travel{0, 100, 1},
     .saved = Saved::where_set},
    {.name = "attention.dropout",
     .label = "Dropout",
     .help = "The share of weights that are left out at random",
     .unit = "%",
     .group = SetupGroup::attention,
     .value = at<&Setup::attention, &Attention::dropout>,
     .range = Range{.low = 0, .high = 1, .high_is_in = false},
     .travel = Travel{0, 0.9, 0.05},
     .adapted = [](const Setup& before, Setup after) { return with_dropout(before, after.attention.dropout); }},
    {.name = "attention.precision",
     .label = "Precision",
     .help = "The numbers that everything is computed in",
     .group = SetupGroup::conventions,
     .decided = beside_weights,
     .words = precisions,
     .value = at<&Setup::attention, &Attention::precision>},
    {.name = "attention.ablated_heads",
     .label = "Ablated heads",
     .help = "Heads that are ablated: their context is zero, also while the layer learns",
     .hint = "none",
     .group = SetupGroup::attention,
     .value = at<&Setup::attention, &Attention::ablated_heads>,
     .fits =
         [](Findings& findings, const Setup& setup) {
           check_list_of_heads(findings, setup, "attention.ablated_heads", setup.attention.ablated_heads);
         },
     .reads = {"sizes.heads", "sizes.layers"},
     .saved = Saved::where_set},
    {.name = "attention.qk_norm",
     .label = "Norm of Q, K",
     .help = "Divides queries and keys by their root mean square, times a gain, before they are rotated",
     .group = SetupGroup::attention,
     .value = at<&Setup::attention, &Attention::qk_norm>,
     .adapted = [](const Setup&, Setup after) { return without_missing_gains(std::move(after)); },
     .saved = Saved::where_set},
    {.name = "attention.qk_norm_over",
     .label = "Norm over",
     .help = "What the root mean square of queries and keys is taken over",
     .group = SetupGroup::attention,
     .words = norm_spans,
     .value = at<&Setup::attention, &Attention::qk_norm_over>,
     .applies = norms_heads,
     .adapted = [](const Setup&, Setup after) { return without_missing_gains(std::move(after)); },
     .saved = Saved::where_it_applies},
    {.name = "attention.sink",
     .label = "Sink",
     .help = "One more term in the softmax of every row that belongs to no key: what it takes, no key gets",
     .comment = "none; zero: exp(0); learned: exp(sinks[head])",
     .group = SetupGroup::attention,
     .words = sinks_of_rows,
     .value = at<&Setup::attention, &Attention::sink>,
     .adapted = [](const Setup& before, Setup after) { return with_sink(before, after.attention.sink); },
     .saved = Saved::where_set},

    {.name = "position.encoding",
     .label = "Encoding",
     .help =
         "How attention knows the position of a token: a table added to the input, turned queries and keys, or a bias",
     .group = SetupGroup::position,
     .decided = by_model,
     .words = encodings,
     .value = at<&Setup::position, &PositionSettings::encoding>,
     .adapted = [](const Setup& before, Setup after) { return with_encoding(before, after.position.encoding); },
     .fits = check_encoding,
     .reads = {"sizes.query_length", "sizes.key_length", "sizes.past", "sizes.d_model", "sizes.heads", "sizes.d_head",
               "attention.source", "position.fraction"}},
    {.name = "position.base",
     .label = "Base",
     .help = "The larger it is, the longer the slowest waves of sinusoidal and rotary positions",
     .comment = "sinusoidal and rotary: the angle is position / base^(2·pair/width)",
     .group = SetupGroup::position,
     .value = at<&Setup::position, &PositionSettings::base>,
     .range = at_least(1e-100),
     .travel = Travel{1, 1e6, 1, Spacing::tenfold},
     .allowed = "a finite number above 0, from 1e-100 on",
     .holds = [](const Setup& setup) { return std::isfinite(setup.position.base) && setup.position.base >= 1e-100; },
     .applies = turns_by_angles,
     .saved = Saved::where_it_applies},
    {.name = "position.layout",
     .label = "Pairs",
     .help = "Which features rotary positions turn together: half a head apart, or neighbours",
     .group = SetupGroup::position,
     .words = pair_layouts,
     .value = at<&Setup::position, &PositionSettings::layout>,
     .applies = is_rotary,
     .saved = Saved::where_it_applies},
    {.name = "position.from",
     .label = "Count from",
     .help = "Where positions count from where padding is on the left; those of the padding are 0 then",
     .group = SetupGroup::position,
     .words = position_origins,
     .value = at<&Setup::position, &PositionSettings::from>,
     .applies = counts_padding,
     .saved = Saved::where_set},
    {.name = "position.fraction",
     .label = "Turned share",
     .help = "The share of a head's features that rotary positions turn: the first ones; the others stay as they are",
     .comment = "rotary: only the first fraction of a head's features is turned",
     .group = SetupGroup::position,
     .value = at<&Setup::position, &PositionSettings::fraction>,
     .range = Range{.low = 0, .high = 1, .low_is_in = false},
     .travel = Travel{0.25, 1, 0.05},
     .applies = is_rotary,
     .fits = check_fraction,
     .reads = {"position.encoding", "sizes.d_model", "sizes.heads", "sizes.d_head"},
     .saved = Saved::where_set},

    {.name = "norm.kind",
     .label = "Norm of X",
     .help = "What is done to each row of X, or of X + P, before it is projected; in cross-attention Y stays as it is",
     .group = SetupGroup::attention,
     .decided = by_model,
     .words = norms,
     .value = at<&Setup::norm, &NormSettings::kind>,
     .adapted = [](const Setup&, Setup after) { return without_missing_gains(std::move(after)); },
     .saved = Saved::where_set},
    {.name = "norm.epsilon",
     .label = "Epsilon",
     .help = "Added to variance and mean square, so that no norm divides by 0; also for queries and keys",
     .group = SetupGroup::attention,
     .decided = by_model,
     .value = at<&Setup::norm, &NormSettings::epsilon>,
     .range = above(0),
     .travel = Travel{1e-12, 1, 1, Spacing::tenfold},
     .applies = has_any_norm,
     .saved = Saved::where_it_applies},
    {.name = "norm.placement",
     .label = "Norms stand",
     .help = "Where a layer with a residual stream has its norms",
     .group = SetupGroup::block,
     .decided = by_model,
     .words = placements,
     .value = at<&Setup::norm, &NormSettings::placement>,
     .applies = has_normed_stream,
     .fits = check_placement,
     .reads = {"block.residual"},
     .saved = Saved::where_set},
    {.name = "norm.final",
     .label = "Final norm",
     .help = "One more norm, of what leaves the last layer",
     .group = SetupGroup::block,
     .decided = by_model,
     .value = at<&Setup::norm, &NormSettings::final>,
     .applies = has_normed_stream,
     .adapted = [](const Setup&, Setup after) { return without_missing_gains(std::move(after)); },
     .fits = check_final_norm,
     .reads = {"norm.kind", "block.residual"},
     .saved = Saved::where_set},

    {.name = "block.residual",
     .label = "Residual stream",
     .help = "The output is added to the input: both are a stream that the layer reads from and writes to",
     .group = SetupGroup::block,
     .decided = by_model,
     .value = at<&Setup::block, &BlockSettings::residual>,
     // Its row comes with what it is for: a layer that learns, or a block that a file or a model brings.
     .applies = [](const Setup& setup) { return setup.block.residual || setup.has_task(); },
     .adapted = [](const Setup&, Setup after) { return with_parts(std::move(after)); },
     .fits = check_residual,
     .reads = {"sizes.d_model", "sizes.d_out"},
     .saved = Saved::where_set},
    {.name = "block.mlp",
     .label = "MLP",
     .help = "A multilayer perceptron after attention: neurons that read each position by itself, bend what they read, "
             "and write into the stream",
     .comment = "none, relu, gelu, gelu_tanh or silu",
     .group = SetupGroup::block,
     .decided = by_model,
     .words = mlps,
     .value = at<&Setup::block, &BlockSettings::mlp>,
     .applies = has_stream,
     .adapted = [](const Setup&, Setup after) { return with_parts(std::move(after)); },
     .fits = check_mlp,
     .reads = {"block.residual"},
     .saved = Saved::where_set},
    {.name = "block.gated",
     .label = "Gated",
     .help = "The bend acts on gates of their own weights, which multiply what the neurons read, as in Llama",
     .group = SetupGroup::block,
     .decided = by_model,
     .value = at<&Setup::block, &BlockSettings::gated>,
     .applies = has_mlp,
     .adapted = [](const Setup&, Setup after) { return with_parts(std::move(after)); },
     .fits = check_gated,
     .reads = {"block.mlp"},
     .saved = Saved::where_set},

    {.name = "embedding.learned",
     .label = "Embedding",
     .help = "Each symbol of the task is a row of W_E; else it is a feature of its own",
     .group = SetupGroup::block,
     .decided = by_model,
     .value = at<&Setup::embedding, &EmbeddingSettings::learned>,
     .applies = has_task,
     .adapted = [](const Setup&, Setup after) { return with_parts(std::move(after)); },
     .fits = check_embedding,
     .reads = {"task.name"},
     .saved = Saved::where_set},
    {.name = "embedding.unembed",
     .label = "Unembedding",
     .help = "What leaves the layer times W_U scores the symbols; else its first features do",
     .group = SetupGroup::block,
     .decided = by_model,
     .value = at<&Setup::embedding, &EmbeddingSettings::unembed>,
     .applies = [](const Setup& setup) { return setup.has_task() || setup.sizes.symbols.has_value(); },
     .adapted = [](const Setup&, Setup after) { return with_parts(std::move(after)); },
     .fits = check_unembedding,
     .reads = {"task.name", "sizes.symbols"},
     .saved = Saved::where_set},

    {.name = "mask.kinds",
     .label = "Mask",
     .help = "The masks; a key is visible where all of them agree",
     .group = SetupGroup::mask,
     .decided = by_weights,
     .words = mask_kinds,
     .value = at<&Setup::mask, &MaskSettings::kinds>,
     .adapted =
         [](const Setup&, Setup after) {
           const bool lacks_lengths = std::ssize(after.mask.valid_lengths) != after.sizes.batch;
           const bool adds_lengths = after.mask.has(MaskKind::padding) && lacks_lengths;
           return adds_lengths ? with_mask_kind(after, MaskKind::padding, true) : after;
         },
     .fits = check_kinds},
    {.name = "mask.valid_lengths",
     .label = "Valid lengths",
     .help = "How many keys the padding mask leaves visible, for each batch item",
     .group = SetupGroup::mask,
     .decided = by_weights,
     .value = at<&Setup::mask, &MaskSettings::valid_lengths>,
     .most = [](const Setup& setup) { return static_cast<double>(setup.key_length()); },
     .applies = has_mask<MaskKind::padding>,
     .fits = check_valid_lengths,
     .reads = {"sizes.batch", "sizes.query_length", "sizes.key_length", "sizes.past", "attention.source"},
     .saved = Saved::where_set},
    {.name = "mask.window",
     .label = "Window",
     .help =
         "How far from its own position a query sees. Its own position isn't counted here: with a causal mask a query "
         "sees one key more, and a model's sliding_window of 4 is this 3",
     .comment = "|query - key| <= window: without the query itself, so a config's sliding_window of 4 is this 3",
     .group = SetupGroup::mask,
     .decided = by_weights,
     .value = at<&Setup::mask, &MaskSettings::window>,
     .range = at_least(0),
     .most = [](const Setup& setup) { return static_cast<double>(setup.positions()); },
     .applies = has_mask<MaskKind::window>,
     .saved = Saved::where_it_applies},
    {.name = "mask.blocked",
     .label = "Painted mask",
     .help = "The [query, key] pairs that the custom mask hides",
     .group = SetupGroup::mask,
     .decided = by_weights,
     .value = at<&Setup::mask, &MaskSettings::blocked>,
     .applies = has_mask<MaskKind::custom>,
     .fits = check_blocked,
     .reads = {"sizes.query_length", "sizes.key_length", "sizes.past", "attention.source"},
     .saved = Saved::where_set},
    {.name = "mask.align",
     .label = "Aligned",
     .help =
         "Where the queries are for causal and window masks, if there are more keys: the last positions or the first",
     .group = SetupGroup::mask,
     .decided = by_weights,
     .words = mask_aligns,
     .value = {.kind = ValueKind::choice,
               .get = [](const Setup& setup) -> PlainValue { return static_cast<std::size_t>(setup.mask_align()); },
               .set =
                   [](Setup& setup, const PlainValue& value) {
                     setup.mask.align = static_cast<MaskAlign>(std::get<std::size_t>(value));
                   },
               .left_out = [](const Setup& setup) { return !setup.mask.align.has_value(); }},
     .applies = is_aligned,
     .copied =
         [](const Setup& from, const Setup& to) {
           Setup edited = to;
           edited.mask.align = from.mask.align;
           return edited;
         },
     .saved = Saved::where_set},
    {.name = "mask.padding_side",
     .label = "Padding is",
     .help = "Where the padding is: behind the tokens of a batch item, or before them",
     .group = SetupGroup::mask,
     .decided = by_weights,
     .words = padding_sides,
     .value = at<&Setup::mask, &MaskSettings::padding_side>,
     .applies = has_mask<MaskKind::padding>,
     .saved = Saved::where_set},

    {.name = "random.generator",
     .label = "Generator",
     .help = "The library whose random numbers are drawn",
     .group = SetupGroup::random,
     .words = generators,
     .value = at<&Setup::random, &RandomSettings::generator>,
     .adapted = [](const Setup& before, Setup after) { return with_generator(before, after.random.generator); }},
    {.name = "seed",
     .label = "Seed",
     .help = "The first seed of the draws",
     .hint = "none",
     .group = SetupGroup::random,
     .value = computed<Setup, Index, first_seed, with_seed>,
     .travel = seeds,
     .saved = Saved::never},
    {.name = "X",
     .label = "Input X",
     .help = "How X is drawn",
     .group = SetupGroup::random,
     .words = distributions,
     .value = drawn<just<TensorId::X>>,
     .applies = draws<TensorId::X>,
     .copied = drawn_as_in<just<TensorId::X>>,
     .saved = Saved::never},
    {.name = "Y",
     .label = "Input Y",
     .help = "How Y is drawn",
     .group = SetupGroup::random,
     .words = distributions,
     .value = drawn<just<TensorId::Y>>,
     .applies = draws<TensorId::Y>,
     .copied = drawn_as_in<just<TensorId::Y>>,
     .saved = Saved::never},
    {.name = "P",
     .label = "Positions P",
     .help = "How P is drawn",
     .group = SetupGroup::random,
     .words = distributions,
     .value = drawn<just<TensorId::P>>,
     .applies = draws<TensorId::P>,
     .copied = drawn_as_in<just<TensorId::P>>,
     .saved = Saved::never},
    {.name = "sinks",
     .label = "Sinks",
     .help = "How the sinks of the heads are drawn",
     .group = SetupGroup::random,
     .words = distributions,
     .value = drawn<just<TensorId::sinks>>,
     .applies = draws<TensorId::sinks>,
     .copied = drawn_as_in<just<TensorId::sinks>>,
     .saved = Saved::never},
    {.name = "W",
     .label = "Weights W",
     .help = "How W_q, W_k, W_v and W_o are drawn",
     .group = SetupGroup::random,
     .words = distributions,
     .value = drawn<all_weights>,
     .copied = drawn_as_in<all_weights>,
     .saved = Saved::never},
    {.name = "biases",
     .label = "Biases",
     .help = "Whether there are b_q, b_k, b_v and b_o, drawn or given",
     .group = SetupGroup::random,
     .value = computed<Setup, bool, has_biases, with_biases>,
     .saved = Saved::never},
    {.name = "b",
     .label = "Biases b",
     .help = "How b_q, b_k, b_v and b_o are drawn",
     .group = SetupGroup::random,
     .words = distributions,
     .value = drawn<all_biases>,
     .applies = has_biases,
     .copied = drawn_as_in<all_biases>,
     .saved = Saved::never},
    {.name = "random.draws",
     .label = "Draws, in order",
     .help = "What is drawn, in this order; what is not drawn is 0, and a gain 1",
     .group = SetupGroup::random,
     .decided = by_weights,
     .value = at<&Setup::random, &RandomSettings::draws>,
     .fits = check_draws,
     .reads = {"random.generator", "sizes.layers", "sizes.heads", "sizes.kv_heads", "sizes.d_head", "attention.qk_norm",
               "attention.qk_norm_over", "attention.sink", "position.encoding", "norm.kind", "norm.final", "block.mlp",
               "block.gated", "embedding.learned", "embedding.unembed", "task.name"}},

    {.name = "values",
     .label = "Own numbers",
     .help = "Tensors, or parts of them, that are given instead of drawn",
     .group = SetupGroup::random,
     .decided = beside_weights,
     .value = at<&Setup::values>,
     .fits = check_values,
     .reads = {"sizes.layers",      "sizes.batch",       "sizes.query_length", "sizes.key_length",
               "sizes.past",        "sizes.d_model",     "sizes.heads",        "sizes.kv_heads",
               "sizes.d_head",      "sizes.d_out",       "sizes.d_source",     "attention.source",
               "sizes.d_mlp",       "sizes.symbols",     "attention.qk_norm",  "attention.qk_norm_over",
               "attention.sink",    "position.encoding", "norm.kind",          "norm.final",
               "block.residual",    "block.mlp",         "block.gated",        "embedding.learned",
               "embedding.unembed", "task.name",         "task.symbols",       "task.file",
               "task.text"},
     .saved = Saved::where_set},

    {.name = "task.name",
     .label = "Learn",
     .help = "The question to learn about sequences of symbols, which make up X; none: no task",
     .group = SetupGroup::task,
     .decided = by_model,
     .words = tasks,
     .value = at<&Setup::task, &TaskSettings::name>,
     .adapted = [](const Setup& before, Setup after) { return with_task(before, after.task.name); },
     .fits = check_task,
     .reads = {"sizes.query_length", "sizes.past", "attention.source", "attention.dropout"},
     .saved = Saved::where_set},
    {.name = "task.symbols",
     .label = "Symbols",
     .help = "The number of symbols: a, b, c, ...",
     .group = SetupGroup::task,
     .value = at<&Setup::task, &TaskSettings::symbols>,
     .range = from_to(2, static_cast<double>(largest_size)),
     .applies = [](const Setup& setup) { return has_task(setup) && !has_text(setup); },
     .adapted = [](const Setup& before, Setup after) { return with_symbols(before, after.task.symbols); },
     .fits = check_symbols,
     .reads = {"task.name", "task.file", "task.text", "sizes.query_length", "sizes.past", "sizes.d_model",
               "sizes.d_out", "embedding.learned", "embedding.unembed"},
     .saved = Saved::where_it_applies},
    {.name = "task.file",
     .label = "Text file",
     .help = "A file of text, whose characters are the symbols",
     .comment = "a file of text",
     .group = SetupGroup::task,
     .value = at<&Setup::task, &TaskSettings::file>,
     .applies = has_text,
     .fits = check_text,
     .reads = {"task.name", "task.text", "task.split", "sizes.query_length", "sizes.past"},
     .saved = Saved::where_set},
    {.name = "task.text",
     .label = "Text",
     .help = "The text itself, line by line, in place of a file",
     .comment = "its lines, in place of a file",
     .group = SetupGroup::task,
     .value = at<&Setup::task, &TaskSettings::text>,
     .applies = has_text,
     .saved = Saved::where_set},
    {.name = "task.split",
     .label = "A sequence is",
     .help = "What each sequence of the text is",
     .group = SetupGroup::task,
     .words = splits,
     .value = at<&Setup::task, &TaskSettings::split>,
     .applies = has_text,
     .saved = Saved::where_it_applies},
    {.name = "task.shown",
     .label = "Shown texts",
     .help = "Texts that are shown instead of drawn ones: one for each batch item",
     .hint = "drawn",
     .group = SetupGroup::task,
     .value = at<&Setup::task, &TaskSettings::shown>,
     .applies = has_text,
     .fits = check_shown,
     .reads = {"task.name", "task.file", "task.text", "task.split", "sizes.batch", "sizes.past"},
     .saved = Saved::where_set},
    {.name = "task.seed",
     .label = "Sequences",
     .help = "The seed of the sequences, apart from the draws",
     .group = SetupGroup::task,
     .value = at<&Setup::task, &TaskSettings::seed>,
     .travel = seeds,
     .allowed =
         "a seed of random.generator: from 0 to 4294967295 with numpy, at least 0 with numpy_rng, any with torch",
     .holds = [](const Setup& setup) { return takes_seed(setup.random.generator, setup.task.seed); },
     .applies = has_task,
     .saved = Saved::where_it_applies},

    {.name = "training.optimizer",
     .label = "Optimiser",
     .help = "How a step changes the weights; everything else is as in torch.optim",
     .group = SetupGroup::task,
     .words = optimizers,
     .value = at<&Setup::training, &TrainingSettings::optimizer>,
     .applies = has_task,
     .saved = Saved::where_it_applies},
    {.name = "training.learning_rate",
     .label = "Learning rate",
     .help = "The size of a step: too small takes long, too large explodes",
     .group = SetupGroup::task,
     .value = at<&Setup::training, &TrainingSettings::learning_rate>,
     .range = above(0),
     .travel = Travel{1e-5, 10, 1, Spacing::doubling},
     .applies = has_task,
     .saved = Saved::where_it_applies},
    {.name = "training.batch",
     .label = "Batch",
     .help = "How many sequences a step learns from",
     .group = SetupGroup::task,
     .value = at<&Setup::training, &TrainingSettings::batch>,
     .range = a_size,
     .applies = has_task,
     .saved = Saved::where_it_applies},
    {.name = "training.steps",
     .label = "Steps",
     .help = "The layer is shown after this many training steps; 0 is as drawn. Learn makes them one by one",
     .group = SetupGroup::task,
     .value = at<&Setup::training, &TrainingSettings::steps>,
     .range = from_to(0, static_cast<double>(most_steps)),
     .applies = has_task,
     .fits = check_steps,
     .reads = {"task.name", "mask.kinds"},
     .saved = Saved::where_it_applies},
    {.name = "training.with_heads",
     .label = "Learns with heads",
     .help = "Ablated heads that the layer learns with: they are ablated after the last step",
     .hint = "none",
     .group = SetupGroup::task,
     .value = at<&Setup::training, &TrainingSettings::with_heads>,
     .applies = [](const Setup& setup) { return has_task(setup) && !setup.training.with_heads.empty(); },
     .fits =
         [](Findings& findings, const Setup& setup) {
           check_list_of_heads(findings, setup, "training.with_heads", setup.training.with_heads);
         },
     .reads = {"sizes.heads", "sizes.layers"},
     .saved = Saved::where_set},
    {.name = "training.without_heads",
     .label = "Learns without heads",
     .help = "Heads that the layer learns without, though they aren't ablated after the last step",
     .hint = "none",
     .group = SetupGroup::task,
     .value = at<&Setup::training, &TrainingSettings::without_heads>,
     .applies = [](const Setup& setup) { return has_task(setup) && !setup.training.without_heads.empty(); },
     .fits =
         [](Findings& findings, const Setup& setup) {
           check_list_of_heads(findings, setup, "training.without_heads", setup.training.without_heads);
         },
     .reads = {"sizes.heads", "sizes.layers"},
     .saved = Saved::where_set},
};
// NOLINTEND(performance-unnecessary-value-param)

constexpr bool is_in_the_file(const SetupKey& entry) { return entry.saved != Saved::never; }
constexpr auto keys_of_the_file = [] {
  std::array<SetupKey, std::ranges::count_if(table, is_in_the_file)> keys{};
  std::ranges::copy_if(table, keys.begin(), is_in_the_file);
  return keys;
}();

}  // namespace

std::span<const SetupKey> setup_entries() { return table; }

std::span<const SetupKey> setup_keys() { return keys_of_the_file; }

bool is_decided(const SetupKey& entry, const Setup& setup) {
  if (setup.has_attention_alone()) return !entry.marked(beside_weights);
  const bool is_drawn = entry.group == SetupGroup::random && entry.name != "values";
  return setup.has_model() && (is_drawn || entry.marked(by_model));
}

bool can_change(const SetupKey& entry, const Setup& setup) {
  return entry.is_applicable(setup) && !is_decided(entry, setup);
}

bool is_written(const SetupKey& key, const Setup& setup) {
  if (setup.has_model() && key.marked(by_model)) return false;
  const bool speaks_of_weights = key.marked(beside_weights | by_weights) && key.name != "random.draws";
  if (setup.has_attention_alone() && !speaks_of_weights) return !key.is_default(setup);
  if (key.name == "values") return !values_beside_model(setup).empty();
  switch (key.saved) {
    case Saved::always: return true;
    case Saved::where_it_applies: return key.is_applicable(setup) || !key.is_default(setup);
    case Saved::where_set: return !key.is_default(setup);
    case Saved::never: break;
  }
  return false;
}

const SetupKey* setup_key(std::string_view name) {
  const auto keys = setup_keys();
  const auto found = std::ranges::find(keys, name, &SetupKey::name);
  return found == keys.end() ? nullptr : &*found;
}

const SetupKey* setup_entry(std::string_view name) {
  const SetupKey* found = nullptr;
  for (const SetupKey& entry : table) {
    if (entry.name == name) return &entry;
  }
  for (const SetupKey& entry : table) {
    if (entry.last_name() != name) continue;
    if (found != nullptr) return nullptr;
    found = &entry;
  }
  return found;
}

}  // namespace headlight
