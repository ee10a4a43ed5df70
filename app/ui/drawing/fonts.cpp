#include "app/ui/drawing/fonts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include <imgui.h>

#include "app/shaping/system_fonts.hpp"
#include "app/ui/drawing/glyph_atlas.hpp"
#include "app/ui/drawing/glyph_face.hpp"
#include "app/ui/drawing/imgui_seam.hpp"

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
    {inter, 26, true},           // speech
    {inter_semibold, 26, true},  // speech_strong
    {inter_semibold, 15, true},  // heading
    {inter, 14, true},           // body
    {inter_semibold, 14, true},  // body_strong
    {inter, 13, true},           // control
    {inter_semibold, 13, true},  // control_strong
    {inter, 12, true},           // caption
    {inter_semibold, 12, true},  // caption_strong
    {mono_medium, 36, false},    // huge_number_lit
    {mono, 34, false},           // huge_number
    {mono_medium, 27, false},    // larger_number_lit
    {mono, 26, false},           // larger_number
    {mono_medium, 19, false},    // large_number_lit
    {mono, 18, false},           // large_number
    {mono_medium, 15, false},    // number_lit
    {mono, 14, true},            // number
    {mono_medium, 14, true},     // number_strong
    {mono, 13, true},            // mono
    {mono_medium, 13, true},     // mono_strong
    {mono, 12, true},            // code
    {mono_medium, 12, true},     // code_strong
    {inter, 17, true},           // reading
    {inter_semibold, 17, true},  // reading_strong
    {inter, 15, true},           // reading_small
    {mono, 15, true},            // reading_number
}};

constexpr float script_ratio = 0.78f;

const StyleRow& row(TextStyle style) { return style_table[static_cast<std::size_t>(style)]; }

}  // namespace

TextStyle legible(TextStyle style, float least) {
  using T = TextStyle;
  // Of each face, from small to large.
  constexpr std::array<std::array<TextStyle, 4>, 4> faces{
      {{T::caption, T::control, T::body, T::reading_small},
       {T::caption_strong, T::control_strong, T::body_strong, T::heading},
       {T::code, T::mono, T::number, T::reading_number},
       {T::code_strong, T::mono_strong, T::number_strong, T::number_lit}}};
  for (const auto& face : faces) {
    const auto own = std::ranges::find(face, style);
    if (own == face.end()) continue;
    const auto large = std::find_if(own, face.end(), [&](TextStyle each) { return row(each).size >= least; });
    return large == face.end() ? face.back() : *large;
  }
  return style;
}

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

namespace {

constexpr unsigned short replacement = 0xFFFD;

/// The texture's side in pixels, with room for all common characters; a larger scale needs more.
int atlas_side(float scale) { return scale > 2 ? 4096 : 2048; }

/// So many texts are kept shaped, far more than are seen at once.
constexpr std::size_t most_shaped = 2000;

/// One of ImGui's fonts, with the face of its characters.
struct SizedFont {
  Face face = inter;
  float em_pixels = 0;
  ImFont* font = nullptr;  ///< the atlas owns it
};

}  // namespace

struct Fonts::Impl {
  ImFontAtlas& atlas;
  float scale;
  GlyphAtlas glyphs;
  std::map<const FontFace*, GlyphFace> faces;  ///< opened when they are needed
  std::array<SizedFont, text_style_count> normal;
  std::array<SizedFont, text_style_count> script;
  Shaper shaper;
  std::map<std::pair<Face, std::string>, ShapedText> shaped;
  std::map<std::tuple<const FontFace*, unsigned, float>, GlyphSprite> sprites;
  bool full = false;

  Impl(ImFontAtlas& a, float s) : atlas(a), scale(s), glyphs(atlas_side(s)) {
    atlas.Clear();
    for (std::size_t i = 0; i < text_style_count; ++i) {
      const StyleRow& style = style_table[i];
      normal[i] = add_font(style.face, style.size * scale);
      script[i] = style.has_script ? add_font(style.face, style.size * scale * script_ratio) : normal[i];
    }
    const AtlasSlot white = glyphs.white();
    imgui::use_own_texture(atlas, glyphs.side(), {static_cast<float>(white.x), static_cast<float>(white.y)});
  }

