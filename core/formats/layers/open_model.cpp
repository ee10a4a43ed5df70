#include "core/formats/layers/open_model.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/formats/files.hpp"
#include "core/formats/json.hpp"
#include "core/formats/layers/attention_layers.hpp"
#include "core/formats/layers/captured.hpp"
#include "core/formats/layers/captured_results.hpp"
#include "core/formats/layers/given_weights.hpp"
#include "core/formats/layers/layer_heads.hpp"
#include "core/formats/layers/model_config.hpp"
#include "core/model/problem.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// What capture.py calls its index: desktops know by the ending that Headlight opens it. It was "index.json" before.
constexpr const char* index_name = "index.headlight.json";
constexpr const char* old_index_name = "index.json";
constexpr const char* a_captured_index =
    "the index of a captured model, {\"version\": 1, \"layers\": [{\"name\": \"h.0.attn\", \"file\": "
    "\"h.0.attn.npz\"}, ...]}";

/// What the index of a captured model says.
struct CapturedIndex {
  struct Entry {
    std::string name;
    fs::path file;
  };
  std::vector<std::string> tokens;
  std::vector<Entry> layers;
  fs::path whole;  ///< the file of the whole model; empty where there is none
};

class IndexReader {
 public:
  IndexReader(const Json& document, std::string source) : document_(document), source_(std::move(source)) {}

  CapturedIndex read() const {
    const Json version = document_.value("version", Json());
    if (version != 1) fail("version", found(version), "1");
    CapturedIndex index{tokens(), {}, whole()};
    const Json layers = document_.value("layers", Json());
    if (!layers.is_array() || layers.empty()) fail("layers", found(layers), "a list of at least one layer");
    require_few_layers(std::ssize(layers), source_, "layers");
    for (std::size_t i = 0; i < layers.size(); ++i) index.layers.push_back(entry(layers[i], i));
    return index;
  }

 private:
  [[noreturn]] void fail(std::string key, std::string found, std::string allowed) const {
    throw InputError({source_, std::move(key), std::move(found), std::move(allowed)});
  }
  static std::string found(const Json& value) {
    return value.is_null() ? "nothing" : std::string(first_bytes(value.dump(), 200));
  }

  std::vector<std::string> tokens() const {
    const Json list = document_.value("tokens", Json());
    if (list.is_null()) return {};
    if (!list.is_array()) fail("tokens", found(list), "a list of strings, one for each position");
    std::vector<std::string> tokens;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!list[i].is_string()) fail(fmt::format("tokens[{}]", i), found(list[i]), "a string");
      tokens.push_back(list[i].get<std::string>());
    }
    return tokens;
  }

  fs::path whole() const {
    const Json file = document_.value("whole", Json());
    if (file.is_null()) return {};
    if (!file.is_string()) fail("whole", found(file), a_file);
    return beside("whole", file.get<std::string>());
  }

  fs::path beside(const std::string& key, const std::string& file) const {
    if (fs::path(file).filename() == file && fs::path(file).extension() == ".npz") return file;
    fail(key, fmt::format("\"{}\"", first_bytes(file, 200)), a_file);
  }

  CapturedIndex::Entry entry(const Json& layer, std::size_t number) const {
    const auto text = [&](const char* key) {
      const Json value = layer.is_object() ? layer.value(key, Json()) : Json();
      if (!value.is_string() || value.get<std::string>().empty())
        fail(fmt::format("layers[{}].{}", number, key), found(value), "a string");
      return value.get<std::string>();
    };
    return {text("name"), beside(fmt::format("layers[{}].file", number), text("file"))};
  }

  static constexpr const char* a_file = "the name of an .npz file beside the index";

  const Json& document_;
  std::string source_;
};

/// How many positions an input has that the file holds; 0 if it holds none.
Index positions_of(const NamedArrays& arrays, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names)
    if (const StoredArray* const array = arrays.find("", name); array != nullptr && array->info.extents.size() == 3)
      return array->info.extents[1];
  return 0;
}

/// Whether the tokens became labels of the layer's queries or keys.
bool label(ModelLayer& layer, const Labels& tokens) {
  const NamedArrays& arrays = *layer.arrays;
  const Index count = std::ssize(*tokens);
  const bool queries = positions_of(arrays, {captured::n, captured::x}) == count;
  const bool keys = layer.layer.is_cross && positions_of(arrays, {captured::y, captured::keys_from}) == count;
  if (queries) layer.tokens = tokens;
  if (keys) layer.key_tokens = tokens;
  return queries || keys;
}

