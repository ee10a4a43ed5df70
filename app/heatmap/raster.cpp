#include "app/heatmap/raster.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headlight {
namespace {

/// A slice read through its element type: `at` without a branch per element.
template <class T>
class Reader {
 public:
  explicit Reader(const Slice& slice)
      : values_(slice.values.data<T>()),
        row_stride_(slice.values.strides()[0]),
        column_stride_(slice.values.strides()[1]) {
    if (slice.hidden.empty()) return;
    hidden_ = slice.hidden.data<T>();
    hidden_row_stride_ = slice.hidden.strides()[0];
    hidden_column_stride_ = slice.hidden.strides()[1];
  }

  double value(Index row, Index column) const {
    return static_cast<double>(values_[row * row_stride_ + column * column_stride_]);
  }
  bool masked(Index row, Index column) const {
    return hidden_ &&
           hidden_[row * hidden_row_stride_ + column * hidden_column_stride_] == -std::numeric_limits<T>::infinity();
  }

 private:
  const T* values_;
  Index row_stride_;
  Index column_stride_;
  const T* hidden_ = nullptr;
  Index hidden_row_stride_ = 0;
  Index hidden_column_stride_ = 0;
};

CellKind kind_of_error(double value) {
  if (std::isnan(value)) return CellKind::nan;
  return value > 0 ? CellKind::positive_infinity : CellKind::negative_infinity;
}

template <class T>
Reduced reduce_block(const Reader<T>& read, const GridBlock& block, Reduction reduction) {
  Reduced result{CellKind::masked, 0, {block.rows.begin, block.columns.begin}};
  double largest = -1;
  double sum = 0;
  Index numbers = 0;
  for (Index row = block.rows.begin; row < block.rows.end; ++row) {
    for (Index column = block.columns.begin; column < block.columns.end; ++column) {
      if (read.masked(row, column)) continue;
      const double value = read.value(row, column);
      // Whatever else is in the block, an error shows.
      if (!std::isfinite(value)) return {kind_of_error(value), value, {row, column}};
      sum += value;
      ++numbers;
      if (std::abs(value) <= largest) continue;
      largest = std::abs(value);
      result = {CellKind::number, value, {row, column}};
    }
  }
  if (reduction == Reduction::mean && numbers > 0) result.value = sum / static_cast<double>(numbers);
  return result;
}

/// What a float texture can hold of a finite double: the nearest float, never an infinity.
float to_texture(double value) {
  constexpr auto limit = static_cast<double>(std::numeric_limits<float>::max());
  return static_cast<float>(std::clamp(value, -limit, limit));
}

}  // namespace

Reduced reduce(const Slice& slice, const GridBlock& block, Reduction reduction) {
  return with_element_type(slice.values.precision(), [&](auto zero) {
    return reduce_block(Reader<decltype(zero)>(slice), block, reduction);
  });
}

Raster rasterize(const Slice& slice, const HeatmapLayout& layout, Reduction reduction) {
  const AxisMap& across = layout.across();
  const AxisMap& down = layout.down();
  Raster raster{across.texels(), down.texels(), {}};
  raster.texels.reserve(static_cast<std::size_t>(raster.width) * static_cast<std::size_t>(raster.height));
  std::vector<IndexRange> columns_of_x;
  for (int x = 0; x < raster.width; ++x) columns_of_x.push_back(across.cells_of_texel(x));
  with_element_type(slice.values.precision(), [&](auto zero) {
    const Reader<decltype(zero)> read(slice);
    for (int y = 0; y < raster.height; ++y) {
      const IndexRange vertical = down.cells_of_texel(y);
      for (const IndexRange& horizontal : columns_of_x) {
        const GridBlock block =
            layout.shape().transposed ? GridBlock{horizontal, vertical} : GridBlock{vertical, horizontal};
        const Reduced reduced = reduce_block(read, block, reduction);
        const bool number = reduced.kind == CellKind::number;
        raster.texels.push_back({number ? to_texture(reduced.value) : 0.0f, static_cast<float>(reduced.kind)});
      }
    }
  });
  return raster;
}

}  // namespace headlight
