#include "core/formats/layers/model_arrays.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/formats/files.hpp"
#include "core/formats/json.hpp"
#include "core/model/problem.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* an_index = "the index of a model, {\"weight_map\": {\"array\": \"file.safetensors\", ...}}";
constexpr const char* a_model =
    "a .safetensors or .npz file, an .npy array of attention weights, or the .index.json of a model in several files";

/// Files of models that need their own library, with the lines that convert them.
void refuse_other_kinds(const fs::path& path) {
  const std::string ending = path.extension().string(), stem = path.stem().string();
  if (ending == ".h5" || ending == ".hdf5" || ending == ".keras")
    throw InputError({path.string(), "", fmt::format("{}, a file of Keras (HDF5)", ending),
                      fmt::format("an .npz file; in Python: model.load_weights(\"{}\"); np.savez(\"{}.npz\", "
                                  "**{{w.path: np.array(w) for w in model.weights}})",
                                  path.filename().string(), stem)});
  if (ending == ".gguf")
    throw InputError({path.string(), "", ".gguf, quantised weights of llama.cpp",
                      "the files that it was made from; or capture the layers of the running model: headlight capture "
                      "-o capture.py"});
  if (ending == ".msgpack")
    throw InputError({path.string(), "", ".msgpack, a file of Flax",
                      "an .npz file; in Python: from flax.traverse_util import flatten_dict; np.savez(\"model.npz\", "
                      "**flatten_dict(params, sep=\"/\"))"});
}

}  // namespace

std::vector<std::string> files_of_index(std::string_view text, const std::string& source) {
  const Json document = parse_json_object(text, source, an_index);
  const auto fail = [&](const std::string& key, std::string found, const char* allowed) {
    throw InputError({source, std::string(first_bytes(key, 200)), std::move(found), allowed});
  };
  if (!document.contains("weight_map") || !document["weight_map"].is_object()) fail("", "no weight_map", an_index);
  std::set<std::string> files;
  for (const auto& [name, value] : document["weight_map"].items()) {
    if (!value.is_string()) fail(name, "a value that is not a file name", an_index);
    const auto file = value.get<std::string>();
    if (fs::path(file).filename() != file || fs::path(file).extension() != ".safetensors")
      fail(name, fmt::format("\"{}\"", first_bytes(file, 200)), "the name of a .safetensors file beside the index");
    files.insert(file);
  }
  if (files.empty()) fail("weight_map", "no arrays", an_index);
  return {files.begin(), files.end()};
}

std::vector<StoredArray> list_model(const fs::path& path) {
  refuse_pickle(path);
  std::vector<fs::path> files{path};
  const std::string ending = ending_of(path);
  if (ending == ".json") {
    files.clear();
    for (const std::string& file : files_of_index(read_text(path), path.string()))
      files.push_back(path.parent_path() / file);
  } else if (ending != ".safetensors" && ending != ".npz" && ending != ".npy") {
    const FileReader there(path);  // throws if it isn't
    refuse_other_kinds(path);
    throw InputError({path.string(), "", ending.empty() ? "a name without an ending" : ending, a_model});
  }
  std::vector<StoredArray> arrays;
  for (const fs::path& file : files) {
    for (ArrayInfo& info : list_arrays(file)) arrays.push_back({file, std::move(info)});
    require_few_arrays(arrays.size(), path.string());
  }
  return arrays;
}

void require_few_layers(Index layers, const std::string& source, std::string_view array) {
  constexpr Index most_layers = 10'000;
  if (layers <= most_layers) return;
  throw InputError({source, std::string(first_bytes(array, 200)), fmt::format("{} layers", layers),
                    fmt::format("up to {}", most_layers)});
}

std::string joined(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
}

std::string dotted(std::string_view name) {
  if (name.ends_with(":0")) name.remove_suffix(2);
  std::string with_dots(name);
  std::ranges::replace(with_dots, '/', '.');
  return with_dots;
}

std::string_view last_name(std::string_view path) { return path.substr(path.rfind('.') + 1); }

std::string_view parent_of(std::string_view path) {
  const auto dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
}

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

NamedArrays::NamedArrays(std::vector<StoredArray> arrays) : arrays_(std::move(arrays)) {
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    sorted_.push_back(dotted(arrays_[i].info.name));
    indices_.emplace(sorted_.back(), i);
  }
  std::ranges::sort(sorted_);
}

std::optional<std::size_t> NamedArrays::index_of(std::string_view path, std::string_view name) const {
  const auto found = indices_.find(joined(path, name));
  if (found == indices_.end()) return std::nullopt;
  return found->second;
}

const StoredArray* NamedArrays::find(std::string_view path, std::string_view name) const {
  const auto at = index_of(path, name);
  return at ? &arrays_[*at] : nullptr;
}

bool NamedArrays::has_below(std::string_view path) const {
  const std::string start = joined(path, "");
  const auto first = std::ranges::lower_bound(sorted_, start);
  return first != sorted_.end() && first->starts_with(start);
}

}  // namespace headlight