std::vector<ModelLayer> layers_in(const fs::path& file, const std::shared_ptr<const NamedArrays>& arrays,
                                  std::optional<Index> heads, const ModelConfig& config) {
  const KnownHeads known{heads, captured_heads(*arrays), config};
  std::vector<ModelLayer> layers;
  for (AttentionLayer& layer : attention_layers(*arrays, known, file.string())) {
    std::string name = layer.path.empty() ? file.stem().string() : layer.path;
    layers.push_back({std::move(name), file, arrays, std::move(layer), {}, {}});
    decide_by_results(layers.back());
  }
  if (std::ranges::none_of(layers, [](const ModelLayer& each) { return each.layer.problems.empty(); }))
    if (auto alone = layers_of_given_weights(file, arrays); !alone.empty()) layers = std::move(alone);
  return layers;
}

/// The layer of an entry: the one of its name, or the only one of its file.
ModelLayer layer_of(const CapturedIndex::Entry& entry, const std::vector<ModelLayer>& layers,
                    const std::string& source) {
  const auto same = std::ranges::find(layers, entry.name, &ModelLayer::name);
  const auto found = same == layers.end() && layers.size() == 1 ? layers.begin() : same;
  if (found == layers.end())
    throw InputError({source, entry.name, fmt::format("no such attention layer in {}", entry.file.string()),
                      "a file with this layer's arrays, prefixed with its name"});
  ModelLayer layer = *found;
  layer.name = entry.name;
  return layer;
}

OpenModel open_captured(const fs::path& index_file, const CapturedIndex& index, std::optional<Index> heads) {
  const fs::path folder = index_file.parent_path();
  OpenModel model{.path = folder,
                  .arrays = {},
                  .layers = {},
                  .config = read_model_config(folder),
                  .heads = heads,
                  .is_captured = true,
                  .whole = index.whole.empty() ? fs::path() : folder / index.whole};
  const auto tokens = std::make_shared<const std::vector<std::string>>(index.tokens);
  bool labelled = tokens->empty();
  std::map<fs::path, std::vector<ModelLayer>> known;  // an index may name the same file again and again
  for (const CapturedIndex::Entry& entry : index.layers) {
    const fs::path file = folder / entry.file;
    auto layers = known.find(file);
    if (layers == known.end()) {
      const auto arrays = std::make_shared<const NamedArrays>(list_model(file));
      model.arrays.push_back(arrays);
      layers = known.emplace(file, layers_in(file, arrays, heads, model.config)).first;
    }
    model.layers.push_back(layer_of(entry, layers->second, index_file.string()));
    if (!tokens->empty() && label(model.layers.back(), tokens)) labelled = true;
  }
  if (!labelled)
    throw InputError({index_file.string(), "tokens", fmt::format("{} tokens", index.tokens.size()),
                      "one for each position of the input of at least one layer"});
  return model;
}

}  // namespace

OpenModel open_model_file(const fs::path& file, std::optional<Index> heads, const ModelConfig& config) {
  const auto arrays = std::make_shared<const NamedArrays>(list_model(file));
  return {.path = file,
          .arrays = {arrays},
          .layers = layers_in(file, arrays, heads, config),
          .config = config,
          .heads = heads};
}

fs::path model_file_in(const fs::path& folder) {
  constexpr std::array names{index_name, old_index_name, "model.safetensors.index.json", "model.safetensors"};
  for (const char* name : names)
    if (is_file(folder / name)) return folder / name;
  std::error_code error;
  fs::directory_iterator(folder, error);
  if (error) throw InputError({folder.string(), "", error.message(), "a folder that can be read"});
  throw InputError({folder.string(), "", "a folder without an index.headlight.json",
                    "a folder that capture wrote, or one with a model.safetensors"});
}

OpenModel open_model(const fs::path& path, std::optional<Index> heads) {
  const fs::path file = is_folder(path) ? model_file_in(path) : path;
  if (file.filename() != old_index_name && !file.filename().string().ends_with(".headlight.json"))
    return open_model_file(file, heads, read_model_config(file.parent_path()));
  const std::string source = file.string();
  const Json document = parse_json_object(read_text(file), source, a_captured_index);
  if (document.contains("weight_map")) return open_model_file(file, heads, read_model_config(file.parent_path()));
  return open_captured(file, IndexReader(document, source).read(), heads);
}

}  // namespace headlight
