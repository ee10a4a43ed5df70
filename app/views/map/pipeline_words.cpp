#include "app/views/map/pipeline_words.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace headlight {
namespace {

std::string scale_words(const Attention& attention, Index d_head) {
  std::string words;
  if (std::holds_alternative<InverseSqrtDHead>(attention.scale)) words = fmt::format("÷ √{}", d_head);
  else if (std::holds_alternative<NoScale>(attention.scale)) words = attention.temperature == 1.0 ? "not scaled" : "";
  else words = fmt::format("× {:.4g}", std::get<double>(attention.scale));
  if (attention.temperature != 1.0) words += fmt::format("{}÷ {:.4g}", words.empty() ? "" : " ", attention.temperature);
  return words;
}

std::string mask_words(const MaskSettings& mask) {
  if (mask.kinds.empty()) return "mask: none";
  if (mask.kinds.size() == 1) return fmt::format("mask: {}", to_string(mask.kinds.front()));
  if (mask.kinds.size() == 2) return fmt::format("{} + {}", to_string(mask.kinds[0]), to_string(mask.kinds[1]));
  return fmt::format("{} masks", mask.kinds.size());
}

}  // namespace

std::vector<OperationWord> operation_of(TensorId tensor, const Setup& setup, Index batch, bool brief) {
  using enum TensorId;
  switch (tensor) {
    case X:
      // In cross-attention Y stands where this would be written.
      if (setup.sizes.batch < 2 || setup.is_cross()) return {};
      return {{brief ? fmt::format("item {}", batch) : fmt::format("item {} of {}", batch, setup.sizes.batch)}};
    case dot_products: return {{"Q", Role::query, true}, {"Kᵀ", Role::key, true}};
    case scores: return {{scale_words(setup.attention, setup.d_head())}};
    case masked_scores: return {{brief && !setup.mask.kinds.empty() ? "masked" : mask_words(setup.mask)}};
    case weights: return {{brief ? "softmax" : "softmax over keys"}};
    case dropped_weights: return {{brief ? "dropout" : fmt::format("dropout {:.3g} %", 100 * setup.attention.dropout)}};
    case context: return {{"weights · "}, {"V", Role::value, true}};
    case concat: return {{"join heads"}};
    case W_o: return {{"W", Role::output, true}, {"o", Role::output, true, Script::sub}};
    default: return {};
  }
}

std::string_view sentence_of(std::string_view title) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> sentences{{
      {"Input", "the vectors of the tokens"},
      {"Project", "three views of each token: query, key and value"},
      {"Split", "each head takes its own columns"},
      {"Scores", "every query meets every key"},
      {"Weights", "softmax turns scores into shares"},
      {"Context", "each query averages the values by its weights"},
      {"Concat", "the heads stand side by side again"},
      {"Output", "a last projection mixes the heads"},
  }};
  for (const auto& [name, sentence] : sentences)
    if (name == title) return sentence;
  return {};
}

}  // namespace headlight
