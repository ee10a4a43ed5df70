#include "core/text/word_pieces.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/text/characters.hpp"

namespace headlight {
namespace {

constexpr std::string_view byte_space = "Ġ", byte_newline = "Ċ", piece_space = "▁", joined = "##", newline = "↵";

/// "<s>", "[CLS]", "<|endoftext|>": no part of the text.
bool is_special(std::string_view token) {
  return token.size() > 2 &&
         ((token.starts_with('<') && token.ends_with('>')) || (token.starts_with('[') && token.ends_with(']')));
}

/// The byte that GPT-2 writes as this character: those that can be seen as themselves, the others from U+0100 on.
std::optional<char> byte_of(char32_t character) {
  const auto is_seen = [](char32_t c) { return (c > 0x20 && c < 0x7F) || (c > 0xA0 && c < 0x100 && c != 0xAD); };
  if (is_seen(character)) return static_cast<char>(character);
  char32_t next = 0x100;
  for (char32_t byte = 0; byte < 0x100; ++byte) {
    if (is_seen(byte)) continue;
    if (next++ == character) return static_cast<char>(byte);
  }
  return std::nullopt;
}

/// The text of a token in GPT-2's bytes; nothing if they are no text by themselves.
std::optional<std::string> decoded(std::string_view token) {
  std::string bytes, again;
  for (const char32_t character : characters_of(token)) {
    const auto byte = byte_of(character);
    if (!byte) return std::nullopt;
    bytes += *byte;
  }
  for (const char32_t character : characters_of(bytes)) again += utf8_of(character);
  return again == bytes ? std::optional(bytes) : std::nullopt;
}

}  // namespace

std::string readable_token(std::span<const std::string> tokens, std::size_t position) {
  const std::string& token = tokens[position];
  if (token == "<0x0A>") return std::string(newline);
  if (is_special(token) || token == byte_space || token == piece_space) return token;
  if (token.size() > joined.size() && token.starts_with(joined)) return "·" + token.substr(joined.size());
  const auto has = [&](std::string_view mark) {
    return std::ranges::any_of(tokens, [&](std::string_view each) { return each.starts_with(mark); });
  };
  const bool is_bytes = has(byte_space), is_pieces = !is_bytes && has(piece_space);
  if (!is_bytes && !is_pieces) return token;
  const std::string with_spaces =
      is_pieces ? replaced(token, piece_space, " ")
                : decoded(token).value_or(replaced(replaced(token, byte_space, " "), byte_newline, "\n"));
  const std::string text = replaced(with_spaces, "\n", newline);
  if (text.starts_with(' ')) return text.size() > 1 ? text.substr(1) : token;
  const bool is_first = position == 0 || is_special(tokens[position - 1]) || text.starts_with(newline);
  return is_first ? text : "·" + text;
}

std::string written_token(std::span<const std::string> tokens, std::size_t position) {
  const bool differs = position < tokens.size() && readable_token(tokens, position) != tokens[position];
  return differs ? tokens[position] : std::string{};
}

}  // namespace headlight
