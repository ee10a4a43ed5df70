#include "app/heatmap/raster.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>

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

// --- From blocks -----------------------------------------------------------------------------------------------------

int log2_of(Index power) { return std::countr_zero(static_cast<std::uint64_t>(power)); }

/// The blocks of 2^log2 cells that overlap these cells.
IndexRange in_blocks(const IndexRange& cells, int log2) {
  return {cells.begin >> log2, (cells.end + (Index{1} << log2) - 1) >> log2};
}

/// The first and the last texel of the axis, each only if the view starts or ends within one of its blocks.
std::vector<int> cut_texels(const AxisMap& axis) {
  const Index grain = axis.granularity();
  const IndexRange shown = axis.visible();
  std::vector<int> cut;
  if (shown.begin % grain != 0) cut.push_back(0);
  if (shown.end % grain != 0 && shown.end != axis.count) cut.push_back(axis.texels() - 1);
  return cut;
}

/// Reads the texels at the edges of the view cell by cell, if they represent only a part of a block.
void read_edges(Raster& raster, const Slice& slice, const HeatmapLayout& layout) {
  const auto read = [&](int x, int y) {
    const IndexRange horizontal = layout.across().cells_of_texel(x);
    const IndexRange vertical = layout.down().cells_of_texel(y);
    const GridBlock block =
        layout.shape().transposed ? GridBlock{horizontal, vertical} : GridBlock{vertical, horizontal};
    const Reduced reduced = reduce(slice, block, Reduction::largest_magnitude);
    raster.at(x, y) = texel_of(reduced.kind, reduced.value);
    raster.cells_read += horizontal.size() * vertical.size();
  };
  for (int x : cut_texels(layout.across()))
    for (int y = 0; y < raster.height; ++y) read(x, y);
  for (int y : cut_texels(layout.down()))
    for (int x = 0; x < raster.width; ++x) read(x, y);
}

template <class T>
Raster::Texel texel_of_rank(Rank<T> rank) {
  const CellKind kind = kind_of_rank<T>(rank);
  return texel_of(kind, kind == CellKind::number ? static_cast<double>(value_of<T>(rank)) : 0);
}

template <class T>
Raster rasterize_blocks(Pyramid& pyramid, const HeatmapLayout& layout, Threads& threads) {
  const bool lines_run_down = pyramid.lines_are_columns() != layout.shape().transposed;
  const AxisMap& outer = lines_run_down ? layout.across() : layout.down();
  const AxisMap& inner = lines_run_down ? layout.down() : layout.across();
  const int outer_log2 = log2_of(outer.granularity());
  const int inner_log2 = log2_of(inner.granularity());
  const Level<T>& level = pyramid.level<T>(outer_log2, inner_log2, threads);
  std::vector<IndexRange> columns;
  for (int texel = 0; texel < inner.texels(); ++texel)
    columns.push_back(in_blocks(inner.cells_of_texel(texel), inner_log2));
  Raster raster(layout.across().texels(), layout.down().texels());
  if (columns.empty()) return raster;
  const IndexRange all{columns.front().begin, columns.back().end};
  const auto draw = [&](Index line) {
    const int o = static_cast<int>(line);
    const auto ranks = pyramid.largest(level, in_blocks(outer.cells_of_texel(o), outer_log2), all);
    for (int i = 0; i < inner.texels(); ++i) {
      const IndexRange& own = columns[static_cast<std::size_t>(i)];
      Rank<T> largest = 0;
      for (Index c = own.begin; c < own.end; ++c)
        largest = std::max(largest, ranks[static_cast<std::size_t>(c - all.begin)]);
      (lines_run_down ? raster.at(o, i) : raster.at(i, o)) = texel_of_rank<T>(largest);
    }
  };
  const Index read = in_blocks(outer.visible(), outer_log2).size() * all.size();
  threads.run_over(read, outer.texels(), draw);
  if (level.ranks.empty()) raster.cells_read += read;
  read_edges(raster, pyramid.slice(), layout);
  return raster;
}

}  // namespace

Reduced reduce(const Slice& slice, const GridBlock& block, Reduction reduction) {
  return with_element_type(slice.values.precision(),
                           [&](auto zero) { return reduce_block(Reader<decltype(zero)>(slice), block, reduction); });
}

Raster::Texel texel_of(CellKind kind, double value) { return {kind == CellKind::number ? value : 0, kind}; }

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

Raster rasterize(Pyramid& pyramid, const HeatmapLayout& layout, Threads& threads) {
  return with_element_type(pyramid.slice().values.precision(), [&](auto zero) {
    const Index before = pyramid.cells_read();
    Raster raster = rasterize_blocks<decltype(zero)>(pyramid, layout, threads);
    raster.cells_read += pyramid.cells_read() - before;
    return raster;
  });
}

}  // namespace headlight
