// Text as ImGui edits it. Its characters have 16 bits, so that a caret would stop inside a letter with its accent, and
// an emoji would be lost. In a field such a grapheme is one character of the private area instead.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace headlight {

class FieldGraphemes {
 public:
  /// For ImGui: one character of 16 bits for each grapheme.
  std::string encoded(std::string_view text);
  /// The text that this represents; halves of a character that were typed one after the other become one.
  std::string decoded(std::string_view encoded) const;

  /// The number of ImGui's characters before this byte of the text, and the byte of the text behind so many.
  int characters_before(std::string_view text, std::size_t byte);
  std::size_t byte_behind(std::string_view text, int characters);

 private:
  std::map<std::string, char32_t, std::less<>> codes_;
  std::vector<std::string> graphemes_;  ///< by their codes
};

}  // namespace headlight
