// Where words are bent to fit a sentence: lists, counts, what belongs to somebody, and clauses as sentences. Nothing
// else does: a sentence that depends on a value is there in all its forms, whole. A check of the house looks for
// others.
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
template <class Count>
std::string counted(Count count, std::string_view one, std::string_view more) {
  return std::to_string(count).append(" ").append(count == 1 ? one : more);
}

/// Whether something with this name is several things: "weights match", but "loss matches" and "norm_bias matches".
constexpr bool is_plural(std::string_view name) {
  return name.ends_with('s') && !name.ends_with("ss") && !name.ends_with("bias");
}

/// What follows the name of who has something: "’s" of bank, "’" of bites.
constexpr std::string_view possessive_ending(std::string_view name) {
  return name.ends_with('s') || name.ends_with('S') ? "’" : "’s";
}
/// "bank’s", "bites’".
inline std::string possessive(std::string_view name) { return std::string(name).append(possessive_ending(name)); }

/// "the scale is missing" as a sentence: "The scale is missing."
inline std::string as_sentence(std::string_view clause) {
  std::string text(clause);
  if (text.empty()) return text;
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  if (!text.ends_with('.')) text += '.';
  return text;
}

/// The letter in lower case if it is ASCII; other bytes are unchanged.
inline char lower(char letter) { return static_cast<char>(std::tolower(static_cast<unsigned char>(letter))); }

}  // namespace headlight
