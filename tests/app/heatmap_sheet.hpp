// Tensors with known numbers, and apps that draw one heatmap, for the tests of the pictures.
#pragma once

#include <functional>
#include <optional>

#include "app/heatmap/heatmap.hpp"
#include "app/heatmap/numbers.hpp"
#include "app/platform/surfaces/offscreen.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// A (rows, columns) tensor of float64 from a function of row and column.
Tensor tensor_from(Index rows, Index columns, const std::function<double(Index, Index)>& value);
/// Scattered numbers in [-1, 1), the same on every machine.
double scattered(Index row, Index column);
/// −inf above the diagonal, 0 elsewhere: the hidden part of a causal mask.
Tensor causal_hidden(Index rows, Index columns);
/// Rows that sum to 1 over the visible keys.
Tensor causal_weights(Index rows, Index columns);

struct HeatmapPictureOptions {
  ThemeName theme = ThemeName::dark;
  float scale = 1;
  bool numbers = false;
  int width = 240;
  int height = 200;
};
/// The heatmap that `make` gives for a canvas scale, drawn alone.
Image heatmap_picture(const std::function<Heatmap(float scale)>& make, const HeatmapPictureOptions& options = {});

}  // namespace headlight
