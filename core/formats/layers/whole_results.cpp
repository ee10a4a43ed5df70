#include "core/formats/layers/whole_results.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/engine/engine.hpp"
#include "core/formats/arrays/array_file.hpp"
#include "core/formats/layers/captured_numbers.hpp"
#include "core/formats/layers/whole_setup.hpp"
#include "core/model/problem.hpp"
#include "core/model/shapes.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

/// How far an array of the file is from what we compute in its place.
struct Compared {
  double difference = 0;
  double magnitude = 0;
  bool agrees = false;
};

/// Many roundings of float32, one after the other, but not another function: exact GELU and GPT-2's differ by more.
double rounding_of_chain(const Tensor& theirs) {
  constexpr double of_float64 = 1e-9, of_float32 = 2e-5;
  if (theirs.precision() == Precision::float64) return of_float64;
  const double kept = rounding_of(theirs);
  return kept > 1e-3 ? kept : of_float32;
}

Compared compared(const Tensor& ours, const Tensor& theirs) {
  if (!(ours.shape() == theirs.shape())) return {std::numeric_limits<double>::infinity(), magnitude(theirs), false};
  Compared found{difference(ours, theirs), magnitude(theirs), false};
  found.agrees = found.difference <= rounding_of_chain(theirs) * found.magnitude;
  return found;
}

/// What leaves a layer.
TensorId leaving(const Setup& setup) {
  return exists(TensorId::N_mlp_post, setup)   ? TensorId::N_mlp_post
         : exists(TensorId::resid_post, setup) ? TensorId::resid_post
                                               : TensorId::N_post;
}

/// For reading and computing it: rough, and known before anything is read.
double seconds_for(const WholeModel& whole) {
  constexpr double per_number = 1e-8, per_product = 4e-10;
  const NamedArrays& arrays = *whole.arrays;
  double numbers = 0;
  for (const ChainArray& each : whole.numbers)
    numbers += static_cast<double>(Shape(arrays[each.array.array].info.extents).elements());
  const double texts = whole.input ? static_cast<double>(arrays[*whole.input].info.extents[0]) : 1;
  return numbers * (per_number + per_product * texts * static_cast<double>(whole.length));
}

/// The whole model beside what its file says of its streams.
class ChainTrial {
 public:
  explicit ChainTrial(const NamedArrays& arrays) : arrays_(arrays) {}

  const StoredArray* stream(Index layer) const {
    for (const std::string_view name : {"resid_post", "N_mlp_post"})
      if (const StoredArray* const array = arrays_.find(fmt::format("L{}", layer), name)) return array;
    return nullptr;
  }
  bool has_streams() const { return stream(0) != nullptr; }

  /// The streams after each layer of the chain, as far as they agree, and the first that doesn't.
  std::vector<Compared> streams(const WholeModel& whole) {
    const Setup setup = whole_setup(whole, default_memory_limit);
    engine_.compute(setup);
    std::vector<Compared> all;
    for (Index layer = 0; layer < whole.layers; ++layer) {
      const StoredArray* const array = stream(layer);
      if (array == nullptr) break;
      const Trace& trace = *engine_.model().layers[static_cast<std::size_t>(layer)];
      all.push_back(compared(trace[leaving(trace.setup)], read_array(array->file, array->info.name)));
      if (!all.back().agrees) break;
    }
    return all;
  }

  /// After streams(): a tensor at the top; nothing if the file or the chain has none. A model that writes may score the
  /// last position alone.
  std::optional<Compared> end(TensorId tensor) const {
    const Trace& last = *engine_.model().layers.back();
    const StoredArray* const array = arrays_.find("", name(tensor));
    if (array == nullptr || !exists(tensor, last.setup)) return std::nullopt;
    const Tensor theirs = read_array(array->file, array->info.name);
    Tensor ours = last[tensor];
    if (theirs.shape().rank() == 3 && theirs.shape()[1] == 1) ours = ours.narrowed(1, ours.shape()[1] - 1, 1);
    return compared(ours, theirs);
  }

 private:
  const NamedArrays& arrays_;
  Engine engine_;
};

