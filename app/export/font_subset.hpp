// Fonts cut down to the characters that a drawing uses.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "app/ui/drawing/display_list.hpp"
#include "app/ui/text/fonts.hpp"

namespace headlight {

using Characters = std::set<char32_t>;

/// Whether the face has glyphs for characters.
class Coverage {
 public:
  explicit Coverage(const FontFace& face);
  bool has(char32_t character) const { return characters_.contains(character); }

 private:
  Characters characters_;
};

/// What the faces have, each looked at once.
class Coverages {
 public:
  const Coverage& of(const FontFace& face) { return known_.try_emplace(&face, face).first->second; }
  /// Whether the style's own face or the fallback has each character.
  bool has_all(const TextShape& text);

 private:
  std::map<const FontFace*, Coverage> known_;
};

/// A face, and the characters of a drawing that it draws: a style's own face where that has the character, else the
/// fallback.
struct UsedFace {
  const FontFace* face = nullptr;
  Characters characters;
};
std::vector<UsedFace> used_faces(const DisplayList& drawing);

/// A font file (OpenType) of these characters alone, without kerning and ligatures, which the screen has not either.
std::vector<unsigned char> subset_of(const UsedFace& used);

}  // namespace headlight
