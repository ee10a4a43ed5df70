#include "core/formats/layers/given_weights.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/arrays/array_file.hpp"
#include "core/model/attention_alone.hpp"
#include "core/model/problem.hpp"
#include "core/text/wording.hpp"

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

constexpr std::string_view layers_or_texts =
    "The first of four axes can be layers or texts. Both are listed: choose what it is";

const Stack* stack_of(std::string_view array) {
  const auto found = std::ranges::find(stacks, array, &Stack::array);
  return found == stacks.end() ? nullptr : &*found;
}

bool is_pattern(std::string_view array) { return array.size() > pattern_end.size() && array.ends_with(pattern_end); }

bool is_label(std::string_view array) { return array == tokens_name || array == key_tokens_name; }

/// Whether an array is called as people call attention: "attn_3", "layer3.weights", "arr_0"; or has no name at all.
bool is_common_name(std::string_view array) {
  constexpr std::array<std::string_view, 8> words{"attn",   "attention", "weights", "layer",
                                                  "layers", "block",     "arr",     "probs"};
  if (array.empty()) return true;
  const std::string name = dotted(array);
  bool is_one = false;
  std::string word;
  for (const char c : name + ".") {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      continue;
    }
    if (word.ends_with('s') && std::ranges::find(words, word) == words.end()) word.pop_back();
    is_one |= std::ranges::find(words, word) != words.end();
    if (word == "kernel" || word == "bias" || word == "weight") return false;
    word.clear();
  }
  return is_one;
}

bool may_be_weights(const ArrayInfo& array) {
  const std::size_t axes = array.extents.size();
  return array.has_numbers && axes >= 3 && axes <= 5 && std::ranges::all_of(array.extents, is_size) &&
         is_common_name(array.name);
}

/// Whether all arrays but the labels may be weights by their names and axes, with as many axes each.
template <class Arrays, class InfoOf>
bool all_may_be_weights(const Arrays& arrays, InfoOf info_of) {
  std::size_t axes = 0;
  for (const auto& each : arrays) {
    const ArrayInfo& array = info_of(each);
    if (is_label(array.name)) continue;
    if (!may_be_weights(array) || (axes != 0 && axes != array.extents.size())) return false;
    axes = array.extents.size();
  }
  return axes != 0;
}

/// Whether no number is below 0 and most rows add up to 1, or to 0 where a query sees no key.
bool has_whole_rows(const Tensor& numbers) {
  const Tensor rows = numbers.contiguous();
  const Index keys = rows.shape().back(0);
  Index whole = 0;
  bool negative = false;
  with_element_type(rows.precision(), [&](auto zero) {
    using T = decltype(zero);
    const T* const end = rows.data<T>() + rows.elements();
    for (const T* row = rows.data<T>(); row != end; row += keys) {
      negative |= std::any_of(row, row + keys, [](T number) { return number < 0; });
      whole += is_whole_row(std::accumulate(row, row + keys, 0.0)) ? 1 : 0;
    }
  });
  return !negative && 2 * whole > rows.elements() / keys;
}

/// Reads the layers of one file.
class WeightsReader {
 public:
  WeightsReader(const fs::path& file, std::shared_ptr<const NamedArrays> arrays)
      : file_(file), arrays_(std::move(arrays)) {}

  std::vector<ModelLayer> read() {
    const auto is_known = [](const StoredArray& each) {
      return stack_of(each.info.name) != nullptr || is_pattern(each.info.name);
    };
    const bool known = std::ranges::any_of(arrays_->all(), is_known);
    if (!known &&
        !all_may_be_weights(arrays_->all(), [](const StoredArray& each) -> const ArrayInfo& { return each.info; }))
      return {};
    read_token_lists();
    for (std::size_t index = 0; index < arrays_->all().size(); ++index) {
      const ArrayInfo& array = (*arrays_)[index].info;
      if (const Stack* const stack = stack_of(array.name)) add_stack(*stack, index);
      else if (is_pattern(array.name)) add_pattern(index);
      else if (!known && !is_label(array.name) && !add_common(index)) return {};
      require_few_layers(std::ssize(layers_), file_.string());
    }
    std::ranges::stable_sort(layers_, counts_before,
                             [](const Labelled& each) -> const std::string& { return each.layer.name; });
    if (!layers_.empty()) label();
    std::vector<ModelLayer> layers;
    for (Labelled& each : layers_) layers.push_back(std::move(each.layer));
    return layers;
  }

