#include "app/ui/text/glyph_face.hpp"

#include <cmath>
#include <stdexcept>

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_ADVANCES_H

namespace headlight {
namespace {

/// FreeType counts pixels in 64ths.
constexpr float fine = 64;

}  // namespace

GlyphFace::GlyphFace(std::span<const unsigned char> file) {
  if (FT_Init_FreeType(&library_) != 0) throw std::runtime_error("FreeType does not start");
  if (FT_New_Memory_Face(library_, file.data(), static_cast<FT_Long>(file.size()), 0, &face_) == 0) return;
  FT_Done_FreeType(library_);
  throw std::runtime_error("an embedded font cannot be read");
}

GlyphFace::~GlyphFace() {
  FT_Done_Face(face_);
  FT_Done_FreeType(library_);
}

bool GlyphFace::has(unsigned character) const { return FT_Get_Char_Index(face_, character) != 0; }

float GlyphFace::advance_in_em(unsigned character) const {
  FT_Fixed advance = 0;
  if (FT_Get_Advance(face_, FT_Get_Char_Index(face_, character), FT_LOAD_NO_SCALE, &advance) != 0) return 0;
  return static_cast<float>(advance) / static_cast<float>(face_->units_per_EM);
}

void GlyphFace::set_size(float em_pixels) {
  if (em_pixels == em_pixels_) return;
  if (FT_Set_Char_Size(face_, 0, static_cast<FT_F26Dot6>(std::lround(em_pixels * fine)), 0, 0) != 0)
    throw std::runtime_error("an embedded font cannot be scaled");
  em_pixels_ = em_pixels;
}

LineMetrics GlyphFace::line(float em_pixels) {
  const float pixels_per_unit = em_pixels / static_cast<float>(face_->units_per_EM);
  return {std::ceil(static_cast<float>(face_->ascender) * pixels_per_unit),
          std::ceil(static_cast<float>(face_->ascender - face_->descender) * pixels_per_unit)};
}

Glyph GlyphFace::glyph(unsigned character, float em_pixels) {
  set_size(em_pixels);
  if (FT_Load_Glyph(face_, FT_Get_Char_Index(face_, character), FT_LOAD_NO_BITMAP | FT_LOAD_TARGET_LIGHT) != 0 ||
      FT_Render_Glyph(face_->glyph, FT_RENDER_MODE_NORMAL) != 0)
    return {};
  const FT_Bitmap& bitmap = face_->glyph->bitmap;
  Glyph glyph{face_->glyph->bitmap_left,
              -face_->glyph->bitmap_top,
              {static_cast<int>(bitmap.width), static_cast<int>(bitmap.rows), {}}};
  glyph.picture.coverage.reserve(static_cast<std::size_t>(bitmap.width) * bitmap.rows);
  for (unsigned row = 0; row < bitmap.rows; ++row) {
    const unsigned char* const from = bitmap.buffer + static_cast<std::ptrdiff_t>(row) * bitmap.pitch;
    glyph.picture.coverage.insert(glyph.picture.coverage.end(), from, from + bitmap.width);
  }
  return glyph;
}

}  // namespace headlight
