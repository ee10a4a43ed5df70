#include "app/heatmap/raster.hpp"

#include <algorithm>
#include <limits>

#include "app/slices/reduction.hpp"

namespace headlight {
namespace {

/// Reads a slice whose element type is known, so that no branch per element is needed.
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

  T value(Index row, Index column) const { return values_[row * row_stride_ + column * column_stride_]; }
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

/// Finds the first cell with the shown value; other cells may have the same value.
template <class T>
Reduced reduce_block(const Reader<T>& read, const GridBlock& block, Reduction reduction) {
  Reduced result{CellKind::masked, 0, {block.rows.begin, block.columns.begin}};
  Rank<T> largest = 0;
  double sum = 0;
  Index numbers = 0;
  for (Index row = block.rows.begin; row < block.rows.end; ++row) {
    for (Index column = block.columns.begin; column < block.columns.end; ++column) {
      if (read.masked(row, column)) continue;
      const T value = read.value(row, column);
      sum += static_cast<double>(value);
      ++numbers;
      if (rank_of(value) <= largest) continue;
      largest = rank_of(value);
      result = {kind_of(static_cast<double>(value)), static_cast<double>(value), {row, column}};
    }
  }
  // A NaN or an infinity in the block is shown even if the mean is wanted.
  if (reduction == Reduction::mean && result.kind == CellKind::number)
    result.value = sum / static_cast<double>(numbers);
  return result;
}

}  // namespace

Reduced reduce(const Slice& slice, const GridBlock& block, Reduction reduction) {
  return with_element_type(slice.values.precision(),
                           [&](auto zero) { return reduce_block(Reader<decltype(zero)>(slice), block, reduction); });
}

/// A texel with the float nearest to a double. A finite double never becomes an infinity.
Raster::Texel texel_of(CellKind kind, double value) {
  constexpr auto limit = static_cast<double>(std::numeric_limits<float>::max());
  const bool number = kind == CellKind::number;
  return {number ? static_cast<float>(std::clamp(value, -limit, limit)) : 0.0f, static_cast<float>(kind)};
}

Raster rasterize(const Slice& slice, const HeatmapLayout& layout, Reduction reduction) {
  const AxisMap& across = layout.across();
  const AxisMap& down = layout.down();
  Raster raster(across.texels(), down.texels());
  raster.cells_read = across.visible().size() * down.visible().size();
  std::vector<IndexRange> columns_of_x;
  for (int x = 0; x < raster.width; ++x) columns_of_x.push_back(across.cells_of_texel(x));
  with_element_type(slice.values.precision(), [&](auto zero) {
    const Reader<decltype(zero)> read(slice);
    for (int y = 0; y < raster.height; ++y) {
      const IndexRange vertical = down.cells_of_texel(y);
      for (int x = 0; x < raster.width; ++x) {
        const IndexRange& horizontal = columns_of_x[static_cast<std::size_t>(x)];
        const GridBlock block =
            layout.shape().transposed ? GridBlock{horizontal, vertical} : GridBlock{vertical, horizontal};
        const Reduced reduced = reduce_block(read, block, reduction);
        raster.at(x, y) = texel_of(reduced.kind, reduced.value);
      }
    }
  });
  return raster;
}

}  // namespace headlight
