// Mistakes in the dot products and their scale.
#include <cmath>

#include "core/diagnose/mistakes/mistake.hpp"

namespace headlight {
namespace {

using enum TensorId;

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