 private:
  /// A layer, and which of the lists of tokens is its own, if each text has one.
  struct Labelled {
    ModelLayer layer;
    std::optional<std::size_t> list = {};
  };

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

  void add(std::string name, std::size_t index, std::string steps, const Shape& weights, bool is_cross,
           std::optional<std::size_t> list = {}, std::string_view assumed = {}) {
    AttentionLayer layer;
    layer.path = name;
    layer.family = &weights_alone;
    layer.heads = weights[1];
    layer.is_cross = is_cross || weights[2] != weights[3];
    layer.weights = weights;
    layer.arrays.push_back({TensorId::weights, {}, index, std::move(steps)});
    if (!assumed.empty()) layer.assumed.push_back(assumed);
    layers_.push_back({{std::move(name), file_, arrays_, std::move(layer), {}, {}}, list});
  }

  /// A layer of a batch; or of each text in it, if each has tokens of its own, as a padded batch does.
  void add_layer(const std::string& name, std::size_t index, const std::string& steps, const Shape& weights,
                 bool is_cross) {
    if (!has_list_for_each(weights[0])) return add(name, index, steps, weights, is_cross);
    const Shape of_item{1, weights[1], weights[2], weights[3]};
    for (Index item = 0; item < weights[0]; ++item)
      add(fmt::format("{}, text {}", name, item), index, fmt::format("{}[{}]", steps, item), of_item, is_cross,
          static_cast<std::size_t>(item));
  }

  bool has_list_for_each(Index items) const {
    return token_lists_.size() > 1 && static_cast<Index>(token_lists_.size()) == items;
  }

  void add_stack(const Stack& stack, std::size_t index) {
    const ArrayInfo& array = (*arrays_)[index].info;
    const Shape weights = weights_of(array, 1, how_to_give_weights);
    const Index first = array.extents.front();
    require_few_layers(first, file_.string(), array.name);
    const bool may_be_batch = array.extents.size() == 4 && first > 1 && token_lists_.empty();
    if (array.extents.size() == 4 && has_list_for_each(first))
      return add_layer(std::string(stack.layer), index, "", weights_of(array, 0, ""), stack.is_cross);
    for (Index layer = 0; layer < first; ++layer) {
      const std::string name = fmt::format("{} {}", stack.layer, layer);
      const std::string steps = fmt::format("[{}]", layer);
      if (may_be_batch) add(name, index, steps, weights, stack.is_cross, {}, layers_or_texts);
      else add_layer(name, index, steps, weights, stack.is_cross);
    }
    if (may_be_batch)
      add(fmt::format("or {}: one layer of {} texts", array.name.empty() ? "all of it" : array.name, first), index, "",
          weights_of(array, 0, ""), stack.is_cross, {}, layers_or_texts);
  }

  void add_pattern(std::size_t index) {
    const ArrayInfo& array = (*arrays_)[index].info;
    const Shape weights = weights_of(array, 0, "(batch, heads, query, key) or (heads, query, key)");
    add_layer(array.name.substr(0, array.name.size() - pattern_end.size()), index, "", weights, false);
  }

  /// An array of one layer among others, or the only one; false if its numbers are no weights.
  bool add_common(std::size_t index) {
    const StoredArray& array = (*arrays_)[index];
    const std::ptrdiff_t all =
        std::ranges::count_if(arrays_->all(), [](const StoredArray& each) { return !is_label(each.info.name); });
    const std::size_t axes = array.info.extents.size();
    if (axes == 5 && all > 1) return false;
    if (!has_whole_rows(
            files_.at(array.file)
                .read(array.info.name, default_memory_limit, axes == 5 ? std::optional<Index>(0) : std::nullopt)))
      return false;
    const std::string name = array.info.name.empty() ? file_.stem().string() : array.info.name;
    // Headlight calls a batch of one layer `weights` itself.
    if (all > 1 || axes == 3 || name == "weights")
      add_layer(name, index, "", weights_of(array.info, 0, how_to_give_weights), false);
    else add_stack({name, "layer"}, index);
    return true;
  }

