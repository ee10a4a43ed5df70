// The fonts of the app: Inter for words, JetBrains Mono for numbers, DejaVu Sans for characters that neither has (ᵀ √ Σ
// Δ), and the system's for those that DejaVu does not have either (猫).
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "app/shaping/font_face.hpp"
#include "app/shaping/shaping.hpp"

struct ImFont;
struct ImFontAtlas;
struct ImFontGlyph;

namespace headlight {

class GlyphAtlas;

enum class TextStyle : std::uint8_t {
  big_value,          ///< Mono 32/500: the selected number
  title,              ///< Inter 22/600: page and step titles
  formula,            ///< Inter 20/400: the formula ribbon
  formula_strong,     ///< Inter 20/600: its active term, diagnosis titles
  speech,             ///< Inter 26/400: large notes of a speaker
  speech_strong,      ///< Inter 26/600
  heading,            ///< Inter 15/600: panels, heads, products
  body,               ///< Inter 14/400: narration, tokens, tabs; lines of 21
  body_strong,        ///< Inter 14/600
  control,            ///< Inter 13/400: controls, labels
  control_strong,     ///< Inter 13/600: section heads
  caption,            ///< Inter 12/400: captions, status
  caption_strong,     ///< Inter 12/600
  huge_number_lit,    ///< Mono 36/500: numbers in the bands, in cells of 176 pixels, as on a wall
  huge_number,        ///< Mono 34/400: numbers in such cells
  larger_number_lit,  ///< Mono 27/500: numbers in the bands, in cells of 132 pixels
  larger_number,      ///< Mono 26/400: numbers in such cells
  large_number_lit,   ///< Mono 19/500: numbers in the bands, in large cells
  large_number,       ///< Mono 18/400: numbers in large cells
  number_lit,         ///< Mono 15/500: numbers in the bands
  number,             ///< Mono 14/400: numbers elsewhere
  number_strong,      ///< Mono 14/500: steppers
  mono,               ///< Mono 13/400: numbers in tables
  mono_strong,        ///< Mono 13/500
  code,               ///< Mono 12/400: shapes, indices, code
  code_strong,        ///< Mono 12/500
  reading,            ///< Inter 17/400: words of a lesson; lines of 25
  reading_strong,     ///< Inter 17/600
  reading_small,      ///< Inter 15/400: the same where there are many; lines of 22
  reading_number,     ///< Mono 15/400: numbers among them
};
constexpr std::size_t text_style_count = static_cast<std::size_t>(TextStyle::reading_number) + 1;

/// The least type of a lesson.
inline constexpr float least_lesson_type = 15;
/// The style itself, or where it is smaller than `least`, the next one of its face that is not. There are such up to
/// least_lesson_type.
TextStyle legible(TextStyle style, float least = least_lesson_type);

/// Sub- and superscripts are 0.78 of their parent, shifted +0.22 and −0.38 em.
enum class Script : std::uint8_t { normal, sub, super };

/// The design size of a style before scaling, or of its sub- and superscripts if it has them.
float text_size(TextStyle style, Script script = Script::normal);

/// The face of a style.
const FontFace& face_of(TextStyle style);
/// The face for characters that a style's own face does not have.
const FontFace& fallback_face();

/// The picture of a glyph in the texture: its corners from the pen on the baseline in pixels, positive downwards, and
/// those in the texture. Without an area where the glyph shows nothing.
struct GlyphSprite {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  float u0 = 0, v0 = 0, u1 = 0, v1 = 0;
};

/// All fonts at one scale. A character is rasterised when it is first needed, at exactly the size at which it is drawn.
class Fonts {
 public:
  /// Clears and fills ImGui's atlas, which must outlive the fonts. `scale` is device pixels per design pixel.
  Fonts(ImFontAtlas& atlas, float scale);
  ~Fonts();
  Fonts(const Fonts&) = delete;
  Fonts& operator=(const Fonts&) = delete;

  float scale() const;
  /// The font of a style, with only the characters that were needed so far.
  ImFont& font(TextStyle style, Script script = Script::normal) const;
  /// The glyph of a character, which is added to its font if needed. U+FFFD if no face has the character.
  const ImFontGlyph& glyph(TextStyle style, Script script, unsigned short character) const;
  /// The glyphs of a text that needs shaping. The reference is valid until the next call.
  const ShapedText& shaped(TextStyle style, std::string_view text) const;
  /// The picture of one of its glyphs.
  const GlyphSprite& sprite(TextStyle style, Script script, const ShapedGlyph& glyph) const;
  /// Adds all characters of a text that ImGui will draw.
  void prepare(TextStyle style, std::string_view text) const;

  /// The texture of the glyphs. Upload it after a frame is built and before it is rendered.
  GlyphAtlas& glyphs() const;
  /// Whether the texture had no room for a glyph, which is blank then. Create new Fonts, which start empty.
  bool full() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headlight
