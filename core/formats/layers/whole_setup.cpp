#include "core/formats/layers/whole_setup.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/formats/arrays/array_file.hpp"
#include "core/formats/layers/captured.hpp"
#include "core/formats/layers/described_settings.hpp"
#include "core/formats/layers/layer_numbers.hpp"
#include "core/formats/setup/setup_file.hpp"
#include "core/setup/validity.hpp"
#include "core/text/characters.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

using enum TensorId;

/// Fills a setup step by step.
class ChainSetup {
 public:
  ChainSetup(const WholeModel& whole, std::int64_t limit)
      : whole_(whole), layer_(whole.attention), model_(*whole.arrays), limit_(limit) {}

  Setup made() {
    setup_.title = title();
    set_described(setup_, layer_);
    set_sizes();
    set_settings();
    require_few_numbers();
    give_numbers();
    give_input();
    set_masks();
    label();
    require_valid(setup_, whole_.file.string());
    return std::move(setup_);
  }

 private:
  std::string title() const {
    std::string layers = counted(whole_.stored, "layer", "layers");
    if (whole_.layers < whole_.stored) layers = fmt::format("{} of {}", whole_.layers, layers);
    else if (!whole_.cut.empty()) layers += ", in part";
    return fmt::format("{} ({}, {})", whole_.file.stem().string(), whole_.family->name, layers);
  }

  void set_sizes() {
    Sizes& sizes = setup_.sizes;
    sizes.layers = whole_.layers;
    sizes.query_length = whole_.length;
    if (whole_.input) sizes.batch = model_[*whole_.input].info.extents[0];
    if (whole_.mlp != Mlp::none && whole_.d_mlp != 4 * sizes.d_model) sizes.d_mlp = whole_.d_mlp;
    if (whole_.columns > 0) sizes.symbols = whole_.columns;
  }

  void set_settings() {
    if (whole_.positions) setup_.position = {.encoding = Encoding::learned};
    setup_.norm = {.kind = whole_.family->norm,
                   .epsilon = whole_.epsilon,
                   .placement = whole_.placement,
                   .final = whole_.has_last_norm()};
    setup_.block = {
        .residual = true, .mlp = whole_.mlp, .gated = whole_.mlp != Mlp::none && !whole_.family->block.gate.empty()};
    setup_.embedding.unembed = whole_.columns > 0;
    setup_.attention.precision = Precision::float32;
  }

  void require_few_numbers() const {
    std::set<const StoredArray*> read;
    for (const ChainArray& each : whole_.numbers) read.insert(&model_[each.array.array]);
    for (const LayerArray& each : whole_.ends) read.insert(&model_[each.array]);
    for (const auto& each : {whole_.input, whole_.embedding, whole_.positions})
      if (each) read.insert(&model_[*each]);
    require_few(read, {whole_.file.string(), std::string(first_bytes(whole_.stack, 200)), "a model of", ""}, limit_);
  }

  void give(const LayerArray& array, Index layer) {
    GivenNumbers numbers = given_numbers(model_[array.array], array.steps, array.added, files_);
    if (numbers.tensor().precision() == Precision::float64) setup_.attention.precision = Precision::float64;
    setup_.values.set({array.tensor, array.part, std::move(numbers), layer});
  }

  void give_numbers() {
    for (const ChainArray& each : whole_.numbers) give(each.array, each.layer);
    for (const LayerArray& each : whole_.ends) give(each, 0);
  }

  void give_input() {
    const std::string first_rows = fmt::format("[0:{}]", whole_.length);
    if (whole_.input) return give({X, {}, *whole_.input, "", 0}, 0);
    if (whole_.positions) give({P, {}, *whole_.positions, first_rows, 0}, 0);
    if (!whole_.symbols.empty()) {
      for (Index i = 0; i < whole_.length; ++i) {
        const std::string row = fmt::format("[{}]", whole_.symbols[static_cast<std::size_t>(i)]);
        const PartItem first{true, 0, std::nullopt, std::nullopt}, position{true, i, std::nullopt, std::nullopt};
        give({X, {first, position}, *whole_.embedding, row, 0}, 0);
      }
    } else if (whole_.embedding) {
      give({X, {}, *whole_.embedding, first_rows, 0}, 0);
    } else {
      setup_.random.generator = GeneratorKind::torch;
      setup_.random.draws = {SeedDraw{0}, TensorDraw{X, std::nullopt, Distribution::normal}};
    }
  }

  void set_masks() {
    if (const StoredArray* const mask = model_.find("", captured::mask); mask != nullptr && whole_.input) {
      const bool causal = layer_.is_causal && layer_.arithmetic.causal == CausalMask::always;
      setup_.mask = captured_mask(*mask, setup_, causal, files_, limit_);
      return;
    }
    setup_.mask = described_masks(layer_, whole_.length);
  }

  void label() {
    if (whole_.tokens && std::ssize(*whole_.tokens) == whole_.length) setup_.tokens = *whole_.tokens;
    for (const Index symbol : whole_.symbols) setup_.tokens.push_back(fmt::format("{}", symbol));
  }

  const WholeModel& whole_;
  const AttentionLayer& layer_;
  const NamedArrays& model_;
  std::int64_t limit_;
  ArrayFiles files_;
  Setup setup_;
};

std::string words_of_input(const WholeModel& whole) {
  if (whole.input) return "X is what entered the first layer when the model ran";
  if (!whole.embedding) return "X is drawn, because nothing in the file makes an input";
  const std::string& name = (*whole.arrays)[*whole.embedding].info.name;
  if (!whole.symbols.empty()) return fmt::format("X holds rows of {}, one for each symbol of the text", name);
  return fmt::format("X holds the rows 0 to {} of {}: the symbols with these numbers. --symbols gives others",
                     whole.length - 1, name);
}

std::string comments_on(const WholeModel& whole) {
  std::string text =
      fmt::format("# A model of {}: {}.\n# {}.\n", whole.family->name, whole.in_words(), words_of_input(whole));
  for (const std::string& what : whole.remarks()) text += fmt::format("# {}.\n", what);
  for (const std::string& what : whole.assumed) text += fmt::format("# {}.\n", what);
  return text;
}

}  // namespace

Setup whole_setup(const WholeModel& whole, std::int64_t limit) {
  if (!whole.problems.empty()) throw InputError(whole.problems);
  return ChainSetup(whole, limit).made();
}

std::string whole_setup_text(const WholeModel& whole, const std::filesystem::path& folder, std::int64_t limit) {
  const Setup setup = whole_setup(whole, limit);
  return comments_on(whole) + write_setup(setup, folder);
}

}  // namespace headlight
