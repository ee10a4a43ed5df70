// Mistakes in the dot products and their scale.
#include <cmath>

#include "core/diagnose/mistakes/mistake.hpp"

namespace headlight {
namespace {

using enum TensorId;

/// (k, k + d_head/2) are turned together instead of (2k, 2k + 1), or the other way round.
std::optional<Tensor> rotary_other_layout(Attempt& attempt) {
  if (attempt.variant > 0 || attempt.setup().d_head() == 2) return std::nullopt;
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
  };
}

}  // namespace headlight
