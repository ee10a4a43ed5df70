#include "core/model/setup_keys.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/model/task.hpp"
#include "core/model/value_checks.hpp"

namespace headlight {
namespace {

// --- Where a value is stored -----------------------------------------------------------------------------------------

/// The members that lead to a value: at<&Setup::sizes, &Sizes::heads>.
template <auto... Path>
constexpr auto at = [] {
  using T = std::remove_cvref_t<decltype((std::declval<Setup&>().*....*Path))>;
  if constexpr (std::is_enum_v<T>) {
    return ChoiceField{setup_words<T>, [](const Setup& setup) { return static_cast<std::size_t>((setup.*....*Path)); },
                       [](Setup& setup, std::size_t place) { (setup.*....*Path) = static_cast<T>(place); }};
  } else {
    return Field<T>{[](Setup& setup) -> T& { return (setup.*....*Path); },
                    [](const Setup& setup) -> const T& { return (setup.*....*Path); }};
  }
}();

// --- What a value may be ---------------------------------------------------------------------------------------------

constexpr std::string_view a_size = "a whole number from 1 to 1000000000";
static_assert(largest_size == 1'000'000'000);

template <Index Sizes::* size>
bool size_holds(const Setup& setup) {
  return is_size(setup.sizes.*size);
}
template <std::optional<Index> Sizes::* size>
bool size_holds(const Setup& setup) {
  return !(setup.sizes.*size) || is_size(*(setup.sizes.*size));
}

// A check that compares a value with a size runs only if that size is valid, so an invalid size is a single problem.

void check_key_length(Findings& findings, const Setup& setup) {
  const Sizes& sizes = setup.sizes;
  if (setup.is_cross() || !sizes.key_length) return;
  findings.require(*sizes.key_length == sizes.query_length, "sizes.key_length", *sizes.key_length, [&] {
    return fmt::format("sizes.query_length = {}, or left out, in self-attention", sizes.query_length);
  });
}

void check_heads(Findings& findings, const Setup& setup) {
  const Sizes& sizes = setup.sizes;
  if (!is_size(sizes.heads) || !is_size(sizes.d_model)) return;
  findings.require(sizes.d_model % sizes.heads == 0, "sizes.heads", sizes.heads,
                   [&] { return fmt::format("a divisor of sizes.d_model = {}", sizes.d_model); });
}

void check_kv_heads(Findings& findings, const Setup& setup) {
  const Sizes& sizes = setup.sizes;
  if (!sizes.kv_heads || !is_size(*sizes.kv_heads) || !is_size(sizes.heads)) return;
  findings.require(sizes.heads % *sizes.kv_heads == 0, "sizes.kv_heads", *sizes.kv_heads,
                   [&] { return fmt::format("a divisor of sizes.heads = {}", sizes.heads); });
}

void check_labels(Findings& findings, const char* key, std::size_t count, Index length, const char* length_key,
                  const char* of = "position") {
  if (!is_size(length)) return;
  findings.require(
      count == 0 || static_cast<Index>(count) == length, key, [&] { return fmt::format("{} labels", count); },
      [&] { return fmt::format("none, or one per {}: {} = {}", of, length_key, length); });
}

void check_tokens(Findings& findings, const Setup& setup) {
  check_labels(findings, "tokens", setup.tokens.size(), setup.sizes.query_length, "sizes.query_length");
}

void check_key_tokens(Findings& findings, const Setup& setup) {
  if (setup.is_cross()) {
    check_labels(findings, "key_tokens", setup.key_tokens.size(), setup.key_length(), "sizes.key_length");
    return;
  }
  findings.require(
      setup.key_tokens.empty(), "key_tokens", [&] { return fmt::format("{} labels", setup.key_tokens.size()); },
      "none: in self-attention the keys are the tokens");
}

void check_features(Findings& findings, const Setup& setup) {
  check_labels(findings, "features", setup.features.size(), setup.sizes.d_model, "sizes.d_model", "feature");
}

void check_head_names(Findings& findings, const Setup& setup) {
  check_labels(findings, "head_names", setup.head_names.size(), setup.sizes.heads, "sizes.heads", "head");
}

bool scale_holds(const Setup& setup) {
  const double* factor = std::get_if<double>(&setup.attention.scale);
  return factor == nullptr || std::isfinite(*factor);
}

bool temperature_holds(const Setup& setup) {
  return std::isfinite(setup.attention.temperature) && setup.attention.temperature > 0;
}

bool dropout_holds(const Setup& setup) { return setup.attention.dropout >= 0 && setup.attention.dropout < 1; }

void check_ablated(Findings& findings, const Setup& setup) {
  if (!is_size(setup.sizes.heads)) return;
  const auto& heads = setup.attention.ablated_heads;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const auto key = [&] { return fmt::format("attention.ablated_heads[{}]", i); };
    findings.require(heads[i] >= 0 && heads[i] < setup.sizes.heads, key, heads[i],
                     [&] { return fmt::format("a head from 0 to {}", setup.sizes.heads - 1); });
    findings.require(std::find(heads.begin(), heads.end(), heads[i]) == heads.begin() + static_cast<std::ptrdiff_t>(i),
                     key, heads[i], "each head once");
  }
}

void check_encoding(Findings& findings, const Setup& setup) {
  const Sizes& sizes = setup.sizes;
  constexpr const char* key = "position.encoding";
  if (!is_size(sizes.d_model)) return;
  if (setup.position.encoding == Encoding::one_hot && is_size(sizes.query_length) && is_size(setup.key_length())) {
    findings.require(
        setup.positions() <= sizes.d_model, key,
        [&] { return fmt::format("one_hot for {} positions", setup.positions()); },
        [&] { return fmt::format("one_hot for at most sizes.d_model = {} positions", sizes.d_model); });
  }
  if (setup.position.encoding == Encoding::rotary && is_size(sizes.heads) && sizes.d_model % sizes.heads == 0) {
    findings.require(
        setup.d_head() % 2 == 0, key, [&] { return fmt::format("rotary with d_head = {}", setup.d_head()); },
        "rotary where d_head = sizes.d_model / sizes.heads is even: it turns features in pairs");
  }
}

/// A base this small still gives finite angles for every position.
bool base_holds(const Setup& setup) { return std::isfinite(setup.position.base) && setup.position.base >= 1e-100; }

bool is_turned_by_angles(const Setup& setup) {
  return setup.position.encoding == Encoding::sinusoidal || setup.position.encoding == Encoding::rotary;
}

void check_kinds(Findings& findings, const Setup& setup) {
  const auto& kinds = setup.mask.kinds;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const auto first = std::find(kinds.begin(), kinds.end(), kinds[i]);
    findings.require(
        first == kinds.begin() + static_cast<std::ptrdiff_t>(i), [&] { return fmt::format("mask.kinds[{}]", i); },
        to_string(kinds[i]), "each kind once");
  }
}

void check_valid_lengths(Findings& findings, const Setup& setup) {
  if (!setup.mask.has(MaskKind::padding)) return;
  const auto& lengths = setup.mask.valid_lengths;
  if (is_size(setup.sizes.batch)) {
    findings.require(
        static_cast<Index>(lengths.size()) == setup.sizes.batch, "mask.valid_lengths",
        [&] { return fmt::format("{} lengths", lengths.size()); },
        [&] { return fmt::format("one per batch item: sizes.batch = {}", setup.sizes.batch); });
  }
  if (!is_size(setup.key_length())) return;
  for (std::size_t item = 0; item < lengths.size(); ++item) {
    findings.require(
        lengths[item] >= 0 && lengths[item] <= setup.key_length(),
        [&] { return fmt::format("mask.valid_lengths[{}]", item); }, lengths[item],
        [&] { return fmt::format("a whole number from 0 to the number of keys, {}", setup.key_length()); });
  }
}

bool window_holds(const Setup& setup) { return !setup.mask.has(MaskKind::window) || setup.mask.window >= 0; }

void check_blocked(Findings& findings, const Setup& setup) {
  if (!setup.mask.has(MaskKind::custom)) return;
  if (!is_size(setup.sizes.query_length) || !is_size(setup.key_length())) return;
  for (std::size_t i = 0; i < setup.mask.blocked.size(); ++i) {
    const auto [query, key] = setup.mask.blocked[i];
    const bool inside = query >= 0 && query < setup.sizes.query_length && key >= 0 && key < setup.key_length();
    if (inside) continue;  // builds no text for valid pairs: there may be thousands
    findings.add(
        fmt::format("mask.blocked[{}]", i), fmt::format("[{}, {}]", query, key),
        fmt::format("[query, key] with query below {} and key below {}", setup.sizes.query_length, setup.key_length()));
  }
}

/// Written with a task, and where it is not the default.
template <auto section, auto field>
bool written_with_task(const Setup& setup) {
  return setup.has_task() || setup.*section.*field != Setup{}.*section.*field;
}

/// What stands in the way of a task: it makes X itself, every position answers from its own sequence, and gradients
/// pass through numbers, not through decisions.
void check_task(Findings& findings, const Setup& setup) {
  if (!setup.has_task()) return;
  const TaskSettings& task = setup.task;
  const auto name = [&] { return std::string(to_string(task.name)); };
  findings.require(!setup.is_cross(), "task.name", name,
                   "none with attention.source = \"cross\": it asks about X alone");
  findings.require(setup.attention.dropout == 0, "attention.dropout", setup.attention.dropout, "0 with a task");
  const Index length = setup.sizes.query_length;
  if (is_size(length)) {
    findings.require(length >= shortest_length(task.name), "sizes.query_length", length, [&] {
      return fmt::format("at least {} with the task {}: else nothing is asked", shortest_length(task.name), name());
    });
  }
}

bool symbols_hold(const Setup& setup) { return setup.task.symbols >= 2 && setup.task.symbols <= largest_size; }

void check_symbols(Findings& findings, const Setup& setup) {
  if (!setup.has_task() || !symbols_hold(setup)) return;
  const TaskSettings& task = setup.task;
  if (is_size(setup.sizes.d_model)) {
    const Index needed = std::max(features_of(task), answers_of(task.name) * task.symbols);
    findings.require(needed <= setup.sizes.d_model, "task.symbols", task.symbols, [&] {
      return fmt::format("at most {}: the task {} needs {} features for {}, and sizes.d_model = {}",
                         setup.sizes.d_model / (needed / task.symbols), to_string(task.name), needed,
                         answers_of(task.name) > 1                                      ? "its two answers"
                         : features_of(task) == needed && task.name == TaskName::lookup ? "keys and values"
                                                                                        : "its symbols",
                         setup.sizes.d_model);
    });
  }
  if (task.name == TaskName::lookup && is_size(setup.sizes.query_length)) {
    findings.require(setup.sizes.query_length <= task.symbols + 1, "task.symbols", task.symbols, [&] {
      return fmt::format("at least {}: no key stands twice among sizes.query_length - 1 = {}",
                         setup.sizes.query_length - 1, setup.sizes.query_length - 1);
    });
  }
}

bool task_seed_holds(const Setup& setup) {
  Findings found({});
  check_seed(found, setup.random.generator, setup.task.seed, {});
  return found.take().empty();
}

bool learning_rate_holds(const Setup& setup) {
  return std::isfinite(setup.training.learning_rate) && setup.training.learning_rate > 0;
}

bool steps_hold(const Setup& setup) { return setup.training.steps >= 0 && setup.training.steps <= most_steps; }
static_assert(most_steps == 1'000'000);

void check_steps(Findings& findings, const Setup& setup) {
  if (setup.training.steps <= 0) return;
  findings.require(setup.has_task(), "training.steps", setup.training.steps,
                   "0 without a task.name: there is nothing to learn");
  findings.require(!setup.mask.has(MaskKind::padding), "training.steps", setup.training.steps,
                   "0 with a padding mask: its lengths belong to the sequences that are shown");
}

// --- The table -------------------------------------------------------------------------------------------------------

constexpr SetupKey table[] = {
    {.name = "title",
     .value = at<&Setup::title>,
     .topic = SetupTopic::conventions,
     .help = "The name of the setup",
     .affects_numbers = false},
    {.name = "tokens",
     .value = at<&Setup::tokens>,
     .topic = SetupTopic::tokens,
     .help = "Labels of the queries: none, or one for each",
     .written = [](const Setup& setup) { return !setup.tokens.empty(); },
     .fits = check_tokens,
     .beside = {"sizes.query_length"},
     .affects_numbers = false},
    {.name = "key_tokens",
     .value = at<&Setup::key_tokens>,
     .topic = SetupTopic::tokens,
     .help = "Labels of the keys in cross-attention: none, or one for each",
     .written = [](const Setup& setup) { return !setup.key_tokens.empty(); },
     .fits = check_key_tokens,
     .beside = {"sizes.query_length", "sizes.key_length", "attention.source"},
     .affects_numbers = false},

    {.name = "features",
     .value = at<&Setup::features>,
     .topic = SetupTopic::tokens,
     .help = "Names of the features of X: none, or one for each",
     .written = [](const Setup& setup) { return !setup.features.empty(); },
     .fits = check_features,
     .beside = {"sizes.d_model"},
     .affects_numbers = false},
    {.name = "head_names",
     .value = at<&Setup::head_names>,
     .topic = SetupTopic::tokens,
     .help = "Names of the heads: none, or one for each",
     .written = [](const Setup& setup) { return !setup.head_names.empty(); },
     .fits = check_head_names,
     .beside = {"sizes.heads"},
     .affects_numbers = false},

    {.name = "sizes.batch",
     .value = at<&Setup::sizes, &Sizes::batch>,
     .topic = SetupTopic::sizes,
     .help = "How many sequences are computed at once",
     .allowed = a_size,
     .holds = size_holds<&Sizes::batch>},
    {.name = "sizes.query_length",
     .value = at<&Setup::sizes, &Sizes::query_length>,
     .topic = SetupTopic::sizes,
     .help = "How many positions ask: the tokens of X",
     .allowed = a_size,
     .holds = size_holds<&Sizes::query_length>},
    {.name = "sizes.key_length",
     .value = OptionalField{at<&Setup::sizes, &Sizes::key_length>,
                            [](const Setup& setup) { return setup.key_length(); }, "sizes.query_length"},
     .topic = SetupTopic::sizes,
     .help = "How many positions are looked at in cross-attention: the tokens of Y",
     .comment = "cross-attention only",
     .written = [](const Setup& setup) { return setup.sizes.key_length.has_value(); },
     .allowed = a_size,
     .holds = size_holds<&Sizes::key_length>,
     .fits = check_key_length,
     .beside = {"sizes.query_length", "attention.source"}},
    {.name = "sizes.d_model",
     .value = at<&Setup::sizes, &Sizes::d_model>,
     .topic = SetupTopic::sizes,
     .help = "Features of a position, in the input and in the output",
     .allowed = a_size,
     .holds = size_holds<&Sizes::d_model>},
    {.name = "sizes.heads",
     .value = at<&Setup::sizes, &Sizes::heads>,
     .topic = SetupTopic::sizes,
     .help = "How many heads share the features; divides d_model",
     .comment = "divides d_model",
     .allowed = a_size,
     .holds = size_holds<&Sizes::heads>,
     .fits = check_heads,
     .beside = {"sizes.d_model"}},
    {.name = "sizes.kv_heads",
     .value = OptionalField{at<&Setup::sizes, &Sizes::kv_heads>, [](const Setup& setup) { return setup.kv_heads(); },
                            "sizes.heads"},
     .topic = SetupTopic::sizes,
     .help = "How many heads keys and values have; divides heads, and fewer is grouped-query attention",
     .comment = "divides heads",
     .written = [](const Setup& setup) { return setup.sizes.kv_heads.has_value(); },
     .allowed = a_size,
     .holds = size_holds<&Sizes::kv_heads>,
     .fits = check_kv_heads,
     .beside = {"sizes.heads"}},

    {.name = "attention.source",
     .value = at<&Setup::attention, &Attention::source>,
     .topic = SetupTopic::tokens,
     .help = "Where keys and values come from: X itself, or another sequence Y"},
    {.name = "attention.token_axis",
     .value = at<&Setup::attention, &Attention::token_axis>,
     .topic = SetupTopic::conventions,
     .help = "Whether X is drawn and shown with a token in each row or in each column"},
    {.name = "attention.weight_layout",
     .value = at<&Setup::attention, &Attention::weight_layout>,
     .topic = SetupTopic::conventions,
     .help = "Which axis of a weight comes first when it is drawn; out_in is that of nn.Linear"},
    {.name = "attention.scale",
     .value = at<&Setup::attention, &Attention::scale>,
     .topic = SetupTopic::attention,
     .help = "What multiplies the dot products",
     .comment = "inverse_sqrt_d_head, none, or a number",
     .allowed = "\"inverse_sqrt_d_head\", \"none\" or a finite number",
     .holds = scale_holds},
    {.name = "attention.temperature",
     .value = at<&Setup::attention, &Attention::temperature>,
     .topic = SetupTopic::attention,
     .help = "What divides the scores: higher makes the weights more even",
     .allowed = "a finite number above 0",
     .holds = temperature_holds,
     .short_name = "temperature"},
    {.name = "attention.dropout",
     .value = at<&Setup::attention, &Attention::dropout>,
     .topic = SetupTopic::attention,
     .help = "The share of weights that are left out at random",
     .allowed = "a number from 0 up to, but not, 1",
     .holds = dropout_holds,
     .short_name = "dropout"},
    {.name = "attention.precision",
     .value = at<&Setup::attention, &Attention::precision>,
     .topic = SetupTopic::conventions,
     .help = "The numbers that everything is computed in"},
    {.name = "attention.ablated_heads",
     .value = at<&Setup::attention, &Attention::ablated_heads>,
     .topic = SetupTopic::attention,
     .help = "Heads that are taken away: their context is zero",
     .written = [](const Setup& setup) { return !setup.attention.ablated_heads.empty(); },
     .fits = check_ablated,
     .beside = {"sizes.heads"}},

    {.name = "position.encoding",
     .value = at<&Setup::position, &PositionSettings::encoding>,
     .topic = SetupTopic::position,
     .help = "How attention knows where a token stands: a table added to the input, turned queries and keys, or a bias",
     .fits = check_encoding,
     .beside = {"sizes.query_length", "sizes.key_length", "sizes.d_model", "sizes.heads", "attention.source"}},
    {.name = "position.base",
     .value = at<&Setup::position, &PositionSettings::base>,
     .topic = SetupTopic::position,
     .help = "What the slowest waves of sinusoidal and rotary positions grow with",
     .comment = "sinusoidal and rotary: the angle is position / base^(2·pair/width)",
     .written =
         [](const Setup& setup) {
           return is_turned_by_angles(setup) || setup.position.base != PositionSettings{}.base;
         },
     .allowed = "a finite number above 0, from 1e-100 on",
     .holds = base_holds},
    {.name = "position.layout",
     .value = at<&Setup::position, &PositionSettings::layout>,
     .topic = SetupTopic::position,
     .help = "Which features rotary positions turn together: half a head apart, or neighbours",
     .written =
         [](const Setup& setup) {
           return setup.position.encoding == Encoding::rotary || setup.position.layout != PairLayout::half;
         }},

    {.name = "mask.kinds",
     .value = at<&Setup::mask, &MaskSettings::kinds>,
     .topic = SetupTopic::mask,
     .help = "Which masks there are; a key is visible where all of them agree",
     .fits = check_kinds},
    {.name = "mask.valid_lengths",
     .value = at<&Setup::mask, &MaskSettings::valid_lengths>,
     .topic = SetupTopic::mask,
     .help = "How many keys the padding mask leaves visible, for each batch item",
     .written = [](const Setup& setup) { return !setup.mask.valid_lengths.empty(); },
     .fits = check_valid_lengths,
     .beside = {"sizes.batch", "sizes.query_length", "sizes.key_length", "attention.source"}},
    {.name = "mask.window",
     .value = at<&Setup::mask, &MaskSettings::window>,
     .topic = SetupTopic::mask,
     .help = "How far from its own position a query sees through the window mask",
     .comment = "|query - key| <= window",
     .written =
         [](const Setup& setup) {
           return setup.mask.has(MaskKind::window) || setup.mask.window != MaskSettings{}.window;
         },
     .allowed = "a whole number of at least 0",
     .holds = window_holds,
     .short_name = "window"},
    {.name = "mask.blocked",
     .value = at<&Setup::mask, &MaskSettings::blocked>,
     .topic = SetupTopic::mask,
     .help = "The [query, key] pairs that the custom mask hides",
     .written = [](const Setup& setup) { return !setup.mask.blocked.empty(); },
     .fits = check_blocked,
     .beside = {"sizes.query_length", "sizes.key_length", "attention.source"}},

    {.name = "random.generator",
     .value = at<&Setup::random, &RandomSettings::generator>,
     .topic = SetupTopic::random,
     .help = "The library whose random numbers are drawn"},
    {.name = "random.draws",
     .value = at<&Setup::random, &RandomSettings::draws>,
     .topic = SetupTopic::random,
     .help = "What is drawn, in this order; what is not drawn is zero",
     .fits = check_draws,
     .beside = {"random.generator", "sizes.heads", "sizes.kv_heads", "position.encoding", "task.name"}},

    {.name = "values",
     .value = at<&Setup::values>,
     .topic = SetupTopic::random,
     .help = "What is given instead of drawn: tensors, and parts of them",
     .written = [](const Setup& setup) { return !setup.values.empty(); },
     .fits = check_values,
     .beside = {"sizes.batch", "sizes.query_length", "sizes.key_length", "sizes.d_model", "sizes.heads",
                "sizes.kv_heads", "attention.source", "position.encoding", "task.name"}},

    {.name = "task.name",
     .value = at<&Setup::task, &TaskSettings::name>,
     .topic = SetupTopic::task,
     .help = "What is asked about sequences of symbols, which are then X: none has no task",
     .written = [](const Setup& setup) { return setup.has_task(); },
     .fits = check_task,
     .beside = {"sizes.query_length", "attention.source", "attention.dropout"}},
    {.name = "task.symbols",
     .value = at<&Setup::task, &TaskSettings::symbols>,
     .topic = SetupTopic::task,
     .help = "How many symbols there are: a, b, c, ...",
     .written = written_with_task<&Setup::task, &TaskSettings::symbols>,
     .allowed = "a whole number from 2 to 1000000000",
     .holds = symbols_hold,
     .fits = check_symbols,
     .beside = {"task.name", "sizes.query_length", "sizes.d_model"},
     .short_name = "symbols"},
    {.name = "task.seed",
     .value = at<&Setup::task, &TaskSettings::seed>,
     .topic = SetupTopic::task,
     .help = "The seed of the sequences, apart from the draws",
     .written = written_with_task<&Setup::task, &TaskSettings::seed>,
     .allowed =
         "a seed of random.generator: from 0 to 4294967295 with numpy, at least 0 with numpy_rng, any with torch",
     .holds = task_seed_holds},

    {.name = "training.optimizer",
     .value = at<&Setup::training, &TrainingSettings::optimizer>,
     .topic = SetupTopic::task,
     .help = "How a step changes the weights; what is not said here is as in torch.optim",
     .written = written_with_task<&Setup::training, &TrainingSettings::optimizer>},
    {.name = "training.learning_rate",
     .value = at<&Setup::training, &TrainingSettings::learning_rate>,
     .topic = SetupTopic::task,
     .help = "How far a step goes",
     .written = written_with_task<&Setup::training, &TrainingSettings::learning_rate>,
     .allowed = "a finite number above 0",
     .holds = learning_rate_holds,
     .short_name = "learning_rate"},
    {.name = "training.batch",
     .value = at<&Setup::training, &TrainingSettings::batch>,
     .topic = SetupTopic::task,
     .help = "How many sequences a step learns from",
     .written = written_with_task<&Setup::training, &TrainingSettings::batch>,
     .allowed = a_size,
     .holds = [](const Setup& setup) { return is_size(setup.training.batch); }},
    {.name = "training.steps",
     .value = at<&Setup::training, &TrainingSettings::steps>,
     .topic = SetupTopic::task,
     .help = "After how many steps of training the layer is shown; 0 is as drawn",
     .written = written_with_task<&Setup::training, &TrainingSettings::steps>,
     .allowed = "a whole number from 0 to 1000000",
     .holds = steps_hold,
     .fits = check_steps,
     .beside = {"task.name", "mask.kinds"}},
};

// --- Values in words -------------------------------------------------------------------------------------------------

std::string words_of_value(const std::string& value) { return value; }
std::string words_of_value(Index value) { return fmt::format("{}", value); }
std::string words_of_value(double value) { return fmt::format("{}", value); }
std::string words_of_value(MaskKind value) { return std::string(to_string(value)); }
std::string words_of_value(const Draw& value) { return to_string(value); }
std::string words_of_value(const std::pair<Index, Index>& value) {
  return fmt::format("[{}, {}]", value.first, value.second);
}

std::string words_of_value(const Scale& value) {
  if (std::holds_alternative<InverseSqrtDHead>(value)) return "inverse_sqrt_d_head";
  if (std::holds_alternative<NoScale>(value)) return "none";
  return words_of_value(std::get<double>(value));
}

std::string words_of_value(const Values& values) {
  std::string list;
  for (const GivenValue& value : values.entries())
    list += (list.empty() ? "" : ", ") + to_string(value.tensor, value.part);
  return list.empty() ? "none" : list;
}

template <class Value>
std::string words_of_value(const std::vector<Value>& values) {
  if (values.empty()) return "none";
  std::string list;
  for (const Value& value : values) list += (list.empty() ? "" : ", ") + words_of_value(value);
  return list;
}

}  // namespace

