// The parts of a number as a table that is small enough to read, of one number or of a whole head: the largest sources
// by name, and the others together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/composition/parts.hpp"

namespace headlight {

/// What one row or column of the table is about; none: all sources that have no row of their own, added up.
using TableSource = std::optional<StreamSource>;

/// What stands in it: a number, or a matrix of numbers.
template <class Entry>
struct TableOfParts {
  std::vector<TableSource> rows;     ///< those that are named as in the stream; the others together last
  std::vector<TableSource> columns;  ///< likewise; a single one, of nothing, for a logit
  std::size_t joined_rows = 0;       ///< how many sources the last row adds up; 0: each has a row
  std::size_t joined_columns = 0;
  std::vector<Entry> numbers;  ///< row by row
  std::vector<Entry> row_sums;
  std::vector<Entry> column_sums;
  Entry sum = {};  ///< of all numbers
  std::optional<double> position_bias = {};
  double rest = 0;  ///< see Parts

  const Entry& at(std::size_t row, std::size_t column) const { return numbers[row * columns.size() + column]; }
};
using PartsTable = TableOfParts<double>;
/// Of a head's scores each entry is (query, key), of logits (query, answers·symbols). ALiBi's bias and what rounding
/// leaves are in none of them.
using WholePartsTable = TableOfParts<Tensor>;

/// At most so many rows and columns, of at least 2. The size of a source is the sum of the sizes of its numbers.
PartsTable table_of(const Parts& parts, std::size_t most);
/// Here the size of a number is the root of the sum of all squares in its matrix.
WholePartsTable table_of(const SourceRows& rows, std::size_t most);

/// "L0H1", "3 others".
std::string label_of(const TableSource& source, std::size_t joined, const Setup& setup);

}  // namespace headlight
