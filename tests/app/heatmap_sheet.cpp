#include "tests/app/heatmap_sheet.hpp"

#include <cmath>
#include <limits>

#include "tests/app/sheet_app.hpp"

namespace headlight {

Tensor tensor_from(Index rows, Index columns, const std::function<double(Index, Index)>& value) {
  Tensor tensor = Tensor::uninitialized(Precision::float64, {rows, columns});
  double* to = tensor.writable<double>();
  for (Index row = 0; row < rows; ++row)
    for (Index column = 0; column < columns; ++column) *to++ = value(row, column);
  return tensor;
}

double scattered(Index row, Index column) {
  auto state =
      static_cast<std::uint64_t>(row) * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(column) * 0xD1B54A32D192ED03u;
  state ^= state >> 29;
  state *= 0xBF58476D1CE4E5B9u;
  state ^= state >> 32;
  return static_cast<double>(state >> 11) / 4503599627370496.0 - 1;
}

Tensor causal_hidden(Index rows, Index columns) {
  return tensor_from(rows, columns, [](Index row, Index column) {
    return column > row ? -std::numeric_limits<double>::infinity() : 0.0;
  });
}

Tensor causal_weights(Index rows, Index columns) {
  return tensor_from(rows, columns, [](Index row, Index column) {
    if (column > row) return 0.0;
    double sum = 0;
    for (Index j = 0; j <= row; ++j) sum += std::exp(2 * scattered(row, j));
    return std::exp(2 * scattered(row, column)) / sum;
  });
}

Image heatmap_picture(const std::function<Heatmap(float)>& make, const HeatmapPictureOptions& options) {
  SheetApp app(
      [&](FrameContext& frame) {
        const Canvas canvas = frame.ui.canvas();
        const Heatmap heatmap = make(canvas.scale());
        frame.heatmaps.draw(canvas, heatmap);
        if (options.numbers) draw_numbers(canvas, heatmap);
      },
      {options.theme});
  Offscreen surface(app, options.width, options.height, options.scale);
  return surface.settled_picture();
}

}  // namespace headlight
