#include "core/setup/checks.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/model/positions.hpp"
#include "core/model/shapes.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

bool has_d_head(const Setup& setup) {
  const Sizes& sizes = setup.sizes;
  if (!is_size(sizes.heads) || !is_size(sizes.d_model)) return false;
  if (sizes.d_head) return is_size(*sizes.d_head);
  return !setup.shares_d_model() || sizes.d_model % sizes.heads == 0;
}

/// The number of blocks that a draw for a single head can fill; 0 if the tensor has none.
Index blocks(TensorId id, const Setup& setup) {
  const auto axis = info(id).block_axis();
  if (!axis) return 0;
  return info(id).axes[static_cast<std::size_t>(*axis)] == Axis::kv_columns ? setup.kv_heads() : setup.sizes.heads;
}

/// `of_each`: it is drawn for each layer.
void check_tensor_draw(Findings& findings, const Setup& setup, const TensorDraw& draw, std::size_t index,
                       bool of_each) {
  const auto key = [&] { return fmt::format("random.draws[{}]", index); };
  const auto text = [&] { return (of_each ? "L*: " : "") + to_string(PlainDraw{draw}); };
  findings.require(draw.layer < setup.sizes.layers, key, text,
                   [&] { return fmt::format("a layer from L0 to L{}", setup.sizes.layers - 1); });
  const bool torch = setup.random.generator == GeneratorKind::torch;
  const bool torch_only = is_of_torch(draw.distribution);
  findings.require(torch || !torch_only, key, text, [&] {
    return fmt::format("uniform, normal or zeros with the {} generator", to_string(setup.random.generator));
  });

  if (std::holds_alternative<PackedQkv>(draw.target)) {
    const bool square = !has_sizes(setup) || (setup.d_source() == setup.sizes.d_model &&
                                              setup.sizes.heads * setup.d_head() == setup.sizes.d_model);
    findings.require(square, key, text,
                     "W_qkv only where sizes.d_source and heads · d_head are d_model, as in nn.MultiheadAttention");
    findings.require(draw.distribution == Distribution::xavier_uniform && !draw.head, key, text,
                     "W_qkv xavier_uniform");
    findings.require(setup.kv_heads() == setup.sizes.heads, key, text,
                     "W_qkv only where sizes.kv_heads equals sizes.heads, as in nn.MultiheadAttention");
    return;
  }
  const TensorId id = std::get<TensorId>(draw.target);
  findings.require(!info(id).is_of_model() || (draw.layer == 0 && !of_each), key, text,
                   [&] { return fmt::format("{} without a layer: a model has it once", name(id)); });
  findings.require(id != TensorId::X || (draw.layer == 0 && !of_each), key, text,
                   "X in layer 0 only: above it, X is what the layer below leaves");
  findings.require(info(id).can_be_drawn(), key, text, [&] { return fmt::format("{} only as a value", name(id)); });
  findings.require(id != TensorId::X || !setup.has_task(), key, text, "no draw of X with a task, which makes it");
  const std::string_view missing = missing_for(id, setup);
  findings.require(missing.empty(), key, text, [&] { return fmt::format("{} only with {}", name(id), missing); });
  findings.require(!torch_only || info(id).kind == TensorKind::weight, key, text,
                   "linear, linear_no_bias and xavier_uniform for weights only: W_q, W_k, W_v, W_o, W_in, W_gate, "
                   "W_out, W_U");
  findings.require(std::isfinite(draw.factor), key, text, "a factor that is a finite number");
  findings.require(
      draw.factor == 1 || draw.distribution == Distribution::uniform || draw.distribution == Distribution::normal, key,
      text, "a factor for uniform and normal only");
  if (draw.head && is_size(setup.sizes.heads) && is_size(setup.kv_heads())) {
    const Index count = blocks(id, setup);
    findings.require(*draw.head >= 0 && *draw.head < count, key, text, [&] {
      return count == 0 ? fmt::format("{} as a whole: it has no blocks per head", name(id))
                        : fmt::format("a head from 0 to {}", count - 1);
    });
    findings.require(id != TensorId::W_o || draw.distribution != Distribution::linear, key, text,
                     "W_o linear as a whole: b_o belongs to no head");
  }
}

}  // namespace

bool has_sizes(const Setup& setup) {
  const Sizes& sizes = setup.sizes;
  return has_d_head(setup) && is_size(sizes.batch) && is_size(sizes.query_length) && is_size(setup.key_length()) &&
         is_size(setup.kv_heads()) && is_size(setup.d_out()) && is_size(setup.d_source());
}

