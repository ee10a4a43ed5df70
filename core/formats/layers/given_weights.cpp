#include "core/formats/layers/given_weights.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/arrays/array_file.hpp"
#include "core/model/problem.hpp"

namespace headlight {

const std::string_view how_to_give_weights =
    "attentions, (layers, batch, heads, query, key) or (layers, heads, query, key), of a model of from_pretrained(..., "
    "attn_implementation=\"eager\"); in Python: attentions = torch.stack(model(**inputs, output_attentions=True)"
    ".attentions); np.savez(\"attentions.npz\", attentions=attentions.detach().float().cpu().numpy(), "
    "tokens=tokenizer.convert_ids_to_tokens(inputs[\"input_ids\"][0]))";

namespace {

namespace fs = std::filesystem;

constexpr std::string_view tokens_name = "tokens";
constexpr std::string_view key_tokens_name = "key_tokens";
constexpr std::string_view pattern_end = ".hook_pattern";

/// An array with an entry for each layer, and how its layers are called.
struct Stack {
  std::string_view array;
  std::string_view layer;
  bool is_cross = false;
};
constexpr std::array<Stack, 4> stacks{{{"attentions", "layer"},
                                       {"encoder_attentions", "encoder layer"},
                                       {"decoder_attentions", "decoder layer"},
                                       {"cross_attentions", "cross layer", true}}};

/// What the layers have in place of a family.
constexpr Family weights_alone{.name = "attention alone", .projections = {}};

const Stack* stack_of(std::string_view array) {
  const auto found = std::ranges::find(stacks, array, &Stack::array);
  return found == stacks.end() ? nullptr : &*found;
}

bool is_pattern(std::string_view array) { return array.size() > pattern_end.size() && array.ends_with(pattern_end); }

/// Reads the layers of one file.
class WeightsReader {
 public:
  WeightsReader(const fs::path& file, std::shared_ptr<const NamedArrays> arrays)
      : file_(file), arrays_(std::move(arrays)) {}

  std::vector<ModelLayer> read() {
    for (std::size_t index = 0; index < arrays_->all().size(); ++index) {
      const ArrayInfo& array = (*arrays_)[index].info;
      if (const Stack* const stack = stack_of(array.name)) add_stack(*stack, index);
      else if (is_pattern(array.name)) add_pattern(index);
      require_few_layers(std::ssize(layers_), file_.string());
    }
    std::ranges::stable_sort(layers_, counts_before, &ModelLayer::name);
    if (!layers_.empty()) label();
    return std::move(layers_);
  }

 private:
  [[noreturn]] void refuse(const ArrayInfo& array, std::string_view allowed) const {
    const bool is_number = array.has_numbers;
    throw InputError({file_.string(), array.name,
                      is_number ? fmt::format("shape ({})", fmt::join(array.extents, ", "))
                                : fmt::format("{}, which is not a type of numbers", array.type),
                      std::string(allowed)});
  }

  /// The last axes as (batch, head, query, key), without `leading` axes before them.
  Shape weights_of(const ArrayInfo& array, std::size_t leading, std::string_view allowed) const {
    const std::vector<Index>& all = array.extents;
    const std::size_t axes = all.size() < leading ? 0 : all.size() - leading;
    const bool are_sizes = std::ranges::all_of(all, is_size);
    if (!array.has_numbers || (axes != 3 && axes != 4) || !are_sizes) refuse(array, allowed);
    const std::vector<Index> last(all.begin() + static_cast<std::ptrdiff_t>(leading), all.end());
    Shape shape;
    if (axes == 3) shape.push_back(1);
    for (const Index extent : last) shape.push_back(extent);
    return shape;
  }

  void add(std::string name, std::size_t index, std::string steps, const Shape& weights, bool is_cross) {
    AttentionLayer layer;
    layer.path = name;
    layer.family = &weights_alone;
    layer.heads = weights[1];
    layer.is_cross = is_cross || weights[2] != weights[3];
    layer.weights = weights;
    layer.arrays.push_back({TensorId::weights, {}, index, std::move(steps)});
    layers_.push_back({std::move(name), file_, arrays_, std::move(layer), {}, {}});
  }

  void add_stack(const Stack& stack, std::size_t index) {
    const ArrayInfo& array = (*arrays_)[index].info;
    const Shape weights = weights_of(array, 1, how_to_give_weights);
    require_few_layers(array.extents.front(), file_.string(), array.name);
    for (Index layer = 0; layer < array.extents.front(); ++layer)
      add(fmt::format("{} {}", stack.layer, layer), index, fmt::format("[{}]", layer), weights, stack.is_cross);
  }

  void add_pattern(std::size_t index) {
    const ArrayInfo& array = (*arrays_)[index].info;
    const Shape weights = weights_of(array, 0, "(batch, heads, query, key) or (heads, query, key)");
    add(array.name.substr(0, array.name.size() - pattern_end.size()), index, "", weights, false);
  }

  Labels texts(std::string_view name) const {
    const StoredArray* const array = arrays_->find("", name);
    return std::make_shared<const std::vector<std::string>>(
        array == nullptr ? std::vector<std::string>() : open_arrays(array->file)->read_texts(name));
  }

  /// Labels the positions that are as many as the tokens.
  void label() {
    const Labels tokens = texts(tokens_name), key_tokens = texts(key_tokens_name);
    bool is_used = tokens->empty(), is_used_for_keys = key_tokens->empty();
    for (ModelLayer& layer : layers_) {
      const Shape& weights = *layer.layer.weights;
      const bool labels_keys = layer.layer.is_cross && std::ssize(*key_tokens) == weights[3];
      if (std::ssize(*tokens) == weights[2]) layer.tokens = tokens;
      if (labels_keys) layer.key_tokens = key_tokens;
      else if (layer.layer.is_cross && std::ssize(*tokens) == weights[3]) layer.key_tokens = tokens;
      is_used |= layer.tokens != nullptr || (layer.key_tokens != nullptr && !labels_keys);
      is_used_for_keys |= labels_keys;
    }
    if (!is_used) refuse_labels(tokens_name, *tokens, "one for each query or key");
    if (!is_used_for_keys) refuse_labels(key_tokens_name, *key_tokens, "one for each key of cross-attention");
  }

  [[noreturn]] void refuse_labels(std::string_view name, const std::vector<std::string>& labels,
                                  std::string_view allowed) const {
    const Shape& weights = *layers_.front().layer.weights;
    throw InputError(
        {file_.string(), std::string(name), fmt::format("{} label{}", labels.size(), labels.size() == 1 ? "" : "s"),
         fmt::format("{}: {} has {} queries and {} keys", allowed, layers_.front().name, weights[2], weights[3])});
  }

  fs::path file_;
  std::shared_ptr<const NamedArrays> arrays_;
  std::vector<ModelLayer> layers_;
};

}  // namespace

bool are_given_weights(const std::vector<ArrayInfo>& arrays) {
  const auto are_weights = [](const ArrayInfo& one) { return stack_of(one.name) != nullptr || is_pattern(one.name); };
  return std::ranges::any_of(arrays, are_weights) && std::ranges::all_of(arrays, [&](const ArrayInfo& one) {
           return are_weights(one) || one.name == tokens_name || one.name == key_tokens_name;
         });
}

std::vector<ModelLayer> layers_of_given_weights(const fs::path& file,
                                                const std::shared_ptr<const NamedArrays>& arrays) {
  return WeightsReader(file, arrays).read();
}

}  // namespace headlight
