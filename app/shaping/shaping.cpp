#include "app/shaping/shaping.hpp"

#include <fribidi.h>
#include <hb.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "app/shaping/destroyer.hpp"
#include "app/shaping/system_fonts.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

constexpr char32_t joiner = 0x200D;
constexpr char32_t replacement = 0xFFFD;
constexpr char32_t left_out = 0x110000;  ///< in place of a character that the glyph before it shows too

bool is_in(char32_t character, char32_t first, char32_t last) { return character >= first && character <= last; }

hb_unicode_general_category_t category_of(char32_t character) {
  return hb_unicode_general_category(hb_unicode_funcs_get_default(), character);
}

bool is_mark(char32_t character) {
  const auto category = category_of(character);
  return category == HB_UNICODE_GENERAL_CATEGORY_NON_SPACING_MARK ||
         category == HB_UNICODE_GENERAL_CATEGORY_SPACING_MARK || category == HB_UNICODE_GENERAL_CATEGORY_ENCLOSING_MARK;
}

/// The sign of Indic scripts that joins two consonants.
bool is_virama(char32_t character) {
  constexpr int virama = 9;
  return hb_unicode_combining_class(hb_unicode_funcs_get_default(), character) == virama;
}

bool is_letter(char32_t character) { return category_of(character) == HB_UNICODE_GENERAL_CATEGORY_OTHER_LETTER; }

bool is_symbol(char32_t character) { return category_of(character) == HB_UNICODE_GENERAL_CATEGORY_OTHER_SYMBOL; }

bool is_skin_tone(char32_t character) { return is_in(character, 0x1F3FB, 0x1F3FF); }

bool is_tag(char32_t character) { return is_in(character, 0xE0020, 0xE007F); }

bool is_flag_half(char32_t character) { return is_in(character, 0x1F1E6, 0x1F1FF); }

/// Vowels and final consonants of Hangul that is written in parts.
bool is_part_of_syllable(char32_t character) { return is_in(character, 0x1160, 0x11FF); }

/// What changes the character before it, and shows nothing by itself.
bool modifies(char32_t character) {
  return is_mark(character) || character == joiner || is_in(character, 0xFE00, 0xFE0F) || is_skin_tone(character) ||
         is_tag(character) || is_part_of_syllable(character);
}

/// Shows nothing where the face does not know it.
bool can_be_left_out(char32_t character) {
  return is_in(character, 0x200B, 0x200F) || is_in(character, 0x202A, 0x202E) || is_in(character, 0x2060, 0x2069) ||
         is_in(character, 0xFE00, 0xFE0F) || is_tag(character);
}

struct Character {
  char32_t value = 0;
  std::size_t begin = 0;  ///< its bytes
  std::size_t end = 0;
};

/// Bytes that are not a character become U+FFFD.
Character first_character(std::string_view text, std::size_t at) {
  const std::size_t length = utf8_sequence(text.substr(at));
  if (length == 0) return {replacement, at, at + 1};
  const auto first = static_cast<unsigned char>(text[at]);
  char32_t value = length == 1 ? first : first & (0x7Fu >> length);
  for (const char c : text.substr(at + 1, length - 1)) value = value << 6 | (static_cast<unsigned char>(c) & 0x3Fu);
  return {value, at, at + length};
}

std::vector<Character> all_characters(std::string_view text) {
  std::vector<Character> all;
  for (std::size_t at = 0; at < text.size(); at = all.back().end) all.push_back(first_character(text, at));
  return all;
}

/// Whether the character is a part of the grapheme that ends with `before`. `flags` counts the halves of flags in it.
bool continues(char32_t before, char32_t character, int flags) {
  if (modifies(character)) return true;
  if (before == joiner) return is_symbol(character) || is_letter(character);
  if (is_virama(before)) return is_letter(character);
  return is_flag_half(character) && flags == 1;
}

}  // namespace

std::size_t grapheme_length(std::string_view text) {
  if (text.empty()) return 0;
  Character last = first_character(text, 0);
  int flags = is_flag_half(last.value) ? 1 : 0;
  while (last.end < text.size()) {
    const Character next = first_character(text, last.end);
    if (!continues(last.value, next.value, flags)) break;
    if (is_flag_half(next.value)) ++flags;
    last = next;
  }
  return last.end;
}

