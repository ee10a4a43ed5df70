#include "app/commands/table.hpp"

#include <algorithm>

#include "core/text/characters.hpp"

namespace headlight {
namespace {

std::string line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) {
  std::string text;
  for (std::size_t column = 0; column < cells.size(); ++column) {
    text += cells[column];
    if (column + 1 < cells.size()) text.append(widths[column] - character_count(cells[column]) + 2, ' ');
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + '\n';
}

}  // namespace

std::string table(const std::vector<std::string>& header, std::vector<std::vector<std::string>> rows) {
  for (auto& row : rows)
    for (std::string& cell : row) cell = printable(cell);
  std::vector<std::size_t> widths;
  for (const std::string& cell : header) widths.push_back(character_count(cell));
  for (const auto& row : rows) {
    for (std::size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], character_count(row[column]));
  }
  std::vector<std::string> rule;
  for (std::size_t each : widths) rule.emplace_back(each, '-');
  std::string text = line(header, widths) + line(rule, widths);
  for (const auto& row : rows) text += line(row, widths);
  return text;
}

}  // namespace headlight
