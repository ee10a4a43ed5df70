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

/// Which sources have a place of their own, by their indices, the largest first; the others share the last place.
struct Places {
  std::vector<std::size_t> order;
  std::size_t alone = 0;

  Places(std::size_t count, std::size_t most, const std::function<double(std::size_t)>& size)
      : order(count), alone(count <= most ? count : most - 1) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), size);
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

/// The places of the rows and of the columns of a table; `size(row, column)` of one entry.
struct Layout {
  Places rows, columns;

  template <class Size>
  Layout(std::size_t down, std::size_t across, std::size_t most, const Size& size)
      : rows(down, most,
             [&](std::size_t row) {
               double sum = 0;
               for (std::size_t column = 0; column < across; ++column) sum += size(row, column);
               return sum;
             }),
        columns(across, most, [&](std::size_t column) {
          double sum = 0;
          for (std::size_t row = 0; row < down; ++row) sum += size(row, column);
          return sum;
        }) {}

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
  const Layout layout(down, across, most,
                      [&](std::size_t row, std::size_t column) { return std::abs(parts.at(row, column)); });
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
  const Layout layout(queries.size(), std::max<std::size_t>(1, keys.size()), most, [&](std::size_t i, std::size_t j) {
    return std::sqrt(std::max(0.0, is_score ? queries[i].cwiseProduct(keys[j]).sum() : queries[i].trace()));
  });
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