  Labels texts(std::string_view name) {
    const StoredArray* const array = arrays_->find("", name);
    return std::make_shared<const std::vector<std::string>>(array == nullptr ? std::vector<std::string>()
                                                                             : files_.at(array->file).read_texts(name));
  }

  /// The tokens, a list for each batch item or one list for all; none where the file has none.
  void read_token_lists() {
    const StoredArray* const array = arrays_->find("", tokens_name);
    if (array == nullptr) return;
    const Labels all = texts(tokens_name);
    std::size_t lists = 1;
    const std::vector<Index>& extents = array->info.extents;
    for (std::size_t axis = 0; axis + 1 < extents.size(); ++axis) lists *= static_cast<std::size_t>(extents[axis]);
    const std::size_t length = lists == 0 ? 0 : all->size() / lists;
    for (std::size_t list = 0; list < lists; ++list)
      token_lists_.push_back(std::make_shared<const std::vector<std::string>>(
          all->begin() + static_cast<std::ptrdiff_t>(list * length),
          all->begin() + static_cast<std::ptrdiff_t>((list + 1) * length)));
  }

  /// Labels the positions that are as many as the tokens.
  void label() {
    const Labels of_keys = texts(key_tokens_name);
    bool is_used = token_lists_.empty(), is_used_for_keys = of_keys->empty();
    for (auto& [layer, list] : layers_) {
      const Shape& weights = *layer.layer.weights;
      const bool labels_keys = layer.layer.is_cross && std::ssize(*of_keys) == weights[3];
      if (labels_keys) layer.key_tokens = of_keys;
      is_used_for_keys |= labels_keys;
      if (token_lists_.empty() || (token_lists_.size() > 1 && !list)) continue;
      const Labels& tokens = token_lists_[list.value_or(0)];
      if (std::ssize(*tokens) == weights[2]) layer.tokens = tokens;
      if (!labels_keys && layer.layer.is_cross && std::ssize(*tokens) == weights[3]) layer.key_tokens = tokens;
      is_used |= layer.tokens != nullptr || (layer.key_tokens != nullptr && !labels_keys);
    }
    if (!is_used && token_lists_.size() > 1) refuse_lists();
    if (!is_used) refuse_labels(tokens_name, *token_lists_.front(), "one for each query or key");
    if (!is_used_for_keys) refuse_labels(key_tokens_name, *of_keys, "one for each key of cross-attention");
  }

  [[noreturn]] void refuse_lists() const {
    const Shape& weights = *layers_.front().layer.layer.weights;
    throw InputError({file_.string(), std::string(tokens_name),
                      fmt::format("shape ({}, {})", token_lists_.size(), token_lists_.front()->size()),
                      fmt::format("a single list of texts, or one for each batch item: {} has {} of {} positions",
                                  layers_.front().layer.name, weights[0], weights[2])});
  }

  [[noreturn]] void refuse_labels(std::string_view name, const std::vector<std::string>& labels,
                                  std::string_view allowed) const {
    const ModelLayer& first = layers_.front().layer;
    const Shape& weights = *first.layer.weights;
    throw InputError({file_.string(), std::string(name), counted(labels.size(), "label", "labels"),
                      fmt::format("{}: {} has {} queries and {} keys", allowed, first.name, weights[2], weights[3])});
  }

  fs::path file_;
  std::shared_ptr<const NamedArrays> arrays_;
  ArrayFiles files_;
  std::vector<Labels> token_lists_;
  std::vector<Labelled> layers_;
};

}  // namespace

bool are_given_weights(const std::vector<ArrayInfo>& arrays) {
  const auto are_weights = [](const ArrayInfo& one) { return stack_of(one.name) != nullptr || is_pattern(one.name); };
  if (std::ranges::any_of(arrays, are_weights))
    return std::ranges::all_of(arrays, [&](const ArrayInfo& one) { return are_weights(one) || is_label(one.name); });
  // What our own trace may hold alone is work to be checked.
  return std::ranges::none_of(arrays, [](const ArrayInfo& one) { return one.name.empty() || one.name == "weights"; }) &&
         all_may_be_weights(arrays, [](const ArrayInfo& one) -> const ArrayInfo& { return one; });
}

std::vector<ModelLayer> layers_of_given_weights(const fs::path& file,
                                                const std::shared_ptr<const NamedArrays>& arrays) {
  return WeightsReader(file, arrays).read();
}

}  // namespace headlight
