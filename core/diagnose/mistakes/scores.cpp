// Mistakes in the dot products and their scale.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "core/diagnose/arrays/layout.hpp"
#include "core/diagnose/mistakes/mistake.hpp"
#include "core/model/positions.hpp"
#include "core/stages/graph.hpp"

namespace headlight {
namespace {

using enum TensorId;

/// (k, k + d_head/2) are turned together instead of (2k, 2k + 1), or the other way round.
std::optional<Tensor> rotary_other_layout(Attempt& attempt) {
  if (attempt.variant > 0 || turned_features(attempt.setup()) == 2) return std::nullopt;
  PairLayout& layout = attempt.trace.setup.position.layout;
  layout = layout == PairLayout::half ? PairLayout::interleaved : PairLayout::half;
  return attempt.computed();
}

/// K_heads @ Q_headsᵀ
std::optional<Tensor> queries_and_keys_swapped(Attempt& attempt) {
  if (attempt.variant > 0 || attempt.setup().key_length() != attempt.setup().sizes.query_length) return std::nullopt;
  return attempt.computed().transposed(2, 3).contiguous();
}

std::optional<Tensor> scaled_by(Attempt& attempt, double scale) {
  if (attempt.variant > 0) return std::nullopt;
  attempt.trace.setup.attention.scale = scale;
  return attempt.computed();
}

std::optional<Tensor> scale_missing(Attempt& attempt) { return scaled_by(attempt, 1); }

std::optional<Tensor> scale_d_head(Attempt& attempt) {
  return scaled_by(attempt, 1 / static_cast<double>(attempt.setup().d_head()));
}

std::optional<Tensor> scale_sqrt_d_model(Attempt& attempt) {
  return scaled_by(attempt, 1 / std::sqrt(static_cast<double>(attempt.setup().sizes.d_model)));
}

/// A factor that people take for 1/√d_head.
struct Factor {
  double number = 1;
  std::string words = {};
};

/// Those that are not among the mistakes with a name of their own.
std::vector<Factor> usual_factors(const Setup& setup) {
  const auto heads = static_cast<double>(setup.sizes.heads), width = static_cast<double>(setup.d_head());
  const auto features = static_cast<double>(setup.sizes.d_model), keys = static_cast<double>(setup.key_length());
  const auto queries = static_cast<double>(setup.sizes.query_length), batch = static_cast<double>(setup.sizes.batch);
  const double temperature = setup.attention.temperature;
  std::vector<Factor> all;
  const std::vector<double> named{setup.score_factor(), 1 / temperature, 1 / width / temperature,
                                  1 / std::sqrt(features) / temperature, setup.score_factor() * temperature};
  const auto add = [&](double number, std::string words) {
    const auto near = [&](double other) { return std::abs(number - other) <= 1e-6 * std::abs(other); };
    if (std::ranges::any_of(named, near)) return;
    if (std::ranges::none_of(all, [&](const Factor& other) { return near(other.number); }))
      all.push_back({number, std::move(words)});
  };
  add(1 / std::sqrt(heads), "1/√heads");
  add(std::sqrt(width), "√d_head, multiplied instead of divided");
  add(1 / features, "1/d_model");
  add(1 / std::sqrt(keys), "1/√key_length");
  add(1 / std::sqrt(queries), "1/√query_length");
  add(1 / std::sqrt(heads * width), "1/√(heads · d_head)");
  add(1 / std::sqrt(2 * width), "1/√(2 · d_head)");
  add(1 / std::sqrt(std::sqrt(width)), "1/√√d_head: only one of queries and keys is scaled");
  add(1 / (width * std::sqrt(width)), "1/d_head^1.5: divided twice");
  add(1 / heads, "1/heads");
  add(1 / std::sqrt(batch), "1/√batch");
  add(setup.score_factor() * temperature * temperature, "multiplied by the temperature");
  add(0, "nothing is left of them");
  return all;
}

/// The factor whose scores leave the least, as theirs show it.
double fitted_factor(Attempt& attempt) {
  const auto misfit = [&](double logarithm) {
    Attempt other = attempt;
    other.trace.setup.attention.scale = std::exp(logarithm) * attempt.setup().attention.temperature;
    return attempt.misfit_of(other.computed());
  };
  constexpr double step = 0.25;
  double best = 0, least = std::numeric_limits<double>::infinity();
  for (double logarithm = -7; logarithm <= 7; logarithm += step) {
    const double left = misfit(logarithm);
    if (left < least) best = logarithm, least = left;
  }
  const double golden = (std::sqrt(5.0) - 1) / 2;
  double low = best - step, high = best + step;
  double a = high - golden * (high - low), b = low + golden * (high - low);
  double at_a = misfit(a), at_b = misfit(b);
  for (int i = 0; i < 80 && high - low > 1e-13; ++i) {
    if (at_a < at_b) high = b, b = a, at_b = at_a, a = high - golden * (high - low), at_a = misfit(a);
    else low = a, a = b, at_a = at_b, b = low + golden * (high - low), at_b = misfit(b);
  }
  return std::exp((low + high) / 2);
}

/// Their scores over ours, where theirs are handed over and show it.
std::optional<double> shown_factor(Attempt& attempt) {
  const Tensor* theirs = attempt.handed_over(scores);
  if (theirs == nullptr) theirs = attempt.handed_over(masked_scores);
  if (theirs == nullptr || attempt.setup().attention.soft_cap > 0) return std::nullopt;
  attempt.trace.setup.attention.scale = attempt.setup().attention.temperature;  // a factor of 1
  Trace plain = attempt.trace;
  const Tensor unscaled = converted(attempt.computed(), Precision::float64);
  plain.setup.attention.scale = 0.0;
  const Tensor added = converted(stage_of(scores).compute(plain, attempt.workspace), Precision::float64);
  const Tensor from = converted(*theirs, Precision::float64);
  double both = 0, squares = 0;
  for (Index i = 0; i < from.elements(); ++i) {
    const double product = unscaled.data<double>()[i] - added.data<double>()[i];
    const double scaled = from.data<double>()[i] - added.data<double>()[i];
    if (!std::isfinite(scaled) || std::abs(scaled) > 1e6) continue;
    both += product * scaled, squares += product * product;
  }
  return squares > 0 && both != 0 ? std::optional(both / squares) : std::nullopt;
}

std::optional<Tensor> scale_factor(Attempt& attempt) {
  const std::vector<Factor> all = usual_factors(attempt.setup());
  const auto n = static_cast<std::size_t>(attempt.variant);
  if (n > all.size() || (n == all.size() && !attempt.misfit_of)) return std::nullopt;
  const double own = attempt.setup().score_factor(), temperature = attempt.setup().attention.temperature;
  constexpr Index large = Index{1} << 18;
  if (n == all.size() && attempt[dot_products].elements() > large) return std::nullopt;
  Factor factor{0};
  if (n < all.size()) factor = all[n];
  else if (const auto shown = shown_factor(attempt)) factor.number = *shown;
  else factor.number = fitted_factor(attempt);
  constexpr double nobody_writes = 1e-3;  // a factor as near to ours fits what something else has changed
  if (std::abs(factor.number - own) < nobody_writes * std::abs(own)) return std::nullopt;
  attempt.said = fmt::format(": by {:.6g}{} instead of {:.6g}", factor.number,
                             factor.words.empty() ? "" : " (" + factor.words + ")", own);
  attempt.trace.setup.attention.scale = factor.number * temperature;
  return attempt.computed();
}

/// K_heads with its numbers in the order of memory as (d_head, key), where they should be transposed.
std::optional<Tensor> keys_reshaped(Attempt& attempt) {
  if (attempt.variant > 1) return std::nullopt;
  const TensorId keys = right_operand(stage_of(dot_products), attempt.setup());
  const Tensor& heads = attempt[keys];
  const Shape& shape = heads.shape();
  const Tensor& from = attempt.variant == 0 ? heads : attempt[K];
  if (from.elements() != heads.elements()) return std::nullopt;
  attempt[keys] = reshaped(from, {shape[0], shape[1], shape[3], shape[2]}).transposed(2, 3);
  return attempt.computed();
}

std::optional<Tensor> soft_cap_missing(Attempt& attempt) {
  if (attempt.variant > 0) return std::nullopt;
  return attempt[scores].contiguous();
}

/// cap · tanh(score / cap) with one of its parts left out or exchanged.
std::optional<Tensor> soft_cap_formula(Attempt& attempt) {
  const double cap = attempt.setup().attention.soft_cap;
  const auto formula = [&](double score) {
    switch (attempt.variant) {
      case 0: return score * std::tanh(score / cap);
      case 1: return std::tanh(score / cap);
      case 2: return cap * std::tanh(score);
      default: return std::clamp(score, -cap, cap);
    }
  };
  constexpr std::array words{"the score is multiplied by tanh instead of the cap",
                             "it is not multiplied by the cap again", "the score is not divided by the cap",
                             "it is cut off at the cap instead of bent"};
  if (attempt.variant > 3) return std::nullopt;
  attempt.said = fmt::format(": {}", words[static_cast<std::size_t>(attempt.variant)]);
  const Tensor from = converted(attempt[scores], Precision::float64);
  Tensor result = Tensor::uninitialized(Precision::float64, from.shape());
  std::transform(from.data<double>(), from.data<double>() + from.elements(), result.writable<double>(), formula);
  return converted(result, attempt[scores].precision());
}

std::optional<Tensor> temperature_ignored(Attempt& attempt) {
  if (attempt.variant > 0 || attempt.setup().attention.temperature == 1) return std::nullopt;
  attempt.trace.setup.attention.temperature = 1;
  return attempt.computed();
}

}  // namespace

std::vector<Mistake> score_mistakes() {
  return {
      {.name = "rotary_other_layout",
       .words = "the other pairs of features are turned together: neighbours instead of halves, or halves instead of "
                "neighbours",
       .at = {Q_rotated, K_rotated},
       .replay = rotary_other_layout},
      {.name = "queries_and_keys_swapped",
       .words = "queries and keys are swapped: the rows are keys, the columns queries",
       .at = {dot_products},
       .replay = queries_and_keys_swapped},
      {.name = "keys_reshaped",
       .words = "the keys are reshaped where they should be transposed: their numbers are mixed up",
       .at = {dot_products},
       .replay = keys_reshaped},
      {.name = "scale_missing", .words = "the dot products are not scaled", .at = {scores}, .replay = scale_missing},
      {.name = "scale_d_head",
       .words = "the dot products are divided by d_head itself",
       .at = {scores},
       .replay = scale_d_head},
      {.name = "scale_sqrt_d_model",
       .words = "the dot products are divided by √d_model",
       .at = {scores},
       .replay = scale_sqrt_d_model},
      {.name = "temperature_ignored",
       .words = "the scores are not divided by the temperature",
       .at = {scores},
       .replay = temperature_ignored},
      {.name = "soft_cap_missing",
       .words = "the scores are not capped",
       .at = {capped_scores},
       .replay = soft_cap_missing},
      {.name = "soft_cap_formula",
       .words = "the scores are capped by another formula",
       .at = {capped_scores},
       .replay = soft_cap_formula},
      {.name = "scale_factor",
       .words = "the dot products are multiplied by another constant",
       .at = {scores},
       .replay = scale_factor,
       .fitted = true},
  };
}

}  // namespace headlight
