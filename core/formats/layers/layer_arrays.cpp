#include "core/formats/layers/layer_arrays.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace headlight {
namespace {

using enum TensorId;

/// The tensors that the projections of a family become.
struct ProjectionTensors {
  TensorId weight;
  TensorId bias;
};
constexpr std::array<ProjectionTensors, 4> projection_tensors{{{W_q, b_q}, {W_k, b_k}, {W_v, b_v}, {W_o, b_o}}};

/// Rows of this many places each, the outputs of a piece.
struct PieceSteps {
  const AttentionLayer& layer;
  const ArrayPiece& piece;
  Index in = 0;   ///< 0 for a bias
  Index out = 0;  ///< of the piece

  std::string text() const {
    if (piece.per_head) return of_each_head();
    const bool turned = in > 0 && layer.family->layout == WeightLayout::out_in;
    const bool columns = in > 0 && !turned;
    std::string steps;
    if (piece.parts > 1)
      steps = fmt::format("[{}{}:{}]", columns ? ":, " : "", piece.part * out, (piece.part + 1) * out);
    return steps + (turned ? ".T" : "");
  }

 private:
  std::string of_each_head() const {
    const std::string per_head = fmt::format("{}, {}, {}", layer.heads, piece.parts, out / layer.heads);
    if (in == 0) return fmt::format(".reshape({})[:, {}].reshape({})", per_head, piece.part, out);
    return fmt::format(".reshape({}, {})[:, {}].reshape({}, {}).T", per_head, in, piece.part, out, in);
  }
};

ArrayPart rows_from(Index first, Index count, Index all) {
  if (count == all) return {};
  return {PartItem{false, first, first + count, std::nullopt}};
}

}  // namespace

void place_arrays(AttentionLayer& layer, const NamedArrays& model) {
  const Index d_model = layer.d_model;
  const std::array<std::pair<Index, Index>, 4> widths{{{d_model, d_model},
                                                       {layer.key_features, layer.kv_columns},
                                                       {layer.value_features, layer.kv_columns},
                                                       {d_model, d_model}}};
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const auto& [in, out] = widths[i];
    const auto& [weight, bias] = layer.family->projections[i];
    const Index first = i == of_value ? layer.first_value_feature() : 0;
    layer.arrays.push_back({projection_tensors[i].weight, rows_from(first, in, d_model),
                            *model.place(layer.path, weight.name), PieceSteps{layer, weight, in, out}.text()});
    if (const auto place = model.place(layer.path, bias.name))
      layer.arrays.push_back({projection_tensors[i].bias, {}, *place, PieceSteps{layer, bias, 0, out}.text()});
  }
}

}  // namespace headlight