  SizedFont add_font(Face face, float em_pixels) {
    const LineMetrics line = opened(public_face(face)).line(em_pixels);
    return {face, em_pixels, &imgui::add_font(atlas, line.ascent, line.height, replacement)};
  }

  GlyphFace& opened(const FontFace& face) { return faces.try_emplace(&face, face).first->second; }

  const SizedFont& sized(TextStyle style, Script kind) const {
    return (kind == Script::normal ? normal : script)[static_cast<std::size_t>(style)];
  }

  /// The face of a character: the style's own, DejaVu, or one of the system; null if none has it.
  const FontFace* face_with(Face style, unsigned short character) {
    for (const Face face : {style, dejavu})
      if (opened(public_face(face)).has(character)) return &public_face(face);
    return system_face_with(character);
  }

  const ImFontGlyph& add(const SizedFont& sized, unsigned short character) {
    const FontFace* found = face_with(sized.face, character);
    const unsigned shown = found ? character : replacement;
    if (!found) found = face_with(sized.face, replacement);
    GlyphFace& face = opened(*found);
    const GlyphSprite& drawn = sprite(*found, face.index_of(shown), sized.em_pixels);
    const float base = sized.font->Ascent;
    return imgui::add_glyph(*sized.font, character, {drawn.x0, drawn.y0 + base, drawn.x1, drawn.y1 + base},
                            {drawn.u0, drawn.v0, drawn.u1, drawn.v1}, sized.em_pixels * face.advance_in_em(shown));
  }

  const ShapedText& shape(Face face, std::string_view text) {
    const auto [found, is_new] = shaped.try_emplace({face, std::string(text)});
    if (!is_new) return found->second;
    ShapedText made = shaper.shape(text, public_face(face), fallback_face());
    if (shaped.size() <= most_shaped) return found->second = std::move(made);
    shaped.clear();
    return shaped[{face, std::string(text)}] = std::move(made);
  }

  const GlyphSprite& sprite(const FontFace& face, unsigned index, float em_pixels) {
    const auto [found, is_new] = sprites.try_emplace({&face, index, em_pixels});
    if (!is_new) return found->second;
    const DrawnGlyph glyph = opened(face).glyph(index, em_pixels);
    const auto slot = glyphs.add(glyph);
    if (!slot) full = true;
    if (!slot || glyph.coverage.empty()) return found->second;
    const auto x = static_cast<float>(slot->x), y = static_cast<float>(slot->y);
    const auto width = static_cast<float>(glyph.width), height = static_cast<float>(glyph.height);
    const auto left = static_cast<float>(glyph.left), top = static_cast<float>(glyph.top);
    const ImVec2 unit = atlas.TexUvScale;
    found->second = {left,       top,        left + width,         top + height,
                     x * unit.x, y * unit.y, (x + width) * unit.x, (y + height) * unit.y};
    return found->second;
  }

  const ImFontGlyph& glyph(const SizedFont& sized, unsigned short character) {
    const ImFontGlyph* const found = sized.font->FindGlyphNoFallback(character);
    return found ? *found : add(sized, character);
  }
};

Fonts::Fonts(ImFontAtlas& atlas, float scale) : impl_(std::make_unique<Impl>(atlas, scale)) {}
Fonts::~Fonts() = default;

float Fonts::scale() const { return impl_->scale; }
ImFont& Fonts::font(TextStyle style, Script script) const { return *impl_->sized(style, script).font; }
GlyphAtlas& Fonts::glyphs() const { return impl_->glyphs; }
bool Fonts::full() const { return impl_->full; }

const ImFontGlyph& Fonts::glyph(TextStyle style, Script script, unsigned short character) const {
  return impl_->glyph(impl_->sized(style, script), character);
}

const ShapedText& Fonts::shaped(TextStyle style, std::string_view text) const {
  return impl_->shape(row(style).face, text);
}

const GlyphSprite& Fonts::sprite(TextStyle style, Script script, const ShapedGlyph& glyph) const {
  return impl_->sprite(*glyph.face, glyph.glyph, impl_->sized(style, script).em_pixels);
}

void Fonts::prepare(TextStyle style, std::string_view text) const {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    unsigned character = 0;
    at += std::max(1, imgui::read_character(&character, at, end));
    glyph(style, Script::normal, static_cast<unsigned short>(character));
  }
}

}  // namespace headlight
