#include "core/formats/script/script_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace headlight {
namespace {

/// Comments move right for a long line, but a very long one does not drag the whole paragraph along.
constexpr std::size_t comment_column_limit = 84;

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
    else line += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return line;
}

}  // namespace headlight
