#include "core/formats/layers/attention_layers.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/layers/captured.hpp"
#include "core/formats/layers/layer_arrays.hpp"
#include "core/formats/layers/layer_positions.hpp"
#include "core/formats/layers/layer_reader.hpp"
#include "core/formats/layers/named_arrays.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

/// Every path that has a weight of any family behind it.
std::set<std::string> paths_in(const NamedArrays& model) {
  std::set<std::string_view> names;
  for (const Family& family : families())
    for (const std::string_view name : weight_names(family)) names.insert(name);
  std::set<std::string> paths;
  for (const StoredArray& array : model.all()) {
    const std::string_view whole = array.info.name;
    for (const std::string_view name : names) {
      if (whole == name) paths.insert("");
      else if (whole.size() > name.size() && whole.ends_with(name) && whole[whole.size() - name.size() - 1] == '.')
        paths.emplace(whole.substr(0, whole.size() - name.size() - 1));
    }
  }
  return paths;
}

/// Whether "layers.2" comes before "layers.10": runs of digits are compared as numbers.
bool counts_before(std::string_view a, std::string_view b) {
  const auto digits = [](std::string_view text) { return std::min(text.find_first_not_of("0123456789"), text.size()); };
  while (!a.empty() && !b.empty()) {
    const std::size_t of_a = digits(a);
    const std::size_t of_b = digits(b);
    if (of_a > 0 && of_b > 0 && of_a != of_b) return of_a < of_b;
    const std::size_t step = of_a > 0 && of_b > 0 ? of_a : 1;
    const int order = a.substr(0, step).compare(b.substr(0, step));
    if (order != 0) return order < 0;
    a.remove_prefix(step);
    b.remove_prefix(step);
  }
  return a.size() < b.size();
}

bool is_causal(const AttentionLayer& layer, const NamedArrays& model, const ModelConfig& config) {
  if (layer.is_cross || layer.family->causal == CausalMask::never) return false;
  if (layer.family->causal == CausalMask::always || config.is_decoder) return true;
  if (layer.path.find("decoder") != std::string::npos) return true;
  const std::string_view parent = parent_of(layer.path);
  return std::ranges::any_of(cross_attention_names(),
                             [&](std::string_view name) { return model.has_below(joined(parent, name)); });
}

/// Where the layer stands in its model: the number in "model.layers.3.self_attn"; 0 where there is none.
Index place_in_model(std::string_view path) {
  const auto digit = path.find_first_of("0123456789");
  if (digit == std::string_view::npos) return 0;
  const std::string_view from = path.substr(digit);
  return number_from<Index>(from.substr(0, from.find('.'))).value_or(0);
}

std::optional<Index> sliding_window(const AttentionLayer& layer, const ModelConfig& config) {
  if (!config.sliding_window || layer.family->causal != CausalMask::always || layer.is_cross) return std::nullopt;
  if (!config.sliding_window->is_of(place_in_model(layer.path))) return std::nullopt;
  return config.sliding_window->keys;
}

/// Of the families whose weights are all there the first whose shapes fit; else the one of which most are there.
std::optional<AttentionLayer> layer_at(const std::string& path, const NamedArrays& model, const KnownHeads& heads,
                                       const std::string& source) {
  std::optional<AttentionLayer> best;
  std::size_t most = 0;
  bool best_complete = false;
  for (const Family& family : families()) {
    LayerReader reader(model, family, path);
    const bool complete = reader.is_complete();
    if (!reader.is_likely() || best_complete > complete) continue;
    const std::size_t found = reader.found();
    AttentionLayer layer = reader.read(source);
    if (complete && layer.problems.empty()) {
      count_heads(layer, model, heads, source);
      if (layer.problems.empty()) place_arrays(layer, model);
      know_positions(layer, heads.config);
      layer.is_causal = is_causal(layer, model, heads.config);
      layer.sliding_window = sliding_window(layer, heads.config);
      return layer;
    }
    if (best && complete == best_complete && found <= most) continue;
    best = std::move(layer);
    most = found;
    best_complete = complete;
  }
  return best;
}

}  // namespace

std::vector<AttentionLayer> attention_layers(std::span<const StoredArray> arrays, const KnownHeads& heads,
                                             const std::string& source) {
  const NamedArrays model(arrays);
  std::vector<AttentionLayer> layers;
  for (const std::string& path : paths_in(model))
    if (auto layer = layer_at(path, model, heads, source)) layers.push_back(std::move(*layer));
  std::ranges::sort(layers, counts_before, &AttentionLayer::path);
  return layers;
}

ModelLayers layers_of_model(const std::filesystem::path& file, std::optional<Index> heads) {
  ModelLayers model{.arrays = list_model(file), .layers = {}};
  const KnownHeads known{heads, captured_heads(NamedArrays(model.arrays)), read_model_config(file.parent_path())};
  model.layers = attention_layers(model.arrays, known, file.string());
  return model;
}

std::string known_families() {
  std::vector<std::pair<std::string, std::vector<std::string_view>>> all;  // names of weights, and who has them
  for (const Family& family : families()) {
    const std::string weights = fmt::format("{}", fmt::join(weight_names(family), ", "));
    if (all.empty() || all.back().first != weights) all.push_back({weights, {}});
    std::vector<std::string_view>& names = all.back().second;
    if (std::ranges::find(names, family.name) == names.end()) names.push_back(family.name);
  }
  std::vector<std::string> words;
  for (const auto& [weights, names] : all) words.push_back(fmt::format("{} ({})", fmt::join(names, ", "), weights));
  return fmt::format("{}", fmt::join(words, "; "));
}

}  // namespace headlight
