// The commands for a model of one's own: its attention layers as setups, and a program that captures them.
#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/commands/commands.hpp"
#include "app/commands/streams.hpp"
#include "app/commands/table.hpp"
#include "core/formats/files.hpp"
#include "core/formats/layers/attention_layers.hpp"
#include "core/formats/layers/captured.hpp"
#include "core/formats/layers/families.hpp"
#include "core/formats/layers/given_weights.hpp"
#include "core/formats/layers/layer_setup.hpp"
#include "core/formats/layers/open_model.hpp"
#include "core/formats/layers/read_whole.hpp"
#include "core/formats/layers/whole_setup.hpp"
#include "core/model/attention_alone.hpp"
#include "core/model/problem.hpp"

// assets/capture.py, inside the program.
extern "C" const char _binary_capture_py_start[];
extern "C" const char _binary_capture_py_end[];

namespace headlight {
namespace {

namespace fs = std::filesystem;

std::string count(Index number) { return number == 0 ? "?" : fmt::format("{}", number); }

/// "q k v o": the projections that have a bias.
std::string biases(const AttentionLayer& layer, const NamedArrays& model) {
  constexpr std::array<std::string_view, 4> letters{"q", "k", "v", "o"};
  std::vector<std::string_view> there;
  for (const Projection each : all_projections) {
    const auto at = static_cast<std::size_t>(each);
    if (model.has(layer.path, layer.family->projections[at].bias.name)) there.push_back(letters[at]);
  }
  return there.empty() ? "-" : fmt::format("{}", fmt::join(there, " "));
}

std::string kind(const AttentionLayer& layer, const NamedArrays& model) {
  if (!layer.weights && layer.d_model == 0) return "?";
  if (layer.weights)
    return fmt::format("{} of {} × {}", layer.is_cross ? "cross" : "self", (*layer.weights)[2], (*layer.weights)[3]);
  const std::string_view source = layer.is_cross ? "cross" : "self";
  if (model.has("", captured::mask)) return fmt::format("{}, masks captured", source);
  return fmt::format("{}{}", source, layer.is_causal ? ", causal" : "");
}

std::vector<std::string> row(std::size_t number, const ModelLayer& whole) {
  const AttentionLayer& layer = whole.layer;
  const NamedArrays& model = *whole.arrays;
  return {fmt::format("{}", number), layer.path.empty() ? "-" : whole.name,
          std::string(layer.name()), count(layer.d_model),
          count(layer.heads),        count(layer.kv_heads),
          count(layer.d_head()),     biases(layer, model),
          kind(layer, model)};
}

/// Each only once, with the layers that it is about.
class Notes {
 public:
  void add(std::size_t layer, std::string words) {
    const auto [at, is_new] = places_.emplace(words, notes_.size());
    if (is_new) notes_.push_back({std::move(words), {}});
    notes_[at->second].layers.push_back(layer);
  }
  std::string text() const {
    std::string text;
    for (const Note& note : notes_) text += fmt::format("\n{}: {}", places_of(note), note.words);
    return text.empty() ? text : text + "\n";
  }

 private:
  struct Note {
    std::string words;
    std::vector<std::size_t> layers;
  };

  static std::string places_of(const Note& note) {
    const auto [first, last] = std::pair(note.layers.front(), note.layers.back());
    if (note.layers.size() == 1) return fmt::format("layer {}", first);
    if (last - first + 1 == note.layers.size()) return fmt::format("layers {} to {}", first, last);
    return fmt::format("layers {}", fmt::join(note.layers, ", "));
  }

  std::vector<Note> notes_;
  std::unordered_map<std::string, std::size_t> places_;  ///< of the words among the notes
};

/// Of this machine, in bytes: what the numbers of a layer may take.
std::int64_t half_of_the_memory() {
  return static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) / 2 * static_cast<std::int64_t>(::sysconf(_SC_PAGE_SIZE));
}

/// If only the weights of a layer are known: what is odd about them, or why they can't be weights.
std::string doubts_about(const ModelLayer& layer, ArrayFiles& files) {
  if (!layer.layer.weights) return {};
  try {
    return doubts_about_rows(layer_setup(layer, files, half_of_the_memory()).values.whole(TensorId::weights)->tensor());
  } catch (const InputError& error) {
    return "no setup: " + error.problems().front().message();
  }
}

std::string text_of(const std::vector<ModelLayer>& layers) {
  std::vector<std::vector<std::string>> rows;
  Notes notes;
  ArrayFiles files;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    rows.push_back(row(i, layers[i]));
    const AttentionLayer& layer = layers[i].layer;
    for (std::string& what : layer.remarks()) notes.add(i, std::move(what));
    for (const std::string_view what : layer.assumed) notes.add(i, std::string(what));
    for (const Problem& problem : layer.problems) notes.add(i, "no setup: " + problem.message());
    if (const std::string doubts = doubts_about(layers[i], files); !doubts.empty()) notes.add(i, doubts);
  }
  return table({"layer", "name", "family", "d_model", "heads", "kv_heads", "d_head", "biases", "attention"}, rows) +
         notes.text();
}

