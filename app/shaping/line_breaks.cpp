#include "app/shaping/line_breaks.hpp"

#include <hb.h>

#include <algorithm>
#include <string_view>

#include "app/shaping/shaping.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

hb_unicode_general_category_t kind_of(char32_t character) {
  return hb_unicode_general_category(hb_unicode_funcs_get_default(), character);
}

/// Characters of scripts without spaces between words, and the signs among them, which are as wide as they are.
bool stands_alone(char32_t character) {
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

/// Signs that close, and the small and repeating ones of Japanese.
bool begins_no_line(char32_t character) {
  constexpr std::u32string_view small = U"ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶー々ゝゞヽヾ～";
  switch (kind_of(character)) {
    case HB_UNICODE_GENERAL_CATEGORY_CLOSE_PUNCTUATION:
    case HB_UNICODE_GENERAL_CATEGORY_FINAL_PUNCTUATION:
    case HB_UNICODE_GENERAL_CATEGORY_OTHER_PUNCTUATION: return true;
    default: return small.find(character) != std::u32string_view::npos;
  }
}

bool ends_no_line(char32_t character) {
  const auto kind = kind_of(character);
  return kind == HB_UNICODE_GENERAL_CATEGORY_OPEN_PUNCTUATION ||
         kind == HB_UNICODE_GENERAL_CATEGORY_INITIAL_PUNCTUATION;
}

/// The first character of a text; of a grapheme it is the one that the others change. 0 where it is not valid.
char32_t leading_character(std::string_view text) {
  const auto characters = characters_of(text.substr(0, utf8_sequence(text)));
  return characters.empty() ? 0 : characters.front();
}

bool may_break_at(char32_t before, char32_t after) {
  return (stands_alone(before) || stands_alone(after)) && !ends_no_line(before) && !begins_no_line(after);
}

/// Below U+0800 every script has spaces.
bool has_spaces(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0xE0; });
}

}  // namespace

bool may_break_between(std::string_view before, std::string_view after) {
  if (before.empty() || after.empty() || (has_spaces(before) && has_spaces(after))) return false;
  std::string_view last = before;
  while (grapheme_length(last) < last.size()) last.remove_prefix(grapheme_length(last));
  return may_break_at(leading_character(last), leading_character(after));
}

std::size_t unbroken_length(std::string_view word) {
  if (has_spaces(word)) return word.size();
  std::size_t at = grapheme_length(word);
  for (char32_t before = leading_character(word); at < word.size();) {
    const char32_t after = leading_character(word.substr(at));
    if (may_break_at(before, after)) break;
    before = after;
    at += grapheme_length(word.substr(at));
  }
  return at;
}

}  // namespace headlight
