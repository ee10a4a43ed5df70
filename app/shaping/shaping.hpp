// From text to glyphs: letters that join, marks on letters, words from right to left, emoji of several characters.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "app/shaping/font_face.hpp"

namespace headlight {

/// How many bytes the first grapheme of the text has: what a person calls a character. 0 if the text is empty.
std::size_t grapheme_length(std::string_view text);

/// Whether a text is more than a row of glyphs from left to right, one for each character of 16 bits.
bool needs_shaping(std::string_view text);

/// One glyph, in em: its offset from the pen, positive upwards, and how far the pen moves then.
struct ShapedGlyph {
  const FontFace* face = nullptr;
  unsigned glyph = 0;
  float x = 0;
  float y = 0;
  float advance = 0;
  std::size_t begin = 0;  ///< the bytes of the text that it shows, together with its neighbours that have the same
  std::size_t end = 0;
  bool backwards = false;  ///< they run from right to left
};

/// A line, its glyphs from left to right.
struct ShapedText {
  std::vector<ShapedGlyph> glyphs;
  bool right_to_left = false;  ///< the direction of the line as a whole: that of its first letter

  float width() const;  ///< in em
  /// How far a caret before this byte of the text is from the left, in em; `size` is that of the text.
  float caret_offset(std::size_t byte, std::size_t size) const;
  /// The byte behind a caret at this offset from the left.
  std::size_t byte_at(float offset, std::size_t size) const;
};

/// Finds the face for each grapheme: the first of the program's own that has it, else one of the system.
class Shaper {
 public:
  Shaper();
  ~Shaper();
  Shaper(const Shaper&) = delete;
  Shaper& operator=(const Shaper&) = delete;

  /// A grapheme that no face has is shown as U+FFFD. Ligatures and kerning of the first face are left out: its text is
  /// drawn character by character elsewhere.
  ShapedText shape(std::string_view text, const FontFace& own, const FontFace& fallback);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headlight
