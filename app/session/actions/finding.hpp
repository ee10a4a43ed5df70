// Finds by typed words: how well something with a name and words about it fits them. For the palette.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace headlight {

/// What can be found.
struct Findable {
  std::string name;        ///< as its line shows it: "Larger", "W_q  (4, 4)"
  std::string also = {};   ///< other words for it, and what it belongs to: "bigger zoom in", "View"
  std::string about = {};  ///< words about it, of which only whole ones count, and beginnings of five letters
};

/// How well it fits what was typed; 0 if not all of the typed words are in it. A word is found where one begins with
/// it, or, with three letters or more, inside a word of the name. Letters that are scattered over a text are no match.
/// Words such as "how" and "the" may be missing. Everything fits an empty text.
int match_quality(std::string_view typed, const Findable& what);

/// The line of `about` around the first word that was typed, as short as a label; empty if none of them is in it.
std::string found_words(std::string_view typed, std::string_view about);

/// What people type who don't know the name here of an action, a tensor or a setting.
struct OtherWords {
  std::string_view name;   ///< "scale.larger", "weights", "sizes.heads"
  std::string_view words;  ///< "bigger zoom in"
};
std::span<const OtherWords> other_words();
/// Those for one of them; empty if there are none.
std::string_view other_words(std::string_view name);

}  // namespace headlight
