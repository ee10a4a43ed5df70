#include "app/shaping/line_breaks.hpp"

#include <hb.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "app/shaping/system_line_breaks.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

/// Of scripts without spaces between words, and of the signs among them.
bool is_written_without_spaces(char32_t character) {
  switch (hb_unicode_script(hb_unicode_funcs_get_default(), character)) {
    case HB_SCRIPT_HAN:
    case HB_SCRIPT_HIRAGANA:
    case HB_SCRIPT_KATAKANA:
    case HB_SCRIPT_BOPOMOFO:
    case HB_SCRIPT_THAI:
    case HB_SCRIPT_LAO:
    case HB_SCRIPT_KHMER:
    case HB_SCRIPT_MYANMAR: return true;
    default: return (character >= 0x3000 && character <= 0x30FF) || (character >= 0xFF01 && character <= 0xFF60);
  }
}

/// Where the first such character of a text ends; 0 if there is none. All of them have three bytes or more, and most
/// words of a frame have no such letter at all.
std::size_t end_of_first_without_spaces(std::string_view text) {
  const auto begins_long_letter = [](char c) { return static_cast<unsigned char>(c) >= 0xE0; };
  for (auto at = std::ranges::find_if(text, begins_long_letter); at != text.end();
       at = std::find_if(at + 1, text.end(), begins_long_letter)) {
    const auto begin = static_cast<std::size_t>(at - text.begin());
    const std::size_t length = utf8_sequence(text.substr(begin));
    const auto letter = characters_of(text.substr(begin, length));
    if (!letter.empty() && is_written_without_spaces(letter.front())) return begin + length;
  }
  return 0;
}

/// What is looked at around a place: enough for the words there, and no more where a text is long.
constexpr std::size_t nearby = 200;

bool begins_character(std::string_view text, std::size_t at) {
  return at >= text.size() || (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80;
}
std::string_view beginning_of(std::string_view text, std::size_t count) {
  std::size_t end = std::min(count, text.size());
  while (!begins_character(text, end)) ++end;
  return text.substr(0, end);
}
std::string_view end_of(std::string_view text, std::size_t count) {
  std::size_t begin = text.size() - std::min(count, text.size());
  while (!begins_character(text, begin)) ++begin;
  return text.substr(begin);
}

}  // namespace

bool may_break_between(std::string_view before, std::string_view after) {
  const std::string_view left = end_of(before, nearby);
  const std::string_view right = beginning_of(after, nearby);
  if (left.empty() || right.empty()) return false;
  if (end_of_first_without_spaces(left) == 0 && end_of_first_without_spaces(right) == 0) return false;
  return next_line_break(std::string(left) + std::string(right), left.size() - 1) == left.size();
}

std::size_t unbroken_length(std::string_view word) {
  const std::size_t first = end_of_first_without_spaces(word);
  if (first == 0) return word.size();
  const std::string_view looked_at = beginning_of(word, first + nearby);
  const std::size_t found = next_line_break(std::string(looked_at), 0);
  return found < looked_at.size() ? found : word.size();
}

}  // namespace headlight