/// Every text of every frame is asked, so that what it mostly holds is told at a glance: letters, signs of mathematics.
bool needs_shaping(std::string_view text) {
  const auto shapes = [](char32_t c) {
    if (c < 0x300 || is_in(c, 0x2070, 0x20CF) || is_in(c, 0x2100, 0x2BFF)) return false;
    const bool joins = is_in(c, 0x0590, 0x109F) || is_in(c, 0x1100, 0x11FF) || is_in(c, 0x1700, 0x1CFF) ||
                       is_in(c, 0xA800, 0xABFF) || is_in(c, 0xFB1D, 0xFDFF) || is_in(c, 0xFE70, 0xFEFE);
    return c > 0xFFFF || joins || modifies(c) || can_be_left_out(c);
  };
  constexpr unsigned char first_of_combining = 0xCC;  // U+0300
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < first_of_combining) {
      at += byte < 0xC0 ? 1 : 2;
      continue;
    }
    const Character character = first_character(text, at);
    if (shapes(character.value)) return true;
    at = character.end;
  }
  return false;
}

float ShapedText::width() const {
  return std::accumulate(glyphs.begin(), glyphs.end(), 0.0f,
                         [](float sum, const ShapedGlyph& glyph) { return sum + glyph.advance; });
}

float ShapedText::caret_offset(std::size_t byte, std::size_t size) const {
  float left = 0;
  for (const ShapedGlyph& glyph : glyphs) {
    const bool is_here = byte >= glyph.begin && byte < glyph.end && byte < size;
    if (is_here && !glyph.backwards) return left;
    left += glyph.advance;
    const bool is_last = &glyph == &glyphs.back() || (&glyph + 1)->begin != glyph.begin;
    if (is_here && is_last) return left;
  }
  return right_to_left ? 0 : left;
}

std::size_t ShapedText::byte_at(float offset, std::size_t size) const {
  if (glyphs.empty()) return 0;
  float left = 0;
  for (const ShapedGlyph& glyph : glyphs) {
    const bool in_left_half = offset < left + glyph.advance / 2;
    left += glyph.advance;
    if (offset < left) return in_left_half != glyph.backwards ? glyph.begin : glyph.end;
  }
  return right_to_left ? 0 : size;
}

namespace {

using ShapingFont = Owned<hb_font_t, hb_font_destroy>;
using ShapingBuffer = Owned<hb_buffer_t, hb_buffer_destroy>;

/// Characters that are shaped together: of one face, script and direction.
struct ShapedRun {
  std::size_t begin = 0;  ///< of the characters
  std::size_t end = 0;
  const FontFace* face = nullptr;
  hb_script_t script = HB_SCRIPT_COMMON;
  FriBidiLevel level = 0;  ///< odd: from right to left
};

/// Whether a grapheme is a symbol with another one, a skin tone or tags, or a flag of two letters.
bool is_joined_emoji(const Character* begin, const Character* end) {
  if (!is_symbol(begin->value)) return false;
  return std::any_of(begin + 1, end, [](const Character& character) {
    return is_symbol(character.value) || is_skin_tone(character.value) || is_tag(character.value);
  });
}

/// The levels of all characters; the line's own direction becomes that of its first letter.
std::vector<FriBidiLevel> levels_of(const std::vector<Character>& characters, bool& right_to_left) {
  std::vector<FriBidiChar> values;
  for (const Character& character : characters) values.push_back(character.value);
  const auto count = static_cast<FriBidiStrIndex>(values.size());
  std::vector<FriBidiCharType> types(values.size());
  std::vector<FriBidiBracketType> brackets(values.size());
  std::vector<FriBidiLevel> levels(values.size());
  fribidi_get_bidi_types(values.data(), count, types.data());
  fribidi_get_bracket_types(values.data(), count, types.data(), brackets.data());
  FriBidiParType direction = FRIBIDI_PAR_ON;
  const bool done =
      fribidi_get_par_embedding_levels_ex(types.data(), brackets.data(), count, &direction, levels.data()) != 0;
  if (!done) std::ranges::fill(levels, FriBidiLevel{0});
  right_to_left = done && FRIBIDI_IS_RTL(direction);
  return levels;
}

/// Puts runs in the order in which they are seen: from the highest level down, all that is at least as high is turned.
void put_in_sight(std::vector<ShapedRun>& runs) {
  FriBidiLevel highest = 0;
  for (const ShapedRun& run : runs) highest = std::max(highest, run.level);
  for (FriBidiLevel level = highest; level > 0; --level) {
    for (auto begin = runs.begin(); begin != runs.end();) {
      begin = std::find_if(begin, runs.end(), [&](const ShapedRun& run) { return run.level >= level; });
      const auto end = std::find_if(begin, runs.end(), [&](const ShapedRun& run) { return run.level < level; });
      std::reverse(begin, end);
      begin = end;
    }
  }
}

}  // namespace

struct Shaper::Impl {
  std::map<const FontFace*, ShapingFont> fonts;

