#include "core/formats/layers/layer_setup.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "core/formats/arrays/array_file.hpp"
#include "core/formats/layers/captured.hpp"
#include "core/formats/layers/described_settings.hpp"
#include "core/formats/layers/layer_numbers.hpp"
#include "core/formats/layers/model_arrays.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "core/model/attention_alone.hpp"
#include "core/model/problem.hpp"
#include "core/setup/validity.hpp"
#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

namespace fs = std::filesystem;
using enum TensorId;

/// If the length of a text is unknown: enough to see who looks at whom.
constexpr Index drawn_length = 8;

/// The output of a layer that ends with its heads side by side.
GivenNumbers identity(Index width) {
  Tensor rows = Tensor::zeros(Precision::float32, {width, width});
  for (Index i = 0; i < width; ++i) rows.writable<float>()[i * width + i] = 1;
  return GivenNumbers(rows);
}

ArrayPart features(Index first, Index count, Index all) {
  if (count == all) return {};
  return {PartItem{}, PartItem{}, PartItem{false, first, first + count, std::nullopt}};
}

/// Fills a setup step by step.
class LayerSetup {
 public:
  LayerSetup(const ModelLayer& layer, ArrayFiles& files, std::int64_t limit)
      : whole_(layer), layer_(layer.layer), model_(*layer.arrays), files_(files), limit_(limit) {}

  Setup made() {
    if (layer_.weights) {
      give_attention_alone();
    } else {
      setup_.title = title(whole_.file);
      set_described(setup_, layer_);
      set_sizes();
      set_lengths();
      require_few_numbers();
      give_weights();
      give_inputs();
      set_masks();
    }
    if (whole_.tokens) setup_.tokens = *whole_.tokens;
    if (whole_.key_tokens) setup_.key_tokens = *whole_.key_tokens;
    require_valid(setup_, whole_.file.string());
    return std::move(setup_);
  }

 private:
  GivenNumbers numbers_of(const StoredArray& array, const std::string& steps) {
    return given_numbers(array, steps, 0, files_);
  }

  /// Of a layer of which only the weights are known. A mask is what all heads' zeros look like, if they look like one.
  void give_attention_alone() {
    const auto& [batch, heads, queries, keys] =
        std::tuple((*layer_.weights)[0], (*layer_.weights)[1], (*layer_.weights)[2], (*layer_.weights)[3]);
    const LayerArray& array = layer_.arrays.front();
    const GivenNumbers numbers = numbers_of(model_[array.array], array.steps);
    setup_.title = fmt::format("{} of {}", whole_.name, whole_.file.filename().string());
    setup_.sizes.batch = batch;
    setup_.sizes.heads = heads;
    setup_.sizes.query_length = queries;
    if (layer_.is_cross) {
      setup_.attention.source = Source::cross;
      setup_.sizes.key_length = keys;
    }
    setup_.attention.precision = numbers.tensor().precision();
    setup_.values.set(weights, {}, numbers);
    if (const auto masks = masks_that_hide(zeros_of_all_heads(numbers.tensor()), false);
        masks && !masks->has(MaskKind::custom))
      setup_.mask = *masks;
  }

  /// (batch, query, key): 1 where the weight is 0 in every head. The weights may lack the batch.
  static Tensor zeros_of_all_heads(const Tensor& weights) {
    const Tensor rows = weights.contiguous();
    const Shape& shape = rows.shape();
    const Index batch = shape.rank() == 4 ? shape[0] : 1;
    const Index heads = shape.back(2), cells = shape.back(1) * shape.back(0);
    Tensor zeros = Tensor::uninitialized(Precision::float32, {batch, shape.back(1), shape.back(0)});
    std::fill_n(zeros.writable<float>(), zeros.elements(), 1.0f);
    with_element_type(rows.precision(), [&](auto zero) {
      using T = decltype(zero);
      const T* from = rows.data<T>();
      for (Index item = 0; item < batch; ++item)
        for (Index head = 0; head < heads; ++head)
          for (Index cell = 0; cell < cells; ++cell, ++from)
            if (*from != 0) zeros.writable<float>()[item * cells + cell] = 0;
    });
    return zeros;
  }

  /// A captured file is called like its layer. The title is all that a window shows of where a setup came from, so it
  /// also says what is doubtful.
  std::string title(const fs::path& file) const {
    std::string family(layer_.name());
    if (!layer_.unchecked.empty()) family = layer_.unchecked + ", not checked";
    if (!layer_.not_computed.empty()) family += ", in part";
    const bool same = layer_.path.empty() || file.stem() == layer_.path;
    return same ? fmt::format("{} ({})", file.stem().string(), family)
                : fmt::format("{} of {} ({})", layer_.path, file.filename().string(), family);
  }

  void set_sizes() {
    Sizes& sizes = setup_.sizes;
    sizes.query_length = drawn_length;
    if (layer_.d_out != layer_.d_model) sizes.d_out = layer_.d_out;
    if (!layer_.is_cross) return;
    if (layer_.d_source() != layer_.d_model) sizes.d_source = layer_.d_source();
    setup_.attention.source = Source::cross;
    sizes.key_length = drawn_length;
  }

  void give_weights() {
    setup_.attention.precision = Precision::float32;
    for (const LayerArray& each : layer_.arrays) {
      const GivenNumbers numbers = given_numbers(model_[each.array], each.steps, each.added, files_);
      if (numbers.tensor().precision() == Precision::float64) setup_.attention.precision = Precision::float64;
      setup_.values.set(each.tensor, each.part, numbers);
    }
    if (layer_.family->ends_with_heads()) setup_.values.set(W_o, {}, identity(layer_.head_columns));
  }

