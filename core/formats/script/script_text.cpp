#include "core/formats/script/script_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/text/numbers.hpp"
#include "core/text/utf8.hpp"

namespace headlight::script_text {
namespace {

/// Comments move right for a long line, but a very long one does not drag the whole paragraph along.
constexpr std::size_t comment_column_limit = 84;

constexpr std::size_t text_width = 100;

}  // namespace

std::string paragraph(std::string_view heading, const Lines& lines) {
  std::size_t column = 0;
  for (const Line& line : lines) {
    if (!line.comment.empty() && line.code.size() <= comment_column_limit) column = std::max(column, line.code.size());
  }
  std::string text = heading.empty() ? std::string{} : fmt::format("# {}\n", heading);
  for (const auto& [code, comment] : lines) {
    text += comment.empty() ? fmt::format("{}\n", code) : fmt::format("{:<{}}  # {}\n", code, column, comment);
  }
  return text;
}

std::string in_comment(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const std::size_t length = utf8_sequence(text);
    const auto first = static_cast<unsigned char>(text.front());
    if (length == 0) line += '?';
    else if (first < 0x20 || first == 0x7f) line += ' ';
    else line += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return line;
}

std::string bracketed(std::string_view before, const std::vector<std::string>& items, std::string_view after) {
  const std::string short_form = fmt::format("{}{}{}", before, fmt::join(items, ", "), after);
  if (short_form.size() <= text_width) return short_form;
  std::string text;
  std::string line = "   ";
  for (const std::string& item : items) {
    if (line.size() + item.size() + 2 > text_width && line.size() > 3) {
      text += line + "\n";
      line = "   ";
    }
    line += " " + item + ",";
  }
  return fmt::format("{}\n{}{}\n{}", before, text, line, after);
}

std::string extent(Axis axis, const Job& job) {
  const std::string kv_heads = job.has_groups() ? "kv_heads" : "heads";
  switch (axis) {
    case Axis::batch: return "batch";
    case Axis::head: return "heads";
    case Axis::kv_head: return kv_heads;
    case Axis::query: return "query_length";
    case Axis::key: return job.setup.is_cross() ? "key_length" : "query_length";
    case Axis::d_model: return "d_model";
    case Axis::d_head: return "d_head";
    case Axis::head_columns: return "heads * d_head";
    case Axis::kv_columns: return kv_heads + " * d_head";
  }
  return {};
}

Extents extents(TensorId id, const Job& job) {
  Extents result;
  for (Axis axis : info(id).axis_list()) result.push_back(extent(axis, job));
  return result;
}

std::string shape_words(TensorId id, const Job& job) {
  std::vector<std::string_view> words;
  for (Axis axis : info(id).axis_list()) {
    if (!job.has_groups() && axis == Axis::kv_head) axis = Axis::head;
    if (!job.has_groups() && axis == Axis::kv_columns) axis = Axis::head_columns;
    words.push_back(axis_name(axis));
  }
  return fmt::format("({}{})", fmt::join(words, ", "), words.size() == 1 ? "," : "");
}

std::string number(double value) { return float_text(value); }

}  // namespace headlight::script_text
