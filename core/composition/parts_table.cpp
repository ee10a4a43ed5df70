#include "core/composition/parts_table.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <fmt/format.h>

namespace headlight {
namespace {

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

}  // namespace

PartsTable table_of(const Parts& parts, std::size_t most) {
  const std::size_t row_count = parts.rows.size(), column_count = std::max<std::size_t>(1, parts.columns.size());
  const Places rows(row_count, most, [&](std::size_t row) {
    double size = 0;
    for (std::size_t column = 0; column < column_count; ++column) size += std::abs(parts.at(row, column));
    return size;
  });
  const Places columns(column_count, most, [&](std::size_t column) {
    double size = 0;
    for (std::size_t row = 0; row < row_count; ++row) size += std::abs(parts.at(row, column));
    return size;
  });
  PartsTable table{.rows = rows.named(parts.rows),
                   .columns = columns.named(parts.columns),
                   .joined_rows = rows.joined(),
                   .joined_columns = columns.joined(),
                   .numbers = std::vector<double>(rows.count() * columns.count()),
                   .row_sums = std::vector<double>(rows.count()),
                   .column_sums = std::vector<double>(columns.count()),
                   .position_bias = parts.position_bias,
                   .rest = parts.rest};
  for (std::size_t i = 0; i < row_count; ++i)
    for (std::size_t j = 0; j < column_count; ++j) {
      const double number = parts.at(rows.order[i], columns.order[j]);
      table.numbers[rows.place(i) * columns.count() + columns.place(j)] += number;
      table.row_sums[rows.place(i)] += number;
      table.column_sums[columns.place(j)] += number;
      table.sum += number;
    }
  return table;
}

std::string label_of(const TableSource& source, std::size_t joined, const Setup& setup) {
  return source ? to_string(*source, setup) : fmt::format("{} others", joined);
}

}  // namespace headlight
