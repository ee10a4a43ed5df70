#include "app/ui/fonts.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_ADVANCES_H
#include <imgui.h>
#include <imgui_freetype.h>

extern "C" {
extern const unsigned char _binary_Inter_Regular_otf_start[];
extern const unsigned char _binary_Inter_Regular_otf_end[];
extern const unsigned char _binary_Inter_SemiBold_otf_start[];
extern const unsigned char _binary_Inter_SemiBold_otf_end[];
extern const unsigned char _binary_JetBrainsMono_Regular_ttf_start[];
extern const unsigned char _binary_JetBrainsMono_Regular_ttf_end[];
extern const unsigned char _binary_JetBrainsMono_Medium_ttf_start[];
extern const unsigned char _binary_JetBrainsMono_Medium_ttf_end[];
extern const unsigned char _binary_DejaVuSans_ttf_start[];
extern const unsigned char _binary_DejaVuSans_ttf_end[];
}

namespace headlight {
namespace {

enum Face { inter, inter_semibold, mono, mono_medium, dejavu, face_count };

struct Bytes {
  const unsigned char* begin;
  const unsigned char* end;
};

Bytes bytes(Face face) {
  switch (face) {
    case inter: return {_binary_Inter_Regular_otf_start, _binary_Inter_Regular_otf_end};
    case inter_semibold: return {_binary_Inter_SemiBold_otf_start, _binary_Inter_SemiBold_otf_end};
    case mono: return {_binary_JetBrainsMono_Regular_ttf_start, _binary_JetBrainsMono_Regular_ttf_end};
    case mono_medium: return {_binary_JetBrainsMono_Medium_ttf_start, _binary_JetBrainsMono_Medium_ttf_end};
    default: return {_binary_DejaVuSans_ttf_start, _binary_DejaVuSans_ttf_end};
  }
}

struct StyleRow {
  Face face;
  float size;
  bool has_script;  ///< whether sub- and superscripts of this style are used
};

constexpr std::array<StyleRow, text_style_count> style_table{{
    {mono_medium, 32, false},    // big_value
    {inter_semibold, 22, true},  // title
    {inter, 20, true},           // formula
    {inter_semibold, 20, true},  // formula_strong
    {inter_semibold, 15, true},  // heading
    {inter, 14, true},           // body
    {inter_semibold, 14, true},  // body_strong
    {inter, 13, true},           // control
    {inter_semibold, 13, true},  // control_strong
    {inter, 12, true},           // caption
    {inter_semibold, 12, true},  // caption_strong
    {mono_medium, 15, false},    // number_lit
    {mono, 14, true},            // number
    {mono_medium, 14, true},     // number_strong
    {mono, 13, true},            // mono
    {mono_medium, 13, true},     // mono_strong
    {mono, 12, true},            // code
    {mono_medium, 12, true},     // code_strong
}};

constexpr float script_ratio = 0.78f;

const StyleRow& row(TextStyle style) { return style_table[static_cast<std::size_t>(style)]; }

/// Words in most alphabets that Inter has, and the signs that formulas and messages use.
constexpr auto word_ranges = std::to_array<ImWchar>({
    0x0020, 0x007E, 0x00A0, 0x017F,  // Latin
    0x0370, 0x03FF,                  // Greek
    0x0400, 0x045F,                  // Cyrillic
    0x1D40, 0x1D40, 0x1D48, 0x1D4F,  // ᵀ and other raised letters
    0x1E80, 0x1E85, 0x2010, 0x2027,  // dashes, quotes, dots
    0x2030, 0x203A, 0x2070, 0x209C,  // raised and lowered digits
    0x20AC, 0x20AC, 0x210A, 0x2122,  // letters as symbols
    0x2190, 0x2199, 0x21A9, 0x21AA,  // arrows
    0x21B5, 0x21B5, 0x21D0, 0x21D4,
    0x2200, 0x222B, 0x2248, 0x2248,  // mathematics
    0x2260, 0x2265, 0x2295, 0x2299, 0x22C5, 0x22C6,
    0x25A0, 0x25A1, 0x25B2, 0x25C0, 0x25C6, 0x25CF,  // shapes
    0x2713, 0x2717,                  // ticks and crosses
    0});
/// What sub- and superscripts and the big value are made of.
constexpr auto small_ranges = std::to_array<ImWchar>({0x0020, 0x007E, 0x00B0, 0x00B7, 0x0391, 0x03C9, 0x1D40, 0x1D40,
                                               0x2212, 0x221E, 0x2020, 0x2026, 0x2264, 0x2265, 0});

class FreeTypeFace {
 public:
  explicit FreeTypeFace(Face face) {
    const Bytes data = bytes(face);
    if (FT_Init_FreeType(&library_) != 0 ||
        FT_New_Memory_Face(library_, data.begin, static_cast<FT_Long>(data.end - data.begin), 0, &face_) != 0)
      throw std::runtime_error("an embedded font cannot be read");
  }
  ~FreeTypeFace() {
    FT_Done_Face(face_);
    FT_Done_FreeType(library_);
  }
  FreeTypeFace(const FreeTypeFace&) = delete;
  FreeTypeFace& operator=(const FreeTypeFace&) = delete;