std::string_view missing_for(TensorId tensor, const Setup& setup) {
  if (setup.has_attention_alone() && !exists(tensor, setup))
    return "values.weights left out: where they are given, nothing else of the layer is known";
  switch (tensor) {
    case TensorId::Y: return setup.is_cross() ? "" : "attention.source = \"cross\"";
    case TensorId::P: return setup.position.encoding == Encoding::learned ? "" : "position.encoding = \"learned\"";
    case TensorId::W_E: return setup.embedding.learned ? "" : "embedding.learned = true";
    case TensorId::W_in:
    case TensorId::b_in:
    case TensorId::W_out:
    case TensorId::b_out: return setup.has_mlp() ? "" : "block.mlp = \"relu\", \"gelu\", \"gelu_tanh\" or \"silu\"";
    case TensorId::W_gate:
    case TensorId::b_gate: return setup.has_mlp() && setup.block.gated ? "" : "block.mlp and block.gated = true";
    case TensorId::mlp_norm_gain:
    case TensorId::mlp_norm_bias:
      return setup.has_norm() && setup.has_mlp() ? "" : "norm.kind = \"layer\" or \"rms\", and block.mlp";
    case TensorId::final_norm_gain:
    case TensorId::final_norm_bias:
      return setup.has_norm() && setup.norm.final ? "" : "norm.kind = \"layer\" or \"rms\", and norm.final = true";
    case TensorId::W_U:
    case TensorId::b_U: return setup.embedding.unembed ? "" : "embedding.unembed = true";
    case TensorId::norm_gain:
    case TensorId::norm_bias: return setup.has_norm() ? "" : "norm.kind = \"layer\" or \"rms\"";
    case TensorId::q_gain:
    case TensorId::k_gain:
      return setup.attention.qk_norm && !setup.norms_all_heads()
                 ? ""
                 : "attention.qk_norm = true and attention.qk_norm_over = \"head\"";
    case TensorId::sinks: return setup.attention.sink == Sink::learned ? "" : "attention.sink = \"learned\"";
    case TensorId::q_head_gains:
    case TensorId::k_head_gains:
      return setup.norms_all_heads() ? "" : "attention.qk_norm = true and attention.qk_norm_over = \"heads\"";
    default: return "";
  }
}

bool takes_seed(GeneratorKind generator, std::int64_t seed) {
  if (generator == GeneratorKind::torch) return true;
  return seed >= 0 && (generator == GeneratorKind::numpy_rng || seed <= largest_numpy_seed);
}

void check_key_length(Findings& findings, const Setup& setup) {
  const Sizes& sizes = setup.sizes;
  if (setup.is_cross() || !sizes.key_length) return;
  findings.require(*sizes.key_length == setup.token_count(), "sizes.key_length", *sizes.key_length, [&] {
    return fmt::format("{}sizes.query_length = {}, or left out, in self-attention",
                       setup.past() > 0 ? "sizes.past + " : "", setup.token_count());
  });
}

void check_past(Findings& findings, const Setup& setup) {
  const Index past = setup.sizes.past;
  if (past <= 0 || past > largest_size) return;
  findings.require(!setup.is_cross(), "sizes.past", past,
                   "0 with attention.source = \"cross\": its keys are those of Y, all of them");
  findings.require(setup.is_cross() || !is_size(setup.sizes.query_length) || is_size(setup.token_count()), "sizes.past",
                   past, [&] { return fmt::format("at most {} with sizes.query_length", largest_size); });
}

void check_heads(Findings& findings, const Setup& setup) {
  const Sizes& sizes = setup.sizes;
  if (!is_size(sizes.heads) || !is_size(sizes.d_model) || !setup.shares_d_model()) return;
  findings.require(sizes.d_model % sizes.heads == 0, "sizes.heads", sizes.heads,
                   [&] { return fmt::format("a divisor of sizes.d_model = {}", sizes.d_model); });
}

void check_kv_heads(Findings& findings, const Setup& setup) {
  const Sizes& sizes = setup.sizes;
  if (!sizes.kv_heads || !is_size(*sizes.kv_heads) || !is_size(sizes.heads)) return;
  findings.require(sizes.heads % *sizes.kv_heads == 0, "sizes.kv_heads", *sizes.kv_heads,
                   [&] { return fmt::format("a divisor of sizes.heads = {}", sizes.heads); });
}

