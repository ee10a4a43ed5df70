#include "core/formats/arrays/csv.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/formats/files.hpp"
#include "core/model/problem.hpp"
#include "core/model/tensor.hpp"
#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

using Sink = std::function<void(std::string_view)>;

constexpr std::size_t piece_bytes = 1 << 16;

/// Whether a spreadsheet would compute the text, or do what it says, instead of showing it. Some pass over what is
/// blank before that.
bool is_formula(std::string_view text) {
  constexpr auto signs =
      std::to_array<std::string_view>({"=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"});
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return std::ranges::any_of(signs, [&](std::string_view sign) { return text.starts_with(sign); });
}

/// Writes fields and lines, and passes them to `sink` in pieces of about 64 KB.
class Writer {
 public:
  /// `lines` is the number of lines that will be written in all; progress is reported as a fraction of it.
  Writer(const Sink& sink, Index lines, const WriteReport& report) : sink_(sink), lines_(lines), report_(report) {}

  void add(std::string_view ready) {
    if (!at_start_) text_ += ',';
    text_ += ready;
    at_start_ = false;
  }
  void end_line() {
    text_ += '\n';
    at_start_ = true;
    ++written_;
    if (text_.size() >= piece_bytes) flush();
  }
  void flush() {
    sink_(text_);
    text_.clear();
    if (report_) report_(static_cast<double>(written_) / static_cast<double>(lines_));
  }

 private:
  const Sink& sink_;
  Index lines_;
  Index written_ = 0;
  const WriteReport& report_;
  std::string text_;
  bool at_start_ = true;
};

std::vector<std::string> fields(const std::vector<std::string>& labels) {
  std::vector<std::string> result;
  for (const std::string& label : labels) result.push_back(csv_field(label));
  return result;
}

void write_line(Writer& out, std::string_view first, const std::vector<std::string>& rest) {
  out.add(first);
  for (const std::string& entry : rest) out.add(entry);
  out.end_line();
}

void write_matrix(Writer& out, const Tensor& matrix, const std::string& corner, const std::vector<std::string>& rows,
                  const std::vector<std::string>& columns) {
  write_line(out, csv_field(corner), fields(columns));
  for (Index row = 0; row < matrix.shape()[0]; ++row) {
    out.add(csv_field(rows[static_cast<std::size_t>(row)]));
    for (Index column = 0; column < matrix.shape()[1]; ++column)
      out.add(exact_text(matrix.at({row, column}), matrix.precision()));
    out.end_line();
  }
}

/// For each position of an axis, the text of its columns in the long form: the position, and its token if the axis has
/// tokens.
using LongAxis = std::vector<std::string>;

LongAxis long_axis(const LabelledAxis& axis) {
  LongAxis entries;
  for (std::size_t i = 0; i < axis.labels.size(); ++i)
    entries.push_back(axis.tokens ? std::to_string(i) + ',' + csv_field(axis.labels[i]) : std::to_string(i));
  return entries;
}

void write_long(Writer& out, const LabelledNumbers& numbers) {
  const Tensor& values = numbers.values;
  std::vector<LongAxis> axes;
  Shape index;
  for (const LabelledAxis& axis : numbers.axes) {
    out.add(csv_field(axis.name));
    if (axis.tokens) out.add(csv_field(axis.name + "_token"));
    axes.push_back(long_axis(axis));
    index.push_back(0);
  }
  out.add("value");
  out.end_line();
  if (values.elements() == 0) return;
  do {
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
      out.add(axes[axis][static_cast<std::size_t>(index[static_cast<int>(axis)])]);
    out.add(exact_text(values.at({index.begin(), index.end()}), values.precision()));
    out.end_line();
  } while (advance(index, values.shape()));
}

/// The number of lines in the file, counting the first, which has the names.
Index lines_of(const LabelledNumbers& numbers) {
  const Index lines = numbers.rank() == 2   ? numbers.values.shape()[0]
                      : numbers.rank() == 1 ? 1
                                            : numbers.values.elements();
  return lines + 1;
}

void write(const LabelledNumbers& numbers, const Sink& sink, const WriteReport& report) {
  Writer out(sink, lines_of(numbers), report);
  if (numbers.rank() == 2)
    write_matrix(out, numbers.values, numbers.axes[0].name, numbers.axes[0].labels, numbers.axes[1].labels);
  else if (numbers.rank() == 1) write_matrix(out, numbers.values.as_row(), "", {numbers.name}, numbers.axes[0].labels);
  else write_long(out, numbers);
  out.flush();
}

constexpr std::int64_t largest_table = std::int64_t{256} << 20;
/// Of a row, whose fields are texts before they are numbers.
constexpr std::size_t most_fields = 1'000'000;
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
      if (row.size() > most_fields)
        throw InputError({source_, fmt::format("line {}", line_), fmt::format("more than {} fields", most_fields),
                          "rows of a matrix"});
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
      throw InputError({source_, fmt::format("line {}", line_), "text after a closing quote", "a separator"});
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

  Tensor matrix() const { return tensor_of({rows_, static_cast<Index>(columns_ - (has_labels_ ? 1 : 0))}, values_); }

  Lines lines_;
  const std::string& source_;
  bool has_labels_ = false;
  std::size_t columns_ = 0;
  Index rows_ = 0;
  std::vector<double> values_;
};

}  // namespace

std::string csv_field(std::string_view label) {
  const std::string text = (is_formula(label) ? "'" : "") + printable_lines(label);
  const bool plain =
      text.find_first_of(",;\"\n") == std::string::npos && !text.starts_with(' ') && !text.ends_with(' ');
  if (plain) return text;
  return '"' + replaced(text, "\"", "\"\"") + '"';
}

std::string csv_text(const LabelledNumbers& numbers) {
  std::string text;
  write(numbers, [&](std::string_view piece) { text += piece; }, {});
  return text;
}

void write_csv(const std::filesystem::path& path, const LabelledNumbers& numbers, const WriteReport& report) {
  FileWriter file(path);
  write(numbers, [&](std::string_view piece) { file.append(piece); }, report);
  file.commit();
}

Tensor parse_csv(std::string_view text, const std::string& source) {
  require_text(text, source);
  return CsvTable(text, source).read();
}

Tensor read_csv(const std::filesystem::path& path) { return parse_csv(read_text(path, largest_table), path.string()); }

}  // namespace headlight