  int units_per_em() const { return face_->units_per_EM; }
  int ascender() const { return face_->ascender; }
  int descender() const { return face_->descender; }
  bool has(ImWchar character) const { return FT_Get_Char_Index(face_, character) != 0; }
  float advance_in_em(ImWchar character) const {
    FT_Fixed advance = 0;
    if (FT_Get_Advance(face_, FT_Get_Char_Index(face_, character), FT_LOAD_NO_SCALE, &advance) != 0) return 0;
    return static_cast<float>(advance) / static_cast<float>(face_->units_per_EM);
  }

 private:
  FT_Library library_ = nullptr;
  FT_Face face_ = nullptr;
};

using Faces = std::array<std::unique_ptr<FreeTypeFace>, face_count>;

Faces open_faces() {
  Faces faces;
  for (int face = 0; face < face_count; ++face)
    faces[static_cast<std::size_t>(face)] = std::make_unique<FreeTypeFace>(static_cast<Face>(face));
  return faces;
}

void put_big_endian(unsigned char* to, int value) {
  to[0] = static_cast<unsigned char>((value >> 8) & 0xFF);
  to[1] = static_cast<unsigned char>(value & 0xFF);
}

unsigned read_big_endian(const unsigned char* from, int length) {
  unsigned value = 0;
  for (int i = 0; i < length; ++i) value = value << 8 | from[i];
  return value;
}

/// Start of a table of an OpenType file, null where it has none.
unsigned char* find_table(unsigned char* font, std::string_view tag) {
  const unsigned tables = read_big_endian(font + 4, 2);
  for (unsigned i = 0; i < tables; ++i) {
    const unsigned char* entry = font + 12 + 16 * i;
    if (std::equal(tag.begin(), tag.end(), entry)) return font + read_big_endian(entry + 8, 4);
  }
  return nullptr;
}

/// The atlas builder sizes fonts by line height and cuts that to whole pixels; designs size them by em. So the line
/// height that the font itself claims is made to be whole pixels at the em size that is wanted.
struct SizedFont {
  unsigned char* data;  ///< from ImGui's allocator, which frees it
  int length;
  float line_height;
};

SizedFont sized_font(const FreeTypeFace& face, Bytes source, float em_pixels) {
  const auto length = static_cast<std::size_t>(source.end - source.begin);
  auto* data = static_cast<unsigned char*>(ImGui::MemAlloc(length));
  std::copy(source.begin, source.end, data);
  const auto units = static_cast<float>(face.units_per_em());
  const float natural = static_cast<float>(face.ascender() - face.descender()) / units * em_pixels;
  const float line_height = std::ceil(natural);
  const int ascender = static_cast<int>(std::lround(static_cast<float>(face.ascender()) * line_height / natural));
  const int descender = ascender - static_cast<int>(std::lround(line_height * units / em_pixels));
  for (const auto& [tag, offset] : {std::pair{"hhea", 4}, std::pair{"OS/2", 68}}) {
    unsigned char* table = find_table(data, tag);
    if (!table) continue;
    put_big_endian(table + offset, ascender);
    put_big_endian(table + offset + 2, descender);
  }
  return {data, static_cast<int>(length), line_height};
}

ImFont* add_face(ImFontAtlas& atlas, const Faces& faces, Face face, float size, const ImWchar* ranges, bool merge) {
  ImFontConfig config;
  config.MergeMode = merge;
  const SizedFont font = sized_font(*faces[face], bytes(face), size);
  return atlas.AddFontFromMemoryTTF(font.data, font.length, font.line_height, &config, ranges);
}

ImFont* add_font(ImFontAtlas& atlas, const Faces& faces, Face face, float size, const ImWchar* ranges) {
  ImFont* font = add_face(atlas, faces, face, size, ranges, false);
  add_face(atlas, faces, dejavu, size, ranges, true);
  return font;
}

/// The builder rounds every advance up to a whole pixel, which spaces text too wide; take the design's advances.
void restore_advances(ImFont& font, const FreeTypeFace& main, const FreeTypeFace& fallback, float size) {
  for (ImFontGlyph& glyph : font.Glyphs) {
    const auto character = static_cast<ImWchar>(glyph.Codepoint);
    if (character == '\t') continue;
    glyph.AdvanceX = size * (main.has(character) ? main : fallback).advance_in_em(character);
  }
  font.BuildLookupTable();
}

}  // namespace

float text_size(TextStyle style, Script script) {
  const StyleRow& style_row = row(style);
  return style_row.size * (script != Script::normal && style_row.has_script ? script_ratio : 1);
}

namespace {

const FontFace& public_face(Face face) {
  const auto file = [](Face which) {
    const Bytes data = bytes(which);
    return std::span(data.begin, data.end);
  };
  static const std::array<FontFace, face_count> faces{{{"Inter", 400, false, file(inter)},
                                                       {"Inter", 600, false, file(inter_semibold)},
                                                       {"JetBrains Mono", 400, true, file(mono)},
                                                       {"JetBrains Mono", 500, true, file(mono_medium)},
                                                       {"DejaVu Sans", 400, false, file(dejavu)}}};
  return faces[face];
}

}  // namespace

const FontFace& face_of(TextStyle style) { return public_face(row(style).face); }

const FontFace& fallback_face() { return public_face(dejavu); }

Fonts::Fonts(ImFontAtlas& atlas, float scale) : scale_(scale) {
  atlas.Clear();
  atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
  atlas.FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
  atlas.Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight;
  atlas.TexDesiredWidth = scale > 1.5f ? 4096 : 2048;
  const Faces faces = open_faces();
  for (std::size_t i = 0; i < text_style_count; ++i) {
    const StyleRow& style = style_table[i];
    const bool big = static_cast<TextStyle>(i) == TextStyle::big_value;
    normal_[i] = add_font(atlas, faces, style.face, style.size * scale, big ? small_ranges.data() : word_ranges.data());
    if (style.has_script)
      script_[i] = add_font(atlas, faces, style.face, style.size * scale * script_ratio, small_ranges.data());
  }
  if (!atlas.Build()) throw std::runtime_error("the fonts cannot be rasterised");
  atlas.ClearInputData();
  for (std::size_t i = 0; i < text_style_count; ++i) {
    const StyleRow& style = style_table[i];
    restore_advances(*normal_[i], *faces[style.face], *faces[dejavu], style.size * scale);
    if (script_[i])
      restore_advances(*script_[i], *faces[style.face], *faces[dejavu], style.size * scale * script_ratio);
  }
}

ImFont& Fonts::font(TextStyle style, Script script) const {
  const auto i = static_cast<std::size_t>(style);
  return script != Script::normal && script_[i] ? *script_[i] : *normal_[i];
}

std::array<FontCredit, 3> font_credits() {
  return {{
      {"Inter", "The Inter Project Authors", "SIL Open Font License 1.1"},
      {"JetBrains Mono", "JetBrains s.r.o.", "Apache License 2.0"},
      {"DejaVu Sans", "Bitstream, Inc. and the DejaVu contributors", "Bitstream Vera license"},
  }};
}

}  // namespace headlight
