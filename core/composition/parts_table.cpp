#include "core/composition/parts_table.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <fmt/format.h>

#include "core/compute/matrices.hpp"

namespace headlight {
namespace {

using Rows = RowMajor<double>;

/// Which sources have a place of their own, by their indices: the largest, as they are in the stream, so that rows and
/// columns are in the same order. The others share the last place.
struct Places {
  std::vector<std::size_t> order;
  std::size_t alone = 0;

  Places(const std::vector<double>& sizes, std::size_t most)
      : order(sizes.size()), alone(sizes.size() <= most ? sizes.size() : most - 1) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t source) { return sizes[source]; });
    std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(alone));
  }
  std::size_t joined() const { return order.size() - alone; }
  std::size_t count() const { return alone + (joined() > 0 ? 1 : 0); }
  /// The place of a source that is in this place of the order.
  std::size_t place(std::size_t rank) const { return std::min(rank, alone); }

  std::vector<TableSource> named(const std::vector<StreamSource>& sources) const {
    std::vector<TableSource> names;
    for (std::size_t rank = 0; rank < alone; ++rank)
      names.push_back(sources.empty() ? TableSource() : TableSource(sources[order[rank]]));
    if (joined() > 0) names.emplace_back();
    return names;
  }
};

/// The sums of the rows and of the columns of `size(row, column)`.
struct Sums {
  std::vector<double> rows, columns;

  template <class Size>
  Sums(std::size_t down, std::size_t across, const Size& size) : rows(down), columns(across) {
    for (std::size_t row = 0; row < down; ++row)
      for (std::size_t column = 0; column < across; ++column) {
        const double one = size(row, column);
        rows[row] += one;
        columns[column] += one;
      }
  }
};

/// A source that writes for both is as large in the rows as in the columns, so that it has a place in both or in none.
Sums alike_in_both(Sums sums, const std::vector<StreamSource>& rows, const std::vector<StreamSource>& columns) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < columns.size(); ++j)
      if (rows[i] == columns[j]) sums.rows[i] = sums.columns[j] = sums.rows[i] + sums.columns[j];
  return sums;
}

/// The places of the rows and of the columns of a table.
struct Layout {
  Places rows, columns;

  Layout(const Sums& sums, std::size_t most) : rows(sums.rows, most), columns(sums.columns, most) {}

  template <class Entry>
  TableOfParts<Entry> table(const std::vector<StreamSource>& down, const std::vector<StreamSource>& across) const {
    TableOfParts<Entry> table;
    table.rows = rows.named(down);
    table.columns = columns.named(across);
    table.joined_rows = rows.joined();
    table.joined_columns = columns.joined();
    table.numbers.resize(rows.count() * columns.count());
    table.row_sums.resize(rows.count());
    table.column_sums.resize(columns.count());
    return table;
  }
};

void add(double& to, double number) { to += number; }

void add(Tensor& to, const Tensor& numbers) {
  if (to.empty()) {
    to = Tensor::uninitialized(Precision::float64, numbers.shape());
    return copy_numbers(numbers, to);
  }
  double* const sum = to.writable<double>();
  const double* const one = numbers.data<double>();
  for (Index i = 0; i < numbers.elements(); ++i) sum[i] += one[i];
}

template <class Entry>
void put(TableOfParts<Entry>& table, std::size_t row, std::size_t column, const Entry& entry) {
  add(table.numbers[row * table.columns.size() + column], entry);
  add(table.row_sums[row], entry);
  add(table.column_sums[column], entry);
  add(table.sum, entry);
}

/// The rows of the sources that share a place, added up.
std::vector<Tensor> gathered(const std::vector<Tensor>& all, const Places& places) {
  std::vector<Tensor> sums(places.count());
  for (std::size_t rank = 0; rank < all.size(); ++rank) add(sums[places.place(rank)], all[places.order[rank]]);
  return sums;
}

/// rowsᵀ · rows: enough to know how large a product with other rows is.
std::vector<Rows> grams_of(const std::vector<Tensor>& all) {
  std::vector<Rows> grams;
  for (const Tensor& one : all) {
    const auto rows = matrix<double>(one);
    grams.emplace_back(rows.transpose() * rows);
  }
  return grams;
}

}  // namespace

PartsTable table_of(const Parts& parts, std::size_t most) {
  const std::size_t down = parts.rows.size(), across = std::max<std::size_t>(1, parts.columns.size());
  const Sums sums(down, across, [&](std::size_t row, std::size_t column) { return std::abs(parts.at(row, column)); });
  const Layout layout(alike_in_both(sums, parts.rows, parts.columns), most);
  PartsTable table = layout.table<double>(parts.rows, parts.columns);
  table.position_bias = parts.position_bias;
  table.rest = parts.rest;
  for (std::size_t i = 0; i < down; ++i)
    for (std::size_t j = 0; j < across; ++j)
      put(table, layout.rows.place(i), layout.columns.place(j),
          parts.at(layout.rows.order[i], layout.columns.order[j]));
  return table;
}

WholePartsTable table_of(const SourceRows& rows, std::size_t most) {
  const bool is_score = !rows.keys.empty();
  const std::vector<Rows> queries = grams_of(rows.queries), keys = grams_of(rows.keys);
  const Sums sums(queries.size(), std::max<std::size_t>(1, keys.size()), [&](std::size_t i, std::size_t j) {
    return std::sqrt(std::max(0.0, is_score ? queries[i].cwiseProduct(keys[j]).sum() : queries[i].trace()));
  });
  const Layout layout(alike_in_both(sums, rows.rows, rows.columns), most);
  WholePartsTable table = layout.table<Tensor>(rows.rows, rows.columns);
  const std::vector<Tensor> down = gathered(rows.queries, layout.rows);
  const std::vector<Tensor> across = gathered(rows.keys, layout.columns);
  for (std::size_t row = 0; row < down.size(); ++row)
    for (std::size_t column = 0; column < table.columns.size(); ++column)
      put(table, row, column, is_score ? product_of(down[row], across[column], rows.factor) : down[row]);
  return table;
}

std::string label_of(const TableSource& source, std::size_t joined, const Setup& setup) {
  return source ? to_string(*source, setup) : fmt::format("{} others", joined);
}

}  // namespace headlight
