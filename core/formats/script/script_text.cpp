#include "core/formats/script/script_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace headlight::script_text {
namespace {

/// Comments move right for a long line, but a very long one does not drag the whole paragraph along.
constexpr std::size_t comment_column_limit = 84;

constexpr std::size_t text_width = 100;

/// How many bytes the UTF-8 sequence has that begins here; 0 where none does. Overlong forms and surrogates pass for
/// none, as they do in Python, which refuses a program with a single such byte.
std::size_t utf8_sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool refused = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                       (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
  return refused ? 0 : length;
}

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

std::string number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace headlight::script_text
