// Joins words as in a sentence, counts things, and converts ASCII letters to lower case.
#pragma once

#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>

namespace headlight {

/// "a", "a or b", "a, b or c".
template <class Words>
std::string listed(const Words& words, std::string_view last = " or ") {
  std::string text;
  std::size_t left = words.size();
  for (const auto& word : words) {
    if (!text.empty()) text += left == 1 ? last : ", ";
    text += word;
    --left;
  }
  return text;
}

/// "1 query", "2 queries".
inline std::string counted(std::ptrdiff_t count, std::string_view one, std::string_view more) {
  return std::to_string(count).append(" ").append(count == 1 ? one : more);
}

/// Whether something with this name is several things: "weights match", but "loss matches" and "norm_bias matches".
constexpr bool is_plural(std::string_view name) {
  return name.ends_with('s') && !name.ends_with("ss") && !name.ends_with("bias");
}

/// The letter in lower case if it is ASCII; other bytes are unchanged.
inline char lower(char letter) { return static_cast<char>(std::tolower(static_cast<unsigned char>(letter))); }

}  // namespace headlight
