#include "app/heatmap/pyramid.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>
#include <variant>
#include <vector>

#include "app/heatmap/reduction.hpp"
#include "core/threads.hpp"

namespace headlight {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

Index blocks_of(Index cells, int log2) { return (cells + (Index{1} << log2) - 1) >> log2; }

int log2_of(Index power) { return std::countr_zero(static_cast<std::uint64_t>(power)); }

/// Along the memory: `outer` runs with the larger stride, so that a line of `inner` cells is read in order.
template <class T>
struct Lines {
  const T* values = nullptr;
  const T* hidden = nullptr;
  Index outer = 0;
  Index inner = 0;
  Index outer_stride = 0;
  Index inner_stride = 0;
  Index hidden_outer_stride = 0;
  Index hidden_inner_stride = 0;
};

bool outer_is_columns(const Slice& slice) { return slice.values.strides()[0] < slice.values.strides()[1]; }

template <class T>
Lines<T> lines_of(const Slice& slice) {
  const int outer = outer_is_columns(slice) ? 1 : 0;
  const int inner = 1 - outer;
  Lines<T> lines;
  lines.values = slice.values.data<T>();
  lines.outer = slice.values.shape()[outer];
  lines.inner = slice.values.shape()[inner];
  lines.outer_stride = slice.values.strides()[outer];
  lines.inner_stride = slice.values.strides()[inner];
  if (slice.hidden.empty()) return lines;
  lines.hidden = slice.hidden.data<T>();
  lines.hidden_outer_stride = slice.hidden.strides()[outer];
  lines.hidden_inner_stride = slice.hidden.strides()[inner];
  return lines;
}

/// Raises each rank to that of its cell where that is larger. One loop for each case, plain enough to be vectorised.
template <class T>
void raise(std::vector<Rank<T>>& ranks, const Lines<T>& lines, Index line, const IndexRange& cells) {
  constexpr T masked = -std::numeric_limits<T>::infinity();
  const T* const values = lines.values + line * lines.outer_stride;
  const T* const hidden = lines.hidden ? lines.hidden + line * lines.hidden_outer_stride : nullptr;
  Rank<T>* const into = ranks.data();
  const bool dense = lines.inner_stride == 1 && (!hidden || lines.hidden_inner_stride == 1);
  if (dense && !hidden) {
    for (Index i = 0; i < cells.size(); ++i) into[i] = std::max(into[i], rank_of(values[cells.begin + i]));
  } else if (dense) {
    for (Index i = 0; i < cells.size(); ++i) {
      const Rank<T> rank = hidden[cells.begin + i] == masked ? Rank<T>{0} : rank_of(values[cells.begin + i]);
      into[i] = std::max(into[i], rank);
    }
  } else {
    for (Index i = 0; i < cells.size(); ++i) {
      const Index cell = cells.begin + i;
      if (hidden && hidden[cell * lines.hidden_inner_stride] == masked) continue;
      into[i] = std::max(into[i], rank_of(values[cell * lines.inner_stride]));
    }
  }
}

/// Blocks of 2^outer_log2 lines by 2^inner_log2 cells.
template <class T>
struct Level {
  int outer_log2 = 0;
  int inner_log2 = 0;
  Index outer = 0;
  Index inner = 0;
  std::vector<Rank<T>> ranks;  ///< none for single cells: those are read from the slice
};

/// Calls `work(i)` for each i of [0, count), on all threads where they look at enough cells to be worth it.
template <class Work>
void each(Index count, Index cells, const Work& work) {
  constexpr Index worth_threads = Index{1} << 18;
  Threads threads(cells < worth_threads ? 1 : available_threads());
  threads.run(count, work);
}

/// The first and the last texel, where the view cuts a block there.
std::vector<int> cut_texels(const AxisMap& axis) {
  const Index grain = axis.granularity();
  const IndexRange shown = axis.visible();
  std::vector<int> cut;
  if (shown.begin % grain != 0) cut.push_back(0);
  if (shown.end % grain != 0 && shown.end != axis.count) cut.push_back(axis.texels() - 1);
  return cut;
}

}  // namespace

struct Pyramid::Levels {
  template <class T>
  using Map = std::map<std::pair<int, int>, Level<T>>;
  std::variant<std::monostate, Map<float>, Map<double>> by_size;
  Index cells_read = 0;

  template <class T>
  Map<T>& levels() {
    if (!std::holds_alternative<Map<T>>(by_size)) by_size = Map<T>{};
    return std::get<Map<T>>(by_size);
  }

  template <class T>
  void count(const Level<T>& level, const IndexRange& outer, const IndexRange& inner) {
    if (level.ranks.empty()) cells_read += outer.size() * inner.size();
  }

  /// The largest rank in each of `inner` columns of blocks, over some lines of blocks.
  template <class T>
  static std::vector<Rank<T>> across(const Lines<T>& lines, const Level<T>& level, const IndexRange& outer,
                                     const IndexRange& inner) {
    std::vector<Rank<T>> ranks(at(inner.size()), 0);
    for (Index line = outer.begin; line < outer.end; ++line) {
      if (level.ranks.empty()) {
        raise(ranks, lines, line, inner);
        continue;
      }
      const Rank<T>* const from = level.ranks.data() + line * level.inner + inner.begin;
      for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = std::max(ranks[i], from[i]);
    }
    return ranks;
  }

