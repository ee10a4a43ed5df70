#include "core/formats/script/script_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/text/characters.hpp"

namespace headlight {
namespace {

/// Comments are aligned after the longest line of code in a paragraph, but lines longer than this are not counted.
constexpr std::size_t comment_column_limit = 84;

}  // namespace

std::string paragraph(std::string_view heading, const CodeLines& lines) {
  std::size_t column = 0;
  for (const CodeLine& line : lines) {
    if (!line.comment.empty() && line.code.size() <= comment_column_limit) column = std::max(column, line.code.size());
  }
  std::string text = heading.empty() ? std::string{} : fmt::format("# {}\n", heading);
  for (const CodeLine& line : lines) {
    text += line.comment.empty() ? fmt::format("{}\n", line.code)
                                 : fmt::format("{:<{}}  # {}\n", line.code, column, line.comment);
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
    else line += printable(text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return line;
}

}  // namespace headlight
