// The attention layers of a model: a config.json or an index in the first line, then an array in each line, as
// "h.0.attn.c_attn.weight 8 24". What is recognised has arrays that fit it; the rest is said in words.
#include "core/formats/layers/attention_layers.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/formats/layers/read_whole.hpp"
#include "core/formats/values/array_reference.hpp"
#include "core/text/numbers.hpp"
#include "tests/fuzz/target.hpp"

namespace headlight::fuzz {
namespace {

constexpr const char* file = "model.safetensors";
constexpr std::size_t most_arrays = 200;

std::string_view taken_until(std::string_view& text, char end) {
  const auto at = text.find(end);
  const std::string_view start = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return start;
}

std::vector<StoredArray> arrays_of(std::string_view text) {
  std::vector<StoredArray> arrays;
  while (!text.empty() && arrays.size() < most_arrays) {
    std::string_view line = taken_until(text, '\n');
    StoredArray array{file, {std::string(taken_until(line, ' ')), {}, "F32"}};
    while (!line.empty()) {
      const auto extent = number_from<Index>(taken_until(line, ' '));
      if (extent && *extent >= 0) array.info.extents.push_back(*extent);
    }
    arrays.push_back(std::move(array));
  }
  return arrays;
}

void judge_layer(const AttentionLayer& layer, const std::vector<StoredArray>& arrays) {
  for (const Problem& problem : layer.problems) {
    require(!problem.source.empty() && !problem.found.empty() && !problem.allowed.empty(), "a problem says all of it");
  }
  if (!layer.problems.empty()) return;
  require(layer.heads > 0 && layer.head_columns % layer.heads == 0, "the heads divide the columns of the queries");
  require(layer.kv_heads > 0 && layer.heads % layer.kv_heads == 0, "the key and value heads divide the heads");
  require(layer.arrays.size() >= 4, "every weight has an array");
  for (const LayerArray& each : layer.arrays) {
    require(each.array < arrays.size(), "an array of a layer is one of the model");
    const auto reference = parse_array_reference(std::string(file) + ":w" + each.steps);
    require(reference && reference->steps == each.steps, "a setup can say what is done to the array");
  }
}

/// Only headers are read: nothing is computed in no time.
void judge_whole(const WholeModel& whole, const std::vector<StoredArray>& arrays) {
  require(whole.problems.empty() == (whole.layers > 0), "a chain has layers, or a problem says why not");
  for (const Problem& problem : whole.problems)
    require(!problem.found.empty() && !problem.allowed.empty(), "a problem says all of it");
  require(whole.layers == whole.stored || !whole.cut.empty() || !whole.problems.empty(), "a cut is said");
  for (const ChainArray& each : whole.numbers) {
    require(each.layer < whole.layers, "an array of the chain is one of its layers'");
    require(each.array.array < arrays.size(), "an array of the chain is one of the model");
  }
}

}  // namespace

void judge(std::string_view bytes) {
  const std::string_view document = taken_until(bytes, '\n');
  try {
    files_of_index(document, "index.json");
  } catch (const InputError& error) {
    require_told(error, "index.json");
  }
  KnownHeads heads;
  try {
    heads.config = parse_model_config(document, "config.json");
  } catch (const InputError& error) {
    require_told(error, "config.json");
  }
  const std::vector<StoredArray> arrays = arrays_of(bytes);
  OpenModel model{
      .path = file, .arrays = {std::make_shared<const NamedArrays>(arrays)}, .layers = {}, .config = heads.config};
  for (AttentionLayer& layer : attention_layers(arrays, heads, file)) {
    judge_layer(layer, arrays);
    std::string name = layer.path;
    model.layers.push_back({std::move(name), file, model.arrays.front(), std::move(layer), {}, {}});
  }
  judge_whole(whole_model(model, {}), arrays);
}

}  // namespace headlight::fuzz