  template <class T>
  const Level<T>& level(const Lines<T>& lines, const Level<T>& single_cells, int outer_log2, int inner_log2) {
    if (outer_log2 == 0 && inner_log2 == 0) return single_cells;
    Map<T>& known = levels<T>();
    if (const auto found = known.find({outer_log2, inner_log2}); found != known.end()) return found->second;
    // Through every size on the way, so that the cells are read once for all of them.
    const Level<T>& from = level(lines, single_cells, std::max(outer_log2 - 1, 0), std::max(inner_log2 - 1, 0));
    Level<T> made{outer_log2, inner_log2, blocks_of(lines.outer, outer_log2), blocks_of(lines.inner, inner_log2), {}};
    made.ranks.resize(at(made.outer * made.inner));
    const Index lines_each = Index{1} << (outer_log2 - from.outer_log2);
    const int columns_log2 = inner_log2 - from.inner_log2;
    each(made.outer, from.outer * from.inner, [&](Index block) {
      const IndexRange own{block * lines_each, std::min((block + 1) * lines_each, from.outer)};
      const auto ranks = across(lines, from, own, {0, from.inner});
      for (Index i = 0; i < made.inner; ++i) {
        const auto first = ranks.begin() + static_cast<std::ptrdiff_t>(i << columns_log2);
        const auto last = ranks.begin() + static_cast<std::ptrdiff_t>(std::min((i + 1) << columns_log2, from.inner));
        made.ranks[at(block * made.inner + i)] = *std::max_element(first, last);
      }
    });
    count(from, {0, from.outer}, {0, from.inner});
    return known.emplace(std::pair{outer_log2, inner_log2}, std::move(made)).first->second;
  }

  /// Where the view begins or ends within a block, the texels there stand for a part of it.
  void read_edges(Raster& raster, const Slice& slice, const HeatmapLayout& layout) {
    const auto read = [&](int x, int y) {
      const IndexRange horizontal = layout.across().cells_of_texel(x);
      const IndexRange vertical = layout.down().cells_of_texel(y);
      const GridBlock block =
          layout.shape().transposed ? GridBlock{horizontal, vertical} : GridBlock{vertical, horizontal};
      const Reduced reduced = reduce(slice, block, Reduction::largest_magnitude);
      raster.texels[at(y) * at(raster.width) + at(x)] = texel_of(reduced.kind, reduced.value);
      cells_read += horizontal.size() * vertical.size();
    };
    for (int x : cut_texels(layout.across()))
      for (int y = 0; y < raster.height; ++y) read(x, y);
    for (int y : cut_texels(layout.down()))
      for (int x = 0; x < raster.width; ++x) read(x, y);
  }

  template <class T>
  Raster rasterize(const Slice& slice, const HeatmapLayout& layout) {
    const Lines<T> lines = lines_of<T>(slice);
    const bool outer_is_across = outer_is_columns(slice) != layout.shape().transposed;
    const AxisMap& outer = outer_is_across ? layout.across() : layout.down();
    const AxisMap& inner = outer_is_across ? layout.down() : layout.across();
    const Level<T> single_cells{0, 0, lines.outer, lines.inner, {}};
    const int outer_log2 = log2_of(outer.granularity());
    const int inner_log2 = log2_of(inner.granularity());
    const Level<T>& blocks = level(lines, single_cells, outer_log2, inner_log2);
    const auto in_blocks = [](const IndexRange& cells, int log2) {
      return IndexRange{cells.begin >> log2, blocks_of(cells.end, log2)};
    };
    std::vector<IndexRange> columns;
    for (int texel = 0; texel < inner.texels(); ++texel)
      columns.push_back(in_blocks(inner.cells_of_texel(texel), inner_log2));
    Raster raster{layout.across().texels(), layout.down().texels(), {}};
    raster.texels.resize(at(raster.width) * at(raster.height));
    if (columns.empty()) return raster;
    const IndexRange all{columns.front().begin, columns.back().end};
    const Index lines_shown = in_blocks(outer.visible(), outer_log2).size();
    each(outer.texels(), lines_shown * all.size(), [&](Index texel) {
      const int o = static_cast<int>(texel);
      const auto ranks = across(lines, blocks, in_blocks(outer.cells_of_texel(o), outer_log2), all);
      for (std::size_t i = 0; i < columns.size(); ++i) {
        Rank<T> largest = 0;
        for (Index c = columns[i].begin; c < columns[i].end; ++c) largest = std::max(largest, ranks[at(c - all.begin)]);
        const std::size_t x = outer_is_across ? at(o) : i;
        const std::size_t y = outer_is_across ? i : at(o);
        const CellKind kind = kind_of_rank<T>(largest);
        raster.texels[y * at(raster.width) + x] =
            texel_of(kind, kind == CellKind::number ? static_cast<double>(value_of<T>(largest)) : 0);
      }
    });
    for (int o = 0; o < outer.texels(); ++o) count(blocks, in_blocks(outer.cells_of_texel(o), outer_log2), all);
    read_edges(raster, slice, layout);
    return raster;
  }
};

Pyramid::Pyramid() : levels_(std::make_unique<Levels>()) {}
Pyramid::~Pyramid() = default;
Pyramid::Pyramid(Pyramid&&) noexcept = default;
Pyramid& Pyramid::operator=(Pyramid&&) noexcept = default;

Raster Pyramid::rasterize(const Slice& slice, const HeatmapLayout& layout) {
  return with_element_type(slice.values.precision(), [&](auto zero) {
    return levels_->rasterize<decltype(zero)>(slice, layout);
  });
}

Index Pyramid::cells_read() const { return levels_->cells_read; }

}  // namespace headlight