  hb_font_t* font(const FontFace& face) {
    ShapingFont& made = fonts[&face];
    if (made) return made.get();
    hb_blob_t* const blob =
        hb_blob_create(reinterpret_cast<const char*>(face.file.data()), static_cast<unsigned>(face.file.size()),
                       HB_MEMORY_MODE_READONLY, nullptr, nullptr);
    hb_face_t* const opened = hb_face_create(blob, static_cast<unsigned>(face.index));
    made.reset(hb_font_create(opened));
    hb_face_destroy(opened);
    hb_blob_destroy(blob);
    return made.get();
  }

  bool has(const FontFace& face, char32_t character) {
    if (face.drawer) return true;
    hb_codepoint_t glyph = 0;
    return hb_font_get_nominal_glyph(font(face), character, &glyph) != 0;
  }

  /// How many glyphs that show something the face makes of a grapheme.
  int glyphs_of(const FontFace& face, const Character* begin, const Character* end) {
    if (face.drawer) return 1;
    const ShapingBuffer buffer(hb_buffer_create());
    for (const Character* character = begin; character != end; ++character)
      hb_buffer_add(buffer.get(), character->value, 0);
    hb_buffer_set_content_type(buffer.get(), HB_BUFFER_CONTENT_TYPE_UNICODE);
    hb_buffer_guess_segment_properties(buffer.get());
    hb_shape(font(face), buffer.get(), nullptr, 0);
    unsigned count = 0;
    const hb_glyph_position_t* const positions = hb_buffer_get_glyph_positions(buffer.get(), &count);
    return static_cast<int>(std::count_if(positions, positions + count,
                                          [](const hb_glyph_position_t& position) { return position.x_advance != 0; }));
  }

  /// For an emoji of several symbols: a face that joins them. Where there is none, the first symbol replaces all of
  /// them; but a flag is shown as its two letters, since one alone would be another country.
  const FontFace* face_for_joined(Character* begin, Character* end, const FontFace& own, const FontFace& fallback) {
    const auto joins = [&](const FontFace& face) {
      return has(face, begin->value) && glyphs_of(face, begin, end) == 1;
    };
    for (const FontFace* face : {&own, &fallback})
      if (joins(*face)) return face;
    if (const FontFace* const of_system = system_face_with(begin->value, joins)) return of_system;
    if (!is_flag_half(begin->value))
      for (Character* character = begin + 1; character != end; ++character) character->value = left_out;
    return face_for(begin, is_flag_half(begin->value) ? end : begin + 1, own, fallback);
  }

  /// Null if no face has the first of the characters.
  const FontFace* face_for(const Character* begin, const Character* end, const FontFace& own,
                           const FontFace& fallback) {
    const auto has_all = [&](const FontFace& face) {
      return std::all_of(begin, end, [&](const Character& character) {
        return can_be_left_out(character.value) || character.value == joiner || has(face, character.value);
      });
    };
    for (const FontFace* face : {&own, &fallback})
      if (has_all(*face)) return face;
    const FontFace* const of_system = system_face_with(begin->value);
    if (of_system && has_all(*of_system)) return of_system;
    // A mark that the face of its letter does not have is drawn by another one.
    for (const FontFace* face : {&own, &fallback})
      if (has(*face, begin->value)) return face;
    return of_system;
  }

  std::vector<ShapedRun> runs_of(std::vector<Character>& characters, std::string_view text,
                                 const std::vector<FriBidiLevel>& levels, const FontFace& own,
                                 const FontFace& fallback) {
    std::vector<ShapedRun> runs;
    hb_script_t script = HB_SCRIPT_COMMON;
    for (std::size_t at = 0; at < characters.size();) {
      const std::size_t bytes_end = characters[at].begin + grapheme_length(text.substr(characters[at].begin));
      std::size_t end = at;
      while (end < characters.size() && characters[end].begin < bytes_end) ++end;
      Character* const first = &characters[at];
      Character* const last = characters.data() + end;
      const FontFace* face = is_joined_emoji(first, last) ? face_for_joined(first, last, own, fallback)
                                                          : face_for(first, last, own, fallback);
      if (face == nullptr) {
        characters[at].value = replacement;
        face = has(own, replacement) ? &own : &fallback;
      }
      const hb_script_t here = hb_unicode_script(hb_unicode_funcs_get_default(), characters[at].value);
      if (here != HB_SCRIPT_COMMON && here != HB_SCRIPT_INHERITED) script = here;
      const bool joins = !runs.empty() && runs.back().face == face && runs.back().level == levels[at] &&
                         (runs.back().script == script || runs.back().script == HB_SCRIPT_COMMON);
      if (joins) {
        runs.back().end = end;
        runs.back().script = script;
      } else {
        runs.push_back({at, end, face, script, levels[at]});
      }
      at = end;
    }
    return runs;
  }

