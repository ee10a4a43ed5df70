// The parts of a number as a table that is small enough to read: the largest sources by name, and the others together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/composition/parts.hpp"

namespace headlight {

/// What one row or column of the table is about; none: all sources that have no row of their own, added up.
using TableSource = std::optional<StreamSource>;

struct PartsTable {
  std::vector<TableSource> rows;     ///< the largest first, the others together last
  std::vector<TableSource> columns;  ///< likewise; a single one, of nothing, for a logit
  std::size_t joined_rows = 0;       ///< how many sources the last row adds up; 0: each has a row
  std::size_t joined_columns = 0;
  std::vector<double> numbers;  ///< row by row
  std::vector<double> row_sums;
  std::vector<double> column_sums;
  double sum = 0;  ///< of all numbers
  std::optional<double> position_bias = {};
  double rest = 0;  ///< see Parts

  double at(std::size_t row, std::size_t column) const { return numbers[row * columns.size() + column]; }
};

/// At most so many rows and columns, of at least 2. The size of a source is the sum of the sizes of its numbers.
PartsTable table_of(const Parts& parts, std::size_t most);

/// "L0H1", "3 others".
std::string label_of(const TableSource& source, std::size_t joined, const Setup& setup);

}  // namespace headlight
