#include "app/slices/pyramid.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "core/compute/vectors.hpp"

namespace headlight {
namespace {

/// A level with at most this many blocks is small enough: joining its blocks takes no noticeable time.
constexpr Index few_blocks = Index{1} << 12;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// The cells of a slice, line by line as in memory: the stride between lines is the larger one.
template <class T>
struct Lines {
  const T* values = nullptr;
  const T* hidden = nullptr;
  Index outer_stride = 0;
  Index inner_stride = 0;
  Index hidden_outer_stride = 0;
  Index hidden_inner_stride = 0;
};

template <class T>
Lines<T> lines_of(const Slice& slice, bool lines_are_columns) {
  const int outer = lines_are_columns ? 1 : 0;
  const int inner = 1 - outer;
  Lines<T> lines;
  lines.values = slice.values.data<T>();
  lines.outer_stride = slice.values.strides()[outer];
  lines.inner_stride = slice.values.strides()[inner];
  if (slice.hidden.empty()) return lines;
  lines.hidden = slice.hidden.data<T>();
  lines.hidden_outer_stride = slice.hidden.strides()[outer];
  lines.hidden_inner_stride = slice.hidden.strides()[inner];
  return lines;
}

template <class R>
HEADLIGHT_INLINED void raise_to_ranks(R* into, const R* from, Index count) {
  for (Index i = 0; i < count; ++i) into[i] = std::max(into[i], from[i]);
}

template <class T>
HEADLIGHT_INLINED void raise_to_cells(Rank<T>* into, const T* values, Index count) {
  for (Index i = 0; i < count; ++i) into[i] = std::max(into[i], rank_of(values[i]));
}

template <class T>
constexpr T masked = -std::numeric_limits<T>::infinity();

template <class T>
HEADLIGHT_INLINED void raise_to_cells(Rank<T>* into, const T* values, const T* hidden, Index count) {
  for (Index i = 0; i < count; ++i)
    into[i] = std::max(into[i], hidden[i] == masked<T> ? Rank<T>{0} : rank_of(values[i]));
}

template <class R>
HEADLIGHT_INLINED void join_neighbours(R* into, const R* from, Index count) {
  for (Index i = 0; i < count; ++i) into[i] = std::max(from[2 * i], from[2 * i + 1]);
}

// The loops above for each element type, compiled as vector code.
using R32 = Rank<float>;
using R64 = Rank<double>;
HEADLIGHT_VECTORIZED void raise(R32* into, const R32* from, Index count) { raise_to_ranks(into, from, count); }
HEADLIGHT_VECTORIZED void raise(R64* into, const R64* from, Index count) { raise_to_ranks(into, from, count); }
HEADLIGHT_VECTORIZED void raise(R32* into, const float* values, Index count) { raise_to_cells(into, values, count); }
HEADLIGHT_VECTORIZED void raise(R64* into, const double* values, Index count) { raise_to_cells(into, values, count); }
HEADLIGHT_VECTORIZED void raise(R32* into, const float* values, const float* hidden, Index count) {
  raise_to_cells(into, values, hidden, count);
}
HEADLIGHT_VECTORIZED void raise(R64* into, const double* values, const double* hidden, Index count) {
  raise_to_cells(into, values, hidden, count);
}
HEADLIGHT_VECTORIZED void join(R32* into, const R32* from, Index count) { join_neighbours(into, from, count); }
HEADLIGHT_VECTORIZED void join(R64* into, const R64* from, Index count) { join_neighbours(into, from, count); }

/// Raises each rank to the rank of its cell in the line, if that is larger.
template <class T>
void raise_to_line(std::vector<Rank<T>>& ranks, const Lines<T>& lines, Index line, const IndexRange& cells) {
  const T* const values = lines.values + line * lines.outer_stride;
  const T* const hidden = lines.hidden ? lines.hidden + line * lines.hidden_outer_stride : nullptr;
  const bool dense = lines.inner_stride == 1 && (!hidden || lines.hidden_inner_stride == 1);
  if (dense && !hidden) return raise(ranks.data(), values + cells.begin, cells.size());
  if (dense) return raise(ranks.data(), values + cells.begin, hidden + cells.begin, cells.size());
  for (Index i = 0; i < cells.size(); ++i) {
    const Index cell = cells.begin + i;
    if (hidden && hidden[cell * lines.hidden_inner_stride] == masked<T>) continue;
    ranks[at(i)] = std::max(ranks[at(i)], rank_of(values[cell * lines.inner_stride]));
  }
}

}  // namespace

Pyramid::Pyramid(Slice slice) : slice_(std::move(slice)) {
  if (slice_.values.precision() == Precision::float64) levels_ = Levels<double>{};
}

bool Pyramid::lines_are_columns() const { return slice_.values.strides()[0] < slice_.values.strides()[1]; }

void Pyramid::prepare(Threads& threads) {
  with_element_type(slice_.values.precision(), [&](auto zero) {
    using T = decltype(zero);
    const Level<T>* made = &level<T>(1, 1, threads);
    while (made->outer * made->inner > few_blocks)
      made = &level<T>(made->outer_log2 + 1, made->inner_log2 + 1, threads);
  });
}

template <class T>
std::vector<Rank<T>> Pyramid::largest(const Level<T>& level, const IndexRange& lines, const IndexRange& columns) const {
  std::vector<Rank<T>> ranks(at(columns.size()), 0);
  if (level.ranks.empty()) {
    const Lines<T> cells = lines_of<T>(slice_, lines_are_columns());
    for (Index line = lines.begin; line < lines.end; ++line) raise_to_line(ranks, cells, line, columns);
    return ranks;
  }
  for (Index line = lines.begin; line < lines.end; ++line)
    raise(ranks.data(), level.ranks.data() + line * level.inner + columns.begin, columns.size());
  return ranks;
}

/// A level of larger blocks: each joins one or two lines, and one or two neighbours in a line, of the level `from`.
template <class T>
Level<T> Pyramid::joined(const Level<T>& from, int outer_log2, int inner_log2, Threads& threads) const {
  const int lines_log2 = outer_log2 - from.outer_log2;
  const int columns_log2 = inner_log2 - from.inner_log2;
  const Index outer = (from.outer + lines_log2) >> lines_log2;
  const Index inner = (from.inner + columns_log2) >> columns_log2;
  Level<T> made{outer_log2, inner_log2, outer, inner, {}};
  made.ranks.resize(at(outer * inner));
  const auto join_line = [&](Index line) {
    const IndexRange own{line << lines_log2, std::min((line + 1) << lines_log2, from.outer)};
    const auto ranks = largest(from, own, {0, from.inner});
    Rank<T>* const into = made.ranks.data() + line * inner;
    if (columns_log2 == 0) std::copy(ranks.begin(), ranks.end(), into);
    else join(into, ranks.data(), from.inner / 2);
    if (from.inner % 2 > 0 && columns_log2 > 0) into[inner - 1] = ranks.back();
  };
  threads.run_over(from.outer * from.inner, outer, join_line);
  return made;
}

/// A level is computed from smaller square blocks, so that the cells of the slice are read only once.
template <class T>
const Level<T>& Pyramid::level(int outer_log2, int inner_log2, Threads& threads) {
  auto& known = std::get<Levels<T>>(levels_);
  if (const auto found = known.find({outer_log2, inner_log2}); found != known.end()) return *found->second;
  Level<T> made{0, 0, slice_.rows(), slice_.columns(), {}};
  if (lines_are_columns()) std::swap(made.outer, made.inner);
  if (outer_log2 != 0 || inner_log2 != 0) {
    const Level<T>& from =
        level<T>(outer_log2 - (outer_log2 >= inner_log2), inner_log2 - (inner_log2 >= outer_log2), threads);
    if (from.ranks.empty()) cells_read_ += from.outer * from.inner;
    made = joined(from, outer_log2, inner_log2, threads);
  }
  return *known.emplace(std::pair{outer_log2, inner_log2}, std::make_shared<const Level<T>>(std::move(made)))
              .first->second;
}

template const Level<float>& Pyramid::level(int, int, Threads&);
template const Level<double>& Pyramid::level(int, int, Threads&);
template std::vector<Rank<float>> Pyramid::largest(const Level<float>&, const IndexRange&, const IndexRange&) const;
template std::vector<Rank<double>> Pyramid::largest(const Level<double>&, const IndexRange&, const IndexRange&) const;

}  // namespace headlight