std::string_view SetupKey::section() const {
  const auto dot = name.find('.');
  return dot == std::string_view::npos ? std::string_view{} : name.substr(0, dot);
}

std::string_view SetupKey::last_name() const { return name.substr(name.find('.') + 1); }

std::string SetupKey::text(const Setup& setup) const {
  return std::visit(
      [&]<class Value>(const Value& at) {
        if constexpr (std::is_same_v<Value, ChoiceField>) return std::string(at.words[at.in(setup)]);
        else if constexpr (std::is_same_v<Value, OptionalField>)
          return words_of_value(at.field.in(setup).value_or(at.meaning(setup)));
        else return words_of_value(at.in(setup));
      },
      value);
}

bool SetupKey::same(const Setup& a, const Setup& b) const {
  return std::visit(
      [&]<class Value>(const Value& at) {
        if constexpr (std::is_same_v<Value, OptionalField>)
          return at.field.in(a) == at.field.in(b) || at.meaning(a) == at.meaning(b);
        else return at.in(a) == at.in(b);
      },
      value);
}

void SetupKey::copy(const Setup& from, Setup& to) const {
  std::visit(
      [&]<class Value>(const Value& at) {
        if constexpr (std::is_same_v<Value, ChoiceField>) at.put(to, at.in(from));
        else if constexpr (std::is_same_v<Value, OptionalField>) at.field.of(to) = at.field.in(from);
        else at.of(to) = at.in(from);
      },
      value);
}

void SetupKey::check(Findings& findings, const Setup& setup) const {
  if (holds != nullptr) findings.require(holds(setup), name, [&] { return text(setup); }, allowed);
  if (fits != nullptr) fits(findings, setup);
}

std::span<const SetupKey> setup_keys() { return table; }

const SetupKey* setup_key(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(table), std::end(table), [&](const SetupKey& key) { return key.name == name; });
  return found == std::end(table) ? nullptr : found;
}

}  // namespace headlight