[[noreturn]] void refuse_unknown(const fs::path& file, std::span<const StoredArray> arrays) {
  constexpr std::size_t most_names = 8;
  std::vector<std::string_view> names;
  for (const StoredArray& array : arrays.first(std::min(arrays.size(), most_names))) names.push_back(array.info.name);
  throw InputError({file.string(), "",
                    fmt::format("no attention layer among {} arrays ({}{})", arrays.size(), fmt::join(names, ", "),
                                names.size() < arrays.size() ? ", ..." : ""),
                    fmt::format("{}; or {}", usual_arrays, how_to_give_weights)});
}

const ModelLayer& chosen(const std::vector<ModelLayer>& layers, Index layer) {
  if (layer >= 0 && layer < static_cast<Index>(layers.size())) return layers[static_cast<std::size_t>(layer)];
  throw InputError({"--layer", "", fmt::format("{}", layer), fmt::format("a layer from 0 to {}", layers.size() - 1)});
}

/// Longer than this nobody wants to wait for a table.
constexpr double most_seconds = 0.5;

/// What can be computed of the model as a whole, or why nothing can; empty where its layers are in no blocks.
std::string words_of_whole(const OpenModel& model) {
  if (!has_blocks(model) || !model.layers.front().layer.problems.empty()) return {};
  const WholeModel whole = whole_model(model, {.seconds = most_seconds});
  if (!whole.problems.empty()) return fmt::format("\nno whole model: {}\n", whole.problems.front().message());
  std::string text = fmt::format("\nthe whole model (--whole): {}", whole.in_words());
  for (const std::string& remark : whole.remarks()) text += fmt::format("\nthe whole model: {}", remark);
  for (const std::string& what : whole.assumed) text += fmt::format("\nthe whole model: {}", what);
  return text + "\n";
}

std::string text_of_whole(const OpenModel& model, const std::vector<Index>& symbols, const fs::path& folder) {
  const WholeModel whole = whole_model(model, {.symbols = symbols, .seconds = std::numeric_limits<double>::infinity()});
  return whole_setup_text(whole, folder, half_of_the_memory());
}

constexpr std::string_view no_projections = "PROJECTIONS = []";

/// The families whose projections are modules, those with the same names together, as Python's list of tuples.
std::string projections() {
  using Modules = std::array<std::string_view, 4>;
  std::vector<std::pair<Modules, std::vector<std::string_view>>> rows;
  for (const Family& family : families()) {
    const auto modules = projection_modules(family);
    if (!modules) continue;
    const auto known = std::ranges::find(rows, *modules, &std::pair<Modules, std::vector<std::string_view>>::first);
    if (known == rows.end()) rows.push_back({*modules, {family.name}});
    else known->second.push_back(family.name);
  }
  std::string text = "PROJECTIONS = [\n";
  for (const auto& [modules, names] : rows)
    text += fmt::format("    (\"{}\"),  # {}\n", fmt::join(modules, "\", \""), fmt::join(names, ", "));
  return text + "]";
}

constexpr std::string_view no_blocks = "BLOCKS = []";

/// The modules of the blocks that are known, and the keys of their config.json, as Python's list of dictionaries.
std::string blocks() {
  std::string text = "BLOCKS = [\n";
  for (const BlockFamily& each : block_families()) {
    const auto& [norm, mlp_norm, in, gate, out] = each.block;
    const std::array<std::pair<std::string_view, std::string_view>, 11> entries{
        {{"attention", each.attention},
         {"norm", norm},
         {"mlp_norm", mlp_norm},
         {"in", in},
         {"gate", gate},
         {"out", out},
         {"end", each.ends.norm},
         {"unembedding", each.ends.unembedding},
         {"bend", each.bend.key},
         {"epsilon", each.epsilon.key == nullptr ? "" : each.epsilon.key},
         {"norm_first", each.norm_first == nullptr ? "" : each.norm_first}}};
    std::vector<std::string> words;
    for (const auto& [key, word] : entries) words.push_back(fmt::format("\"{}\": \"{}\"", key, word));
    text += fmt::format("    {{{}}},  # {}\n", fmt::join(words, ", "), each.name);
  }
  return text + "]";
}

}  // namespace

int show_layers(const LayersArguments& arguments) {
  if (arguments.output && !arguments.layer && !arguments.whole)
    throw InputError({"--output", "", "it without --layer or --whole",
                      "with --whole, or with --layer N, the number of a layer in the table"});
  const OpenModel model = open_model(arguments.file, arguments.heads);
  if (model.layers.empty()) refuse_unknown(arguments.file, model.arrays.front()->all());
  if (!arguments.layer && !arguments.whole) {
    print_words(text_of(model.layers) + words_of_whole(model));
    return done;
  }
  const fs::path folder = arguments.output ? folder_of(*arguments.output) : from_root(".");
  const std::string text = arguments.whole
                               ? text_of_whole(model, arguments.symbols, folder)
                               : layer_setup_text(chosen(model.layers, *arguments.layer), folder, half_of_the_memory());
  if (arguments.output) write_file(*arguments.output, text);
  else print(text);
  return done;
}

int write_capture_program(const std::optional<std::filesystem::path>& output) {
  std::string text(_binary_capture_py_start, _binary_capture_py_end);
  text.replace(text.find(no_projections), no_projections.size(), projections());
  text.replace(text.find(no_blocks), no_blocks.size(), blocks());
  if (output) write_file(*output, text);
  else print(text);
  return done;
}

}  // namespace headlight
