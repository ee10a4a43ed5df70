#include "app/commands/table.hpp"

#include <algorithm>

namespace headlight {
namespace {

/// Code points of UTF-8: bytes that do not continue a character.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) {
  std::string text;
  for (std::size_t column = 0; column < cells.size(); ++column) {
    text += cells[column];
    if (column + 1 < cells.size()) text.append(widths[column] - width(cells[column]) + 2, ' ');
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + '\n';
}

}  // namespace

std::string table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const std::string& cell : header) widths.push_back(width(cell));
  for (const auto& row : rows) {
    for (std::size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], width(row[column]));
  }
  std::vector<std::string> rule;
  for (std::size_t each : widths) rule.emplace_back(each, '-');
  std::string text = line(header, widths) + line(rule, widths);
  for (const auto& row : rows) text += line(row, widths);
  return text;
}

}  // namespace headlight