void check_d_source(Findings& findings, const Setup& setup) {
  const Sizes& sizes = setup.sizes;
  if (!sizes.d_source || *sizes.d_source == sizes.d_model || !is_size(sizes.d_model)) return;
  const char* key = "sizes.d_source";
  findings.require(setup.is_cross(), key, *sizes.d_source, [&] {
    return fmt::format("sizes.d_model = {}, or left out, in self-attention: keys and values come from X",
                       sizes.d_model);
  });
  findings.require(!setup.is_cross() || !setup.position.is_added(), key, *sizes.d_source, [&] {
    return fmt::format("sizes.d_model = {} with position.encoding = \"{}\": P is added to X and to Y", sizes.d_model,
                       to_string(setup.position.encoding));
  });
}

void check_labels(Findings& findings, const char* key, std::size_t count, Index length, const char* length_key,
                  const char* of) {
  if (!is_size(length)) return;
  findings.require(
      count == 0 || static_cast<Index>(count) == length, key, [&] { return fmt::format("{} labels", count); },
      [&] { return fmt::format("none, or one per {}: {} = {}", of, length_key, length); });
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

void check_list_of_heads(Findings& findings, const Setup& setup, std::string_view name,
                         const std::vector<LayerHead>& heads) {
  if (!is_size(setup.sizes.heads)) return;
  std::set<std::pair<Index, Index>> before;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const auto key = [&] { return fmt::format("{}[{}]", name, i); };
    const auto text = [&] { return to_string(heads[i]); };
    findings.require(heads[i].head >= 0 && heads[i].head < setup.sizes.heads, key, text,
                     [&] { return fmt::format("a head from 0 to {}", setup.sizes.heads - 1); });
    findings.require(heads[i].layer < setup.sizes.layers, key, text,
                     [&] { return fmt::format("a layer from L0 to L{}", setup.sizes.layers - 1); });
    findings.require(before.emplace(heads[i].layer, heads[i].head).second, key, text, "each head once");
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
  if (setup.position.encoding == Encoding::rotary && has_d_head(setup) && setup.position.fraction == 1) {
    findings.require(
        setup.d_head() % 2 == 0, key, [&] { return fmt::format("rotary with d_head = {}", setup.d_head()); },
        setup.sizes.d_head ? "rotary where sizes.d_head is even: it turns features in pairs"
                           : "rotary where d_head = sizes.d_model / sizes.heads is even: it turns features in pairs");
  }
}

void check_fraction(Findings& findings, const Setup& setup) {
  const double fraction = setup.position.fraction;
  if (setup.position.encoding != Encoding::rotary || !has_d_head(setup) || !(fraction > 0 && fraction < 1)) return;
  const Index turned = turned_features(setup);
  findings.require(turned >= 2 && turned % 2 == 0, "position.fraction", fraction, [&] {
    return fmt::format("a share of d_head = {} that is an even number of features, at least 2: {} of them is {}",
                       setup.d_head(), fraction, turned);
  });
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

void check_task(Findings& findings, const Setup& setup) {
  if (!setup.has_task()) return;
  const TaskSettings& task = setup.task;
  const auto name = [&] { return std::string(to_string(task.name)); };
  findings.require(!setup.is_cross(), "task.name", name,
                   "none with attention.source = \"cross\": it asks about X alone");
  findings.require(setup.attention.dropout == 0, "attention.dropout", setup.attention.dropout, "0 with a task");
  const Index length = setup.token_count();
  if (is_size(setup.sizes.query_length) && is_size(length)) {
    findings.require(length >= shortest_length(task.name), "sizes.query_length", setup.sizes.query_length, [&] {
      return fmt::format("at least {} with the task {}: else nothing is asked", shortest_length(task.name), name());
    });
  }
}

void check_text(Findings& findings, const Setup& setup) {
  const TaskSettings& task = setup.task;
  if (!task.is_text()) return;
  const TaskText& text = task.corpus();
  const std::string_view key = task.file.empty() && !task.text.empty() ? "task.text" : "task.file";
  findings.require(task.file.empty() || task.text.empty(), "task.text", "a text beside task.file", "one of them");
  findings.require(!text.empty(), key, "nothing", "a file of text, or lines in task.text, with the task text");
  if (text.empty()) return;
  findings.require(text.symbols() > 1, key, "no character but line breaks", "a text");
  const Index length = setup.token_count();
  if (!is_size(setup.sizes.query_length) || !is_size(length)) return;
  const Index characters = std::ssize(text.all());
  if (task.split == TextSplit::stream)
    findings.require(
        characters > length, key, [&] { return fmt::format("{} characters", characters); },
        [&] { return fmt::format("more than the {} positions of a sequence", length); });
  if (task.split == TextSplit::lines && setup.past() > 0)
    findings.require(false, "sizes.past", setup.past(), "0 where the task's sequences are lines of a text");
}

void check_shown(Findings& findings, const Setup& setup) {
  const TaskSettings& task = setup.task;
  if (!task.is_text() || task.shown.empty() || task.corpus().empty()) return;
  findings.require(
      std::ssize(task.shown) == setup.sizes.batch, "task.shown",
      [&] { return counted(task.shown.size(), "text", "texts"); },
      [&] { return fmt::format("one for each batch item: sizes.batch = {}", setup.sizes.batch); });
  const Index least = task.split == TextSplit::stream ? setup.past() + 2 : 0;
  for (std::size_t i = 0; i < task.shown.size(); ++i) {
    const TaskText::Spelled spelled = task.corpus().spelled(task.shown[i]);
    const auto key = [&] { return fmt::format("task.shown[{}]", i); };
    findings.require(
        !spelled.unknown, key, [&] { return fmt::format("\"{}\"", *spelled.unknown); },
        "characters that occur in the text");
    findings.require(
        spelled.unknown || std::ssize(spelled.symbols) >= least, key,
        [&] { return fmt::format("{} characters", spelled.symbols.size()); },
        [&] { return fmt::format("at least {}: else nothing is asked", least); });
  }
}

namespace {

/// The symbols and the answers need room, unless they are embedded.
void check_room(Findings& findings, const Setup& setup) {
  const TaskSettings& task = setup.task;
  const Index symbols = task.symbol_count();
  const Index answers = setup.embedding.unembed ? 0 : symbols;
  const Index held = setup.embedding.learned ? 0 : symbols;
  if (setup.sizes.d_out && is_size(*setup.sizes.d_out))
    findings.require(answers <= setup.d_out(), "sizes.d_out", setup.d_out(),
                     [&] { return fmt::format("at least {}: one for each of the text's characters", answers); });
  const Index needed = std::max(held, setup.sizes.d_out ? 0 : answers);
  if (is_size(setup.sizes.d_model))
    findings.require(needed <= setup.sizes.d_model, "sizes.d_model", setup.sizes.d_model, [&] {
      return fmt::format(
          "at least {}, one for each of the text's characters; or embedding.learned and "
          "embedding.unembed",
          needed);
    });
}

}  // namespace

void check_symbols(Findings& findings, const Setup& setup) {
  if (setup.task.is_text()) return check_room(findings, setup);
  if (!setup.has_task() || setup.task.symbols < 2 || !is_size(setup.task.symbols)) return;
  const TaskSettings& task = setup.task;
  const Index answers = setup.embedding.unembed ? 0 : answers_of(task.name) * task.symbols;
  if (setup.sizes.d_out && is_size(*setup.sizes.d_out)) {
    findings.require(answers <= setup.d_out(), "task.symbols", task.symbols, [&] {
      return fmt::format("at most {}: the answers need {} features of the output, and sizes.d_out = {}",
                         setup.d_out() / answers_of(task.name), answers, setup.d_out());
    });
  }
  if (is_size(setup.sizes.d_model)) {
    const Index answered = setup.sizes.d_out ? 0 : answers;
    const Index held = setup.embedding.learned ? 0 : features_of(task);
    const Index needed = std::max(held, answered);
    findings.require(needed <= setup.sizes.d_model, "task.symbols", task.symbols, [&] {
      return fmt::format("at most {}: the task {} needs {} features for {}, and sizes.d_model = {}",
                         setup.sizes.d_model / (needed / task.symbols), to_string(task.name), needed,
                         answered > held ? (answers_of(task.name) > 1 ? "its two answers" : "its answers")
                         : held == needed && task.name == TaskName::lookup ? "keys and values"
                                                                           : "its symbols",
                         setup.sizes.d_model);
    });
  }
  if (const Index length = setup.token_count(); task.name == TaskName::induction && is_size(length)) {
    const Index first = length - repeated_length(length);
    findings.require(first <= task.symbols, "task.symbols", task.symbols,
                     [&] { return fmt::format("at least {0}: the first {0} symbols of a sequence differ", first); });
  }
  if (const Index length = setup.token_count(); task.name == TaskName::lookup && is_size(length)) {
    findings.require(length <= task.symbols + 1, "task.symbols", task.symbols, [&] {
      return fmt::format("at least {0}: all {1}sizes.query_length - 1 = {0} keys differ", length - 1,
                         setup.past() > 0 ? "sizes.past + " : "");
    });
  }
}

void check_layers(Findings& findings, const Setup& setup) {
  constexpr const char* key = "sizes.layers";
  const Index layers = setup.sizes.layers;
  if (layers <= 1) return;
  findings.require(setup.block.residual, key, layers, "1 without block.residual: layers are joined by the stream");
  findings.require(!setup.is_cross(), key, layers, "1 with attention.source = \"cross\"");
  findings.require(setup.past() == 0, key, layers, "1 with sizes.past: only the first layer would see the past tokens");
  findings.require(setup.attention.dropout <= 0, key, layers, "1 while attention.dropout is above 0");
}

void check_residual(Findings& findings, const Setup& setup) {
  if (!setup.block.residual || !setup.sizes.d_out || !is_size(setup.sizes.d_model)) return;
  findings.require(*setup.sizes.d_out == setup.sizes.d_model, "sizes.d_out", *setup.sizes.d_out, [&] {
    return fmt::format("sizes.d_model = {}, or left out, with block.residual: the output is added to the input",
                       setup.sizes.d_model);
  });
}

void check_mlp(Findings& findings, const Setup& setup) {
  findings.require(!setup.has_mlp() || setup.block.residual, "block.mlp", to_string(setup.block.mlp),
                   "none without block.residual: an MLP adds to the residual stream");
}

void check_gated(Findings& findings, const Setup& setup) {
  findings.require(!setup.block.gated || setup.has_mlp(), "block.gated", "true", "false without block.mlp");
}

void check_placement(Findings& findings, const Setup& setup) {
  findings.require(setup.norm.placement == NormPlacement::before || setup.block.residual, "norm.placement", "after",
                   "before without block.residual: after is where the stream has been added to");
}

void check_final_norm(Findings& findings, const Setup& setup) {
  findings.require(!setup.norm.final || (setup.has_norm() && setup.block.residual), "norm.final", "true",
                   "false without norm.kind and block.residual");
}

void check_embedding(Findings& findings, const Setup& setup) {
  findings.require(!setup.embedding.learned || setup.has_task(), "embedding.learned", "true",
                   "false without task.name: only a task has symbols that X could be looked up by");
}

void check_unembedding(Findings& findings, const Setup& setup) {
  findings.require(!setup.embedding.unembed || setup.has_task() || setup.sizes.symbols.has_value(), "embedding.unembed",
                   "true", "false without task.name or sizes.symbols: W_U has a column for each symbol");
}

void check_symbols_size(Findings& findings, const Setup& setup) {
  if (!setup.sizes.symbols || !setup.has_task()) return;
  findings.require(*setup.sizes.symbols == setup.symbols(), "sizes.symbols", *setup.sizes.symbols, [&] {
    return setup.task.is_text() ? fmt::format("{}, the characters of the text, or left out", setup.symbols())
                                : fmt::format("task.symbols = {}, or left out, with a task", setup.symbols());
  });
}

void check_steps(Findings& findings, const Setup& setup) {
  if (setup.training.steps <= 0) return;
  findings.require(setup.has_task(), "training.steps", setup.training.steps,
                   "0 without a task.name: there is nothing to learn");
  findings.require(!setup.mask.has(MaskKind::padding), "training.steps", setup.training.steps,
                   "0 with a padding mask: its lengths belong to the sequences that are shown");
}

void check_draws(Findings& findings, const Setup& setup) {
  bool seeded = false;
  const auto& draws = setup.random.draws;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const auto key = [&] { return fmt::format("random.draws[{}]", i); };
    const auto text = [&] { return to_string(draws[i]); };
    const auto check_seed = [&](const SeedDraw& seed) {
      seeded = true;
      findings.require(takes_seed(setup.random.generator, seed.seed), key, text,
                       setup.random.generator == GeneratorKind::numpy_rng
                           ? "a seed of at least 0 with the numpy_rng generator"
                           : "a seed from 0 to 4294967295 with the numpy generator");
    };
    const auto check_tensor = [&](const TensorDraw& draw, bool of_each) {
      findings.require(seeded || draw.distribution == Distribution::zeros, key, text,
                       "a \"seed N\" before the first random draw, so that the numbers can be reproduced");
      check_tensor_draw(findings, setup, draw, i, of_each);
    };
    if (const auto* seed = std::get_if<SeedDraw>(&draws[i])) check_seed(*seed);
    if (const auto* draw = std::get_if<TensorDraw>(&draws[i])) check_tensor(*draw, false);
    const auto* const layers = std::get_if<LayerDraws>(&draws[i]);
    if (layers == nullptr) continue;
    for (const PlainDraw& each : layers->draws) {
      if (const auto* seed = std::get_if<SeedDraw>(&each)) check_seed(*seed);
      else check_tensor(std::get<TensorDraw>(each), true);
    }
  }
  findings.require(seeded || setup.attention.dropout <= 0, "random.draws", "no seed",
                   "a \"seed N\" while attention.dropout is above 0");
}

}  // namespace headlight
