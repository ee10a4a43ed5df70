#include "core/formats/arrays/csv.hpp"

#include <functional>
#include <string_view>
#include <utility>

#include "core/formats/arrays/number_text.hpp"
#include "core/formats/files.hpp"

namespace headlight {
namespace {

using Sink = std::function<void(std::string_view)>;

constexpr std::size_t piece_bytes = 1 << 16;

/// The text as a CSV field by RFC 4180: put in quotes if it has a comma, a quote, a line break, or a space at an end.
std::string field(std::string_view text) {
  const bool plain =
      text.find_first_of(",\"\r\n") == std::string_view::npos && !text.starts_with(' ') && !text.ends_with(' ');
  if (plain) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
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
  for (const std::string& label : labels) result.push_back(field(label));
  return result;
}

void write_line(Writer& out, std::string_view first, const std::vector<std::string>& rest) {
  out.add(first);
  for (const std::string& entry : rest) out.add(entry);
  out.end_line();
}

void write_matrix(Writer& out, const Tensor& matrix, const std::string& corner, const std::vector<std::string>& rows,
                  const std::vector<std::string>& columns) {
  write_line(out, field(corner), fields(columns));
  for (Index row = 0; row < matrix.shape()[0]; ++row) {
    out.add(field(rows[static_cast<std::size_t>(row)]));
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
    entries.push_back(axis.tokens ? std::to_string(i) + ',' + field(axis.labels[i]) : std::to_string(i));
  return entries;
}

/// The next position in row-major order; false after the last one.
bool advance(Shape& index, const Shape& extents) {
  for (int axis = extents.rank() - 1; axis >= 0; --axis) {
    if (++index[axis] < extents[axis]) return true;
    index[axis] = 0;
  }
  return false;
}

void write_long(Writer& out, const LabelledNumbers& numbers) {
  const Tensor& values = numbers.values;
  std::vector<LongAxis> axes;
  Shape index;
  for (const LabelledAxis& axis : numbers.axes) {
    out.add(field(axis.name));
    if (axis.tokens) out.add(field(axis.name + "_token"));
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

}  // namespace

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

}  // namespace headlight
