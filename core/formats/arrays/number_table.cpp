#include "core/formats/arrays/number_table.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/model/problem.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

/// How the numbers of a table are written; the same for all of them.
struct Digits {
  int decimals = 0;
  bool power_of_ten = false;
};

/// Where Markdown and LaTeX differ.
struct Language {
  std::string (*escape)(std::string_view label);
  std::string (*plain)(double value, int decimals);
  std::string (*power)(double value, int decimals);
  std::string_view infinity, minus_infinity, masked;
};

/// With spaces for line breaks and tabs, and without control characters.
std::string on_one_line(std::string_view label) {
  std::string line(label);
  for (char& c : line)
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  return printable(line);
}

// --- Markdown --------------------------------------------------------------------------------------------------------

std::string markdown_label(std::string_view label) {
  constexpr std::string_view special = "\\`*_[]<>|&~#$";
  std::string result;
  for (const char c : on_one_line(label)) {
    if (special.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string fixed(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  // "-0.00" is written "0.00".
  if (text.front() == '-' && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

std::string scientific(double value, int decimals) { return fmt::format("{:.{}e}", value, decimals); }

// --- LaTeX -----------------------------------------------------------------------------------------------------------

std::string latex_label(std::string_view label) {
  std::string result;
  for (const char c : on_one_line(label)) {
    switch (c) {
      case '\\': result += "\\textbackslash{}"; break;
      case '~': result += "\\textasciitilde{}"; break;
      case '^': result += "\\textasciicircum{}"; break;
      case '<': result += "\\textless{}"; break;
      case '>': result += "\\textgreater{}"; break;
      case '|': result += "\\textbar{}"; break;
      case '"': result += "\\textquotedbl{}"; break;
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}': result += fmt::format("\\{}", c); break;
      default: result += c;
    }
  }
  return result;
}

std::string latex_fixed(double value, int decimals) { return fmt::format("${}$", fixed(value, decimals)); }

std::string latex_power(double value, int decimals) {
  const std::string text = scientific(value, decimals);
  const auto e = text.find('e');
  return fmt::format("${} \\cdot 10^{{{}}}$", text.substr(0, e), std::stoi(text.substr(e + 1)));
}

// --- Both ------------------------------------------------------------------------------------------------------------

constexpr Language markdown{markdown_label, fixed, scientific, "inf", "-inf", "–"};
constexpr Language latex{latex_label, latex_fixed, latex_power, "$\\infty$", "$-\\infty$", "--"};

using Row = std::vector<std::string>;

/// The labels and numbers of a table as text.
struct Table {
  std::string corner;
  Row columns;
  Row rows;
  std::vector<Row> cells = {};
  bool masks = false;
};

/// Numbers with one or two axes, read as rows and columns. One axis is a single row.
struct Matrix {
  const LabelledNumbers& numbers;
  bool vector;

  Index rows() const { return vector ? 1 : numbers.values.shape()[0]; }
  Index columns() const { return numbers.values.shape().back(0); }
  Shape index(Index row, Index column) const { return vector ? Shape{column} : Shape{row, column}; }
  double at(Index row, Index column) const {
    const Shape at = index(row, column);
    return numbers.values.at({at.begin(), at.end()});
  }
  bool masked(Index row, Index column) const {
    const Shape at = index(row, column);
    return numbers.masked({at.begin(), at.end()});
  }
};

Matrix matrix_of(const LabelledNumbers& numbers) {
  if (numbers.rank() == 1 || numbers.rank() == 2) return {numbers, numbers.rank() == 1};
  throw InputError({"", "tensor", fmt::format("{} with {} axes", numbers.name, numbers.rank()),
                    "a part with one or two axes, as in weights[0,1]"});
}

Digits digits_for(const Matrix& matrix, int digits) {
  constexpr int most_decimals = 8;
  constexpr int most_integer_digits = 7;
  double largest = 0;
  for (Index row = 0; row < matrix.rows(); ++row)
    for (Index column = 0; column < matrix.columns(); ++column)
      if (const double size = std::abs(matrix.at(row, column)); std::isfinite(size) && !matrix.masked(row, column))
        largest = std::max(largest, size);
  if (largest == 0) return {digits - 1, false};
  const int exponent = static_cast<int>(std::floor(std::log10(largest)));
  const int decimals = std::max(0, digits - 1 - exponent);
  if (exponent >= most_integer_digits || decimals > std::max(most_decimals, digits + 1)) return {digits - 1, true};
  return {decimals, false};
}

std::string written(double value, const Digits& digits, const Language& language) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return std::string(value > 0 ? language.infinity : language.minus_infinity);
  return (digits.power_of_ten ? language.power : language.plain)(value, digits.decimals);
}

Row escaped(const Row& labels, const Language& language) {
  Row result;
  for (const std::string& label : labels) result.push_back(language.escape(label));
  return result;
}

Table table_of(const Matrix& matrix, const Language& language, int digits) {
  const auto& axes = matrix.numbers.axes;
  const Digits form = digits_for(matrix, digits);
  Table table{.corner = matrix.vector ? "" : language.escape(axes[0].name),
              .columns = escaped(axes.back().labels, language),
              .rows = matrix.vector ? Row{language.escape(matrix.numbers.name)} : escaped(axes[0].labels, language)};
  for (Index row = 0; row < matrix.rows(); ++row) {
    Row& cells = table.cells.emplace_back();
    for (Index column = 0; column < matrix.columns(); ++column) {
      const bool masked = matrix.masked(row, column);
      table.masks |= masked;
      cells.push_back(masked ? std::string(language.masked) : written(matrix.at(row, column), form, language));
    }
  }
  return table;
}

std::string markdown_text(const Table& table) {
  const auto line = [](const std::string& first, const Row& rest) {
    return fmt::format("| {} | {} |\n", first, fmt::join(rest, " | "));
  };
  std::string text = line(table.corner, table.columns);
  text += line(":--", Row(table.columns.size(), "--:"));
  for (std::size_t row = 0; row < table.rows.size(); ++row) text += line(table.rows[row], table.cells[row]);
  if (table.masks) text += fmt::format("\n{} is masked.\n", markdown.masked);
  return text;
}

std::string latex_text(const Table& table, const std::string& name) {
  const auto line = [](const std::string& first, const Row& rest) {
    return fmt::format("  {} & {} \\\\\n", first, fmt::join(rest, " & "));
  };
  std::string text = fmt::format("% {}{}\n", name, table.masks ? "; -- is masked" : "");
  text += fmt::format("\\begin{{tabular}}{{l|{}}}\n", std::string(table.columns.size(), 'r'));
  text += line(table.corner, table.columns) + "  \\hline\n";
  for (std::size_t row = 0; row < table.rows.size(); ++row) text += line(table.rows[row], table.cells[row]);
  return text + "\\end{tabular}\n";
}

}  // namespace

std::string number_table(const LabelledNumbers& numbers, TableLanguage language, int digits) {
  const Matrix matrix = matrix_of(numbers);
  if (language == TableLanguage::markdown) return markdown_text(table_of(matrix, markdown, digits));
  return latex_text(table_of(matrix, latex, digits), numbers.name);
}

}  // namespace headlight
