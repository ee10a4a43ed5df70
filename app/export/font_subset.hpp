// Cuts fonts down to the characters that a drawing uses.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "app/ui/drawing/display_list.hpp"
#include "app/ui/drawing/fonts.hpp"

namespace headlight {

using Characters = std::set<char32_t>;

/// The characters that a face has glyphs for.
class Coverage {
 public:
  explicit Coverage(const FontFace& face);
  bool has(char32_t character) const { return characters_.contains(character); }

 private:
  Characters characters_;
};

/// The coverage of faces, each computed once.
class Coverages {
 public:
  const Coverage& of(const FontFace& face) { return known_.try_emplace(&face, face).first->second; }
  /// Whether every character of the text is in its style's own face or in the fallback.
  bool has_all(const TextShape& text);

 private:
  std::map<const FontFace*, Coverage> known_;
};

/// A face and the characters of a drawing that are drawn with it. A character is drawn with its style's own face if
/// that has it, otherwise with the fallback or with a face of the system.
struct UsedFace {
  const FontFace* face = nullptr;
  Characters characters;
  bool shapes = false;  ///< some of its text is more than a glyph for each character
};
std::vector<UsedFace> used_faces(const DisplayList& drawing);

/// The faces of a text, and its characters in each.
std::vector<UsedFace> faces_in(const TextShape& text, Coverages& coverages, Shaper& shaper);

/// An OpenType font file with only these characters; unless it shapes, without kerning and ligatures, which the screen
/// does not use then either. Empty if HarfBuzz cannot make it, as of some fonts of the system; the viewer's own are
/// used then.
std::vector<unsigned char> subset_of(const UsedFace& used);

}  // namespace headlight
