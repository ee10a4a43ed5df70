#include "core/formats/layers/captured_results.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "core/engine/cost.hpp"
#include "core/engine/engine.hpp"
#include "core/formats/arrays/array_file.hpp"
#include "core/formats/layers/captured.hpp"
#include "core/formats/layers/captured_numbers.hpp"
#include "core/formats/layers/layer_setup.hpp"
#include "core/model/problem.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

constexpr std::string_view captured_output = "output";

/// Longer than this nobody wants to wait for a list of layers.
constexpr double longest_seconds = 0.5;

/// The output of a captured layer, computed with one setting or another.
class Trial {
 public:
  explicit Trial(const ModelLayer& layer, Tensor theirs) : layer_(layer), theirs_(std::move(theirs)) {}

  /// Of the layer as it would be; infinite where it can't be computed.
  double difference_of(const AttentionLayer& candidate) {
    ModelLayer whole = layer_;
    whole.layer = candidate;
    const Setup setup = layer_setup(whole, default_memory_limit);
    const auto trace = engine_.compute(setup);
    const Tensor& ours = (*trace)[TensorId::output];
    return ours.shape() == theirs_.shape() ? difference(ours, theirs_) : std::numeric_limits<double>::infinity();
  }

 private:
  const ModelLayer& layer_;
  Tensor theirs_;
  Engine engine_;
};

/// What a layer might do otherwise than its names or its config.json say, the likeliest first.
std::vector<AttentionLayer> candidates(const AttentionLayer& layer, bool has_mask) {
  const double base = layer.position.base;
  std::vector<PositionSettings> positions{layer.position, PositionSettings{}};
  if (layer.heads > 0 && layer.d_head() % 2 == 0)
    for (const PairLayout layout : {PairLayout::half, PairLayout::interleaved})
      positions.push_back({.encoding = Encoding::rotary, .base = base, .layout = layout});
  std::vector<AttentionLayer> all;
  for (const Scale& scale : std::array<Scale, 3>{layer.scale, InverseSqrtDHead{}, NoScale{}}) {
    for (const bool flips : {false, true}) {
      if (flips && (has_mask || layer.is_cross)) continue;
      for (const PositionSettings& position : positions) {
        all.push_back(layer);
        all.back().scale = scale;
        all.back().is_causal = layer.is_causal != flips;
        all.back().position = position;
      }
    }
  }
  return all;
}

std::string in_words(const PositionSettings& position) {
  if (position.encoding == Encoding::none) return "no positions of its own";
  if (position.encoding == Encoding::alibi) return "ALiBi";
  return fmt::format("rotary positions of {} (base {})", position.layout == PairLayout::half ? "halves" : "neighbours",
                     position.base);
}

/// Which settings the results told.
std::string told(const AttentionLayer& before, const AttentionLayer& after) {
  std::vector<std::string> words;
  if (!(before.position == after.position)) words.push_back(in_words(after.position));
  if (before.is_causal != after.is_causal) words.emplace_back(after.is_causal ? "a causal mask" : "no causal mask");
  if (before.scale != after.scale)
    words.emplace_back(std::holds_alternative<NoScale>(after.scale) ? "no scale" : "the scale 1 / √d_head");
  return fmt::format("Its captured output tells that it has {}", listed(words, " and "));
}

void decide(ModelLayer& whole, const StoredArray& output) {
  AttentionLayer& layer = whole.layer;
  if (estimated_seconds(layer_setup(whole, default_memory_limit)) > longest_seconds) {
    layer.findings.emplace_back("It is too large to be compared with its captured output at once");
    return;
  }
  const Tensor theirs = read_array(output.file, output.info.name);
  const double allowed = rounding_of(theirs) * magnitude(theirs);
  Trial trial(whole, theirs);
  const double first = trial.difference_of(layer);
  if (first <= allowed) return;
  const bool has_mask = whole.arrays->has("", captured::mask);
  for (const AttentionLayer& candidate : candidates(layer, has_mask)) {
    if (trial.difference_of(candidate) > allowed) continue;
    std::string finding = told(layer, candidate);
    layer = candidate;
    layer.assumed.clear();
    layer.not_computed.clear();
    layer.findings.push_back(std::move(finding));
    return;
  }
  layer.findings.push_back(
      fmt::format("Our output differs from the captured one by up to {:.2g}, where that is up to {:.2g}: the layer "
                  "computes something else",
                  first, magnitude(theirs)));
}

}  // namespace

void decide_by_results(ModelLayer& whole) {
  const NamedArrays& arrays = *whole.arrays;
  const StoredArray* const output = arrays.find("", captured_output);
  if (output == nullptr || !arrays.has("", captured::x) || !whole.layer.problems.empty() || whole.layer.weights) return;
  if (output->info.extents.size() != 3 || !output->info.has_numbers) return;
  try {
    decide(whole, *output);
  } catch (const InputError&) {
    // What is wrong with its numbers or its masks is said when the layer is opened.
  }
}

}  // namespace headlight
