#include "app/slices/pyramid.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace headlight {
namespace {

/// Fewer cells or blocks are not worth a second thread.
constexpr Index worth_threads = Index{1} << 18;
/// So few blocks are joined in no time.
constexpr Index few_blocks = Index{1} << 12;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

/// Along the memory: from line to line with the larger stride, so that the cells of one are read in order.
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

template <class T>
constexpr T masked = -std::numeric_limits<T>::infinity();

/// Raises each rank to that of its cell where that is larger.
template <class T>
void raise_to_line(std::vector<Rank<T>>& ranks, const Lines<T>& lines, Index line, const IndexRange& cells) {
  const T* const values = lines.values + line * lines.outer_stride;
  const T* const hidden = lines.hidden ? lines.hidden + line * lines.hidden_outer_stride : nullptr;
  const auto raise = [&](Index i, T value) { ranks[at(i)] = std::max(ranks[at(i)], rank_of(value)); };
  // Apart from the rest, because this loop becomes vector code.
  if (!hidden && lines.inner_stride == 1) {
    for (Index i = 0; i < cells.size(); ++i) raise(i, values[cells.begin + i]);
    return;
  }
  for (Index i = 0; i < cells.size(); ++i) {
    const Index cell = cells.begin + i;
    if (!hidden || hidden[cell * lines.hidden_inner_stride] != masked<T>) raise(i, values[cell * lines.inner_stride]);
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
  for (Index line = lines.begin; line < lines.end; ++line) {
    const Rank<T>* const from = level.ranks.data() + line * level.inner + columns.begin;
    for (Index i = 0; i < columns.size(); ++i) ranks[at(i)] = std::max(ranks[at(i)], from[i]);
  }
  return ranks;
}

/// One or two lines, and one or two blocks of each, become one block.
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
    else
      for (Index i = 0; i < from.inner / 2; ++i) into[i] = std::max(ranks[at(2 * i)], ranks[at(2 * i + 1)]);
    if (from.inner % 2 > 0 && columns_log2 > 0) into[inner - 1] = ranks.back();
  };
  if (from.outer * from.inner >= worth_threads) threads.run(outer, join_line);
  else
    for (Index line = 0; line < outer; ++line) join_line(line);
  return made;
}

/// By way of the squares, so that all sizes come from the same blocks and the cells are read once.
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