/// What the model may do where no file tells, as it is assumed first.
std::vector<WholeModel> candidates(const WholeModel& whole) {
  std::vector<WholeModel> all;
  for (const NormPlacement placement : {NormPlacement::before, NormPlacement::after})
    for (const Mlp mlp : {Mlp::relu, Mlp::gelu, Mlp::gelu_tanh, Mlp::silu}) {
      const bool is_same = placement == whole.placement && mlp == whole.mlp;
      if ((placement != whole.placement && !whole.placement_is_assumed) || (mlp != whole.mlp && !whole.bend_is_assumed))
        continue;
      const auto at = is_same ? all.begin() : all.end();
      const auto added = all.insert(at, whole);
      added->placement = placement;
      added->mlp = mlp;
    }
  return all;
}

std::string told(const WholeModel& before, const WholeModel& after) {
  std::vector<std::string> words;
  if (before.mlp != after.mlp) words.push_back(fmt::format("its MLP bends by {}", to_string(after.mlp)));
  if (before.placement != after.placement)
    words.push_back(fmt::format("its norms come {}", to_string(after.placement)));
  return fmt::format("The captured streams tell that {}", listed(words, " and "));
}

std::string in_words(const Compared& found) {
  return fmt::format("by up to {:.2g}, where that is up to {:.2g}", found.difference, found.magnitude);
}

/// The first candidate with whose first layers the most streams agree, and what it made of them.
std::vector<Compared> choose(WholeModel& whole, ChainTrial& trial) {
  const WholeModel before = whole;
  std::vector<Compared> best;
  for (const WholeModel& candidate : candidates(before)) {
    std::vector<Compared> found = trial.streams(candidate);
    const bool is_better = best.empty() || found.size() > best.size() || (found.back().agrees && !best.back().agrees);
    if (!is_better) continue;
    whole = candidate;
    best = std::move(found);
    if (best.back().agrees) break;
  }
  if (!best.front().agrees) whole = before;
  else if (whole.mlp != before.mlp || whole.placement != before.placement)
    whole.findings.push_back(told(before, whole));
  return best;
}

void decide(WholeModel& whole, ChainTrial& trial) {
  const std::vector<Compared> streams = choose(whole, trial);
  const auto agreeing = std::ranges::find(streams, false, &Compared::agrees) - streams.begin();
  if (agreeing == 0) {
    whole.problems.push_back(
        {whole.file.string(), "L0",
         fmt::format("our stream after layer 0 differs from the captured one {}", in_words(streams.front())),
         fmt::format("layers that compute what {} does; their attention opens by itself", whole.family->name)});
    return;
  }
  whole.assumed.clear();
  Compared worst;
  for (const Compared& each : std::span(streams).first(static_cast<std::size_t>(agreeing)))
    if (each.difference >= worst.difference) worst = each;
  whole.findings.push_back(
      agreeing == 1
          ? fmt::format("The captured stream after layer 0 agrees with ours: they differ {}", in_words(worst))
          : fmt::format("All {} captured streams agree with ours: they differ {}", agreeing, in_words(worst)));
  if (agreeing < std::ssize(streams)) {
    whole.findings.back() = fmt::format(
        "The captured streams after the first {} layers agree with ours: they differ {}", agreeing, in_words(worst));
    return shorten(whole, agreeing,
                   fmt::format("The chain is cut before layer {} of {}: the captured stream after it differs from ours "
                               "{}",
                               agreeing, whole.stored, in_words(streams.back())));
  }
  for (const TensorId tensor : {TensorId::N_final, TensorId::logits}) {
    const auto found = trial.end(tensor);
    if (!found) continue;
    const bool is_norm = tensor == TensorId::N_final;
    if (!found->agrees)
      return shorten(whole, whole.layers,
                     fmt::format("The chain is cut before the {}: what was captured differs from ours {}",
                                 is_norm ? "last norm" : "last norm and the logits", in_words(*found)));
    whole.findings.push_back(is_norm ? fmt::format("The captured last norm differs {}", in_words(*found))
                                     : fmt::format("The captured logits differ {}", in_words(*found)));
  }
}

}  // namespace

void decide_by_results(WholeModel& whole, double seconds) {
  ChainTrial trial(*whole.arrays);
  if (!whole.problems.empty() || !whole.input || whole.mlp == Mlp::none || !trial.has_streams()) return;
  try {
    if (seconds_for(whole) > seconds) {
      whole.findings.emplace_back("It is too large to be compared with its captured results at once");
      return;
    }
    decide(whole, trial);
  } catch (const InputError&) {
    // What is wrong with its numbers or its masks is said when the model is opened.
  }
}

}  // namespace headlight
