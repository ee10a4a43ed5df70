#include "core/formats/arrays/csv_reader.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "core/formats/files.hpp"
#include "core/model/problem.hpp"
#include "core/text/numbers.hpp"
#include "core/text/trimmed.hpp"
#include "core/text/utf8.hpp"

namespace headlight {
namespace {

constexpr std::int64_t largest_table = std::int64_t{256} << 20;
constexpr char blank = ' ';

/// Fields of one line, without their quotes.
using Row = std::vector<std::string>;

/// Hands out rows; knows the separator from the first one.
class Lines {
 public:
  Lines(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  /// The next row that is neither empty nor a comment; none at the end.
  std::optional<Row> next() {
    while (at_ < text_.size()) {
      begun_ = line_;
      if (skip_empty()) continue;
      if (!separator_) separator_ = separator_of_first_line();
      return read_row();
    }
    return std::nullopt;
  }
  /// The line on which the last row began, counted from 1.
  std::size_t line() const { return begun_; }
  bool has_decimal_commas() const { return separator_ == ';'; }

 private:
  std::string_view rest_of_line() const { return text_.substr(at_, text_.find('\n', at_) - at_); }

  bool skip_empty() {
    const std::string_view line = rest_of_line();
    const std::string_view words = trimmed(line, " \t\r");
    if (!words.empty() && words.front() != '#') return false;
    at_ = std::min(at_ + line.size() + 1, text_.size());
    ++line_;
    return true;
  }

  char separator_of_first_line() const {
    std::string outside;
    bool quoted = false;
    for (const char c : rest_of_line()) {
      if (c == '"') quoted = !quoted;
      else if (!quoted) outside += c;
    }
    for (const char candidate : {';', '\t', ','})
      if (outside.find(candidate) != std::string::npos) return candidate;
    return blank;
  }

  bool is_separator(char c) const { return separator_ == blank ? c == ' ' || c == '\t' : c == separator_; }
  bool at_end_of_line() const { return at_ == text_.size() || text_[at_] == '\n'; }

  void skip_blanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || (text_[at_] == '\t' && separator_ != '\t') || text_[at_] == '\r'))
      ++at_;
  }

  Row read_row() {
    Row row;
    for (;;) {
      skip_blanks();
      // Blanks at the end of a line separate nothing.
      if (separator_ == blank && at_end_of_line() && !row.empty()) break;
      row.push_back(read_field());
      skip_blanks();
      if (at_end_of_line()) break;
      if (separator_ != blank) ++at_;
    }
    if (at_ < text_.size()) ++at_;
    ++line_;
    return row;
  }

  std::string read_field() {
    if (at_ < text_.size() && text_[at_] == '"') return read_quoted();
    const std::size_t begin = at_;
    while (!at_end_of_line() && !is_separator(text_[at_])) ++at_;
    return std::string(trimmed(text_.substr(begin, at_ - begin), " \t\r"));
  }

  /// As RFC 4180 has it: a quote inside is written twice, and a line may end inside.
  std::string read_quoted() {
    std::string field;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] != '"') {
        field += text_[at_];
        continue;
      }
      ++at_;
      if (at_ == text_.size() || text_[at_] != '"') break;
      field += '"';
    }
    const std::size_t end = at_;
    while (!at_end_of_line() && !is_separator(text_[at_])) ++at_;
    if (!trimmed(text_.substr(end, at_ - end), " \t\r").empty())
      throw InputError({source_, fmt::format("line {}", line_), "text after a quote that ends", "a separator"});
    return field;
  }

  std::string_view text_;
  const std::string& source_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t begun_ = 1;
  std::optional<char> separator_;
};

std::optional<double> number_of(const std::string& field, bool decimal_commas) {
  std::string digits = field.starts_with('+') ? field.substr(1) : field;
  if (decimal_commas) std::ranges::replace(digits, ',', '.');
  return number_from<double>(digits);
}

class CsvTable {
 public:
  CsvTable(std::string_view text, const std::string& source) : lines_(text, source), source_(source) {}

  Tensor read() {
    std::optional<Row> row = lines_.next();
    if (row && is_header(*row)) {
      has_labels_ = row->size() > 1 && (row->front().empty() || counts(*row));
      columns_ = row->size();
      row = lines_.next();
    }
    if (!row) throw InputError({source_, "", "no numbers", "a table of numbers"});
    has_labels_ = has_labels_ || (row->size() > 1 && !number(row->front()));
    for (; row; row = lines_.next()) add(*row);
    return matrix();
  }

 private:
  std::optional<double> number(const std::string& field) const { return number_of(field, lines_.has_decimal_commas()); }
  std::ptrdiff_t words_in(const Row& row) const {
    return std::ranges::count_if(row, [&](const std::string& field) { return !number(field); });
  }
  /// "query,0,1,2": how a table begins whose columns have no names.
  bool counts(const Row& row) const {
    for (std::size_t column = 1; column < row.size(); ++column)
      if (number(row[column]) != static_cast<double>(column - 1)) return false;
    return row.size() > 1 && !number(row.front());
  }
  bool is_header(const Row& row) const {
    if (number(row.front())) return false;
    return row.size() == 1 || words_in(row) > 1 || row.front().empty() || counts(row);
  }

  void add(const Row& row) {
    if (columns_ == 0) columns_ = row.size();
    if (row.size() != columns_) {
      throw InputError({source_, fmt::format("line {}", lines_.line()), fmt::format("{} fields", row.size()),
                        fmt::format("{}, as in the first line", columns_)});
    }
    for (std::size_t column = has_labels_ ? 1 : 0; column < row.size(); ++column) {
      const auto value = number(row[column]);
      if (!value) {
        throw InputError({source_, fmt::format("line {}, column {}", lines_.line(), column + 1),
                          row[column].empty() ? "nothing" : fmt::format("\"{}\"", first_bytes(row[column], 40)),
                          "a number"});
      }
      values_.push_back(*value);
    }
    ++rows_;
  }

  Tensor matrix() const {
    Tensor tensor =
        Tensor::uninitialized(Precision::float64, {rows_, static_cast<Index>(columns_ - (has_labels_ ? 1 : 0))});
    std::ranges::copy(values_, tensor.writable<double>());
    return tensor;
  }

  Lines lines_;
  const std::string& source_;
  bool has_labels_ = false;
  std::size_t columns_ = 0;
  Index rows_ = 0;
  std::vector<double> values_;
};

}  // namespace

Tensor parse_csv(std::string_view text, const std::string& source) {
  require_text(text, source);
  return CsvTable(text, source).read();
}

Tensor read_csv(const std::filesystem::path& path) { return parse_csv(read_text(path, largest_table), path.string()); }

}  // namespace headlight