  /// An input of the file, if it has this many features for each position of a batch item.
  const StoredArray* input(std::string_view name, Index features_of_it) const {
    const StoredArray* const array = model_.find("", name);
    if (array == nullptr) return nullptr;
    const std::vector<Index>& extents = array->info.extents;
    return extents.size() == 3 && extents[2] == features_of_it ? array : nullptr;
  }

  const StoredArray* x() const {
    const StoredArray* const normed = input(captured::n, layer_.d_model);
    return normed != nullptr ? normed : input(captured::x, layer_.d_model);
  }

  /// The first of the arrays that Y is made of.
  const StoredArray* y() const {
    const StoredArray* const whole = input(captured::y, layer_.key_features);
    return whole != nullptr ? whole : input(captured::keys_from, layer_.key_features);
  }

  /// Those of the inputs, before any numbers are read.
  void set_lengths() {
    if (const StoredArray* const queries = x()) {
      setup_.sizes.batch = queries->info.extents[0];
      setup_.sizes.query_length = queries->info.extents[1];
    }
    const StoredArray* const keys = layer_.is_cross ? y() : nullptr;
    if (keys != nullptr) setup_.sizes.key_length = keys->info.extents[1];
  }

  void require_few_numbers() const {
    std::set<const StoredArray*> read{x(), layer_.is_cross ? y() : nullptr};
    for (const LayerArray& each : layer_.arrays) read.insert(&model_[each.array]);
    require_few(read, {whole_.file.string(), std::string(first_bytes(layer_.path, 200)), "a layer of", ""}, limit_);
  }

  void give_inputs() {
    if (const StoredArray* const queries = x()) setup_.values.set(X, {}, numbers_of(*queries, ""));
    else draw(X);
    if (!layer_.is_cross) return;
    bool given = give_y(captured::y, 0, layer_.key_features) || give_y(captured::keys_from, 0, layer_.key_features);
    if (layer_.own_values) given &= give_y(captured::values_from, layer_.key_features, layer_.value_features);
    if (!given) draw(Y);
  }

  bool give_y(std::string_view name, Index first, Index count) {
    const StoredArray* const array = input(name, count);
    if (array == nullptr) return false;
    setup_.values.set(Y, features(first, count, layer_.d_source()), numbers_of(*array, ""));
    return true;
  }

  void draw(TensorId input) {
    RandomSettings& random = setup_.random;
    random.generator = GeneratorKind::torch;
    if (random.draws.empty()) random.draws.push_back(SeedDraw{0});
    random.draws.push_back(TensorDraw{input, std::nullopt, Distribution::normal});
  }

  void set_masks() {
    const StoredArray* const mask = model_.find("", captured::mask);
    if (mask != nullptr) {
      const bool causal = layer_.is_causal && layer_.arithmetic.causal == CausalMask::always;
      setup_.mask = captured_mask(*mask, setup_, causal, files_, limit_);
      return;
    }
    setup_.mask = described_masks(layer_, setup_.sizes.query_length);
  }

  const ModelLayer& whole_;
  const AttentionLayer& layer_;
  const NamedArrays& model_;
  ArrayFiles& files_;
  std::int64_t limit_;
  Setup setup_;
};

std::string comments(const AttentionLayer& layer, const Setup& setup) {
  if (layer.weights) {
    std::string text = "# Attention weights, and nothing that they were computed from.\n";
    const std::string doubts = doubts_about_rows(setup.values.whole(weights)->tensor());
    if (!doubts.empty()) text += fmt::format("# {}.\n", doubts);
    if (!setup.mask.kinds.empty()) text += "# The mask is where every head has zeros.\n";
    for (const std::string_view what : layer.assumed) text += fmt::format("# {}.\n", what);
    return text;
  }
  const bool drawn = !setup.random.draws.empty();
  std::string text = fmt::format("# A layer of {}. X is the input of the layer itself, after any norm{}.\n",
                                 layer.name(), drawn ? "; here it is drawn, because the file has none" : "");
  if (!layer.unchecked.empty()) text += fmt::format("# {}.\n", layer.doubt());
  if (layer.family->ends_with_heads()) text += "# It has no output projection: W_o is the identity.\n";
  if (!layer.not_computed.empty()) {
    text += fmt::format("# The layer also has {}, which this setup does not compute: its numbers differ.\n",
                        listed(layer.not_computed, " and "));
  }
  if (layer.sliding_window && !setup.mask.has(MaskKind::window) && *layer.sliding_window > setup.key_length())
    text += fmt::format("# Its queries see {} keys at most, more than there are here.\n", *layer.sliding_window);
  for (const std::string& what : layer.findings) text += fmt::format("# {}.\n", what);
  for (const std::string_view what : layer.assumed) text += fmt::format("# {}.\n", what);
  return text;
}

}  // namespace

Setup layer_setup(const ModelLayer& layer, ArrayFiles& files, std::int64_t limit) {
  if (!layer.layer.problems.empty()) throw InputError(layer.layer.problems);
  return LayerSetup(layer, files, limit).made();
}

Setup layer_setup(const ModelLayer& layer, std::int64_t limit) {
  ArrayFiles files;
  return layer_setup(layer, files, limit);
}

std::string layer_setup_text(const ModelLayer& layer, const fs::path& folder, std::int64_t limit) {
  const Setup setup = layer_setup(layer, limit);
  return comments(layer.layer, setup) + write_setup(setup, folder);
}

}  // namespace headlight