  /// Of a face that is drawn for us: a glyph for each grapheme, but from right to left, where letters may join, for all
  /// that fit into a picture.
  void add_drawn(ShapedText& shaped, const ShapedRun& run, const std::vector<Character>& characters,
                 std::string_view text) {
    constexpr int most_joined = 32;
    const bool backwards = run.level % 2 == 1;
    const std::size_t end = characters[run.end - 1].end;
    std::vector<ShapedGlyph> glyphs;
    for (std::size_t begin = characters[run.begin].begin; begin < end;) {
      std::size_t next = begin;
      for (int count = 0; count < (backwards ? most_joined : 1) && next < end; ++count)
        next += grapheme_length(text.substr(next));
      const unsigned glyph = run.face->drawer->glyph_of(text.substr(begin, next - begin));
      glyphs.push_back({run.face, glyph, 0, 0, run.face->drawer->advance_in_em(glyph), begin, next, backwards});
      begin = next;
    }
    if (backwards) std::ranges::reverse(glyphs);
    shaped.glyphs.insert(shaped.glyphs.end(), glyphs.begin(), glyphs.end());
  }

  void add(ShapedText& shaped, const ShapedRun& run, const std::vector<Character>& characters, bool is_own) {
    const ShapingBuffer buffer(hb_buffer_create());
    for (std::size_t i = run.begin; i < run.end; ++i)
      if (characters[i].value != left_out)
        hb_buffer_add(buffer.get(), characters[i].value, static_cast<unsigned>(characters[i].begin));
    hb_buffer_set_content_type(buffer.get(), HB_BUFFER_CONTENT_TYPE_UNICODE);
    const bool backwards = run.level % 2 == 1;
    hb_buffer_set_direction(buffer.get(), backwards ? HB_DIRECTION_RTL : HB_DIRECTION_LTR);
    hb_buffer_set_script(buffer.get(), run.script);
    hb_buffer_guess_segment_properties(buffer.get());
    constexpr unsigned whole = HB_FEATURE_GLOBAL_END;
    const hb_feature_t plain[] = {{HB_TAG('k', 'e', 'r', 'n'), 0, HB_FEATURE_GLOBAL_START, whole},
                                  {HB_TAG('l', 'i', 'g', 'a'), 0, HB_FEATURE_GLOBAL_START, whole},
                                  {HB_TAG('c', 'a', 'l', 't'), 0, HB_FEATURE_GLOBAL_START, whole}};
    hb_font_t* const with = font(*run.face);
    hb_shape(with, buffer.get(), plain, is_own ? static_cast<unsigned>(std::size(plain)) : 0);
    unsigned count = 0;
    const hb_glyph_info_t* const glyphs = hb_buffer_get_glyph_infos(buffer.get(), &count);
    const hb_glyph_position_t* const positions = hb_buffer_get_glyph_positions(buffer.get(), &count);
    const float unit = 1 / static_cast<float>(hb_face_get_upem(hb_font_get_face(with)));
    const std::size_t bytes_end = characters[run.end - 1].end;
    std::vector<unsigned> clusters;
    for (unsigned i = 0; i < count; ++i) clusters.push_back(glyphs[i].cluster);
    std::ranges::sort(clusters);
    for (unsigned i = 0; i < count; ++i) {
      // A cluster ends where the next one in reading order begins.
      const auto next = std::ranges::upper_bound(clusters, glyphs[i].cluster);
      const std::size_t end = next == clusters.end() ? bytes_end : *next;
      shaped.glyphs.push_back({run.face, glyphs[i].codepoint, static_cast<float>(positions[i].x_offset) * unit,
                               static_cast<float>(positions[i].y_offset) * unit,
                               static_cast<float>(positions[i].x_advance) * unit, glyphs[i].cluster, end, backwards});
    }
  }
};

Shaper::Shaper() : impl_(std::make_unique<Impl>()) {}
Shaper::~Shaper() = default;

ShapedText Shaper::shape(std::string_view text, const FontFace& own, const FontFace& fallback) {
  ShapedText shaped;
  std::vector<Character> characters = all_characters(text);
  if (characters.empty()) return shaped;
  const std::vector<FriBidiLevel> levels = levels_of(characters, shaped.right_to_left);
  std::vector<ShapedRun> runs = impl_->runs_of(characters, text, levels, own, fallback);
  put_in_sight(runs);
  for (const ShapedRun& run : runs) {
    if (run.face->drawer) impl_->add_drawn(shaped, run, characters, text);
    else impl_->add(shaped, run, characters, run.face == &own);
  }
  return shaped;
}

}  // namespace headlight
