#include "app/ui/drawing/glyph_face.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_ADVANCES_H

#include "core/text/characters.hpp"

namespace headlight {
namespace {

/// FreeType counts pixels in 64ths.
constexpr float fine = 64;

}  // namespace

GlyphFace::GlyphFace(const FontFace& face) : drawer_(face.drawer) {
  if (drawer_) return;
  if (FT_Init_FreeType(&library_) != 0) throw std::runtime_error("FreeType can't be started");
  if (FT_New_Memory_Face(library_, face.file.data(), static_cast<FT_Long>(face.file.size()), face.index, &face_) == 0)
    return;
  FT_Done_FreeType(library_);
  throw std::runtime_error("a font cannot be read");
}

GlyphFace::~GlyphFace() {
  FT_Done_Face(face_);
  FT_Done_FreeType(library_);
}

unsigned GlyphFace::index_of(unsigned character) const {
  return drawer_ ? drawer_->glyph_of(utf8_of(character)) : FT_Get_Char_Index(face_, character);
}

float GlyphFace::advance_in_em(unsigned character) const {
  if (drawer_) return drawer_->advance_in_em(index_of(character));
  FT_Fixed advance = 0;
  if (FT_Get_Advance(face_, FT_Get_Char_Index(face_, character), FT_LOAD_NO_SCALE, &advance) != 0) return 0;
  return static_cast<float>(advance) / static_cast<float>(face_->units_per_EM);
}

void GlyphFace::set_size(float em_pixels) {
  if (em_pixels == em_pixels_) return;
  if (FT_Set_Char_Size(face_, 0, static_cast<FT_F26Dot6>(std::lround(em_pixels * fine)), 0, 0) != 0)
    throw std::runtime_error("a font cannot be scaled");
  em_pixels_ = em_pixels;
}

LineMetrics GlyphFace::line(float em_pixels) {
  const float pixels_per_unit = em_pixels / static_cast<float>(face_->units_per_EM);
  return {std::ceil(static_cast<float>(face_->ascender) * pixels_per_unit),
          std::ceil(static_cast<float>(face_->ascender - face_->descender) * pixels_per_unit)};
}

DrawnGlyph GlyphFace::glyph(unsigned index, float em_pixels) {
  if (drawer_) return drawer_->draw(index, em_pixels);
  if (!FT_IS_SCALABLE(face_)) return picture(index, em_pixels);
  set_size(em_pixels);
  return outline(index);
}

DrawnGlyph GlyphFace::outline(unsigned index) {
  if (FT_Load_Glyph(face_, index, FT_LOAD_NO_BITMAP | FT_LOAD_TARGET_LIGHT) != 0 ||
      FT_Render_Glyph(face_->glyph, FT_RENDER_MODE_NORMAL) != 0)
    return {};
  const FT_Bitmap& bitmap = face_->glyph->bitmap;
  DrawnGlyph glyph{face_->glyph->bitmap_left,
                   -face_->glyph->bitmap_top,
                   static_cast<int>(bitmap.width),
                   static_cast<int>(bitmap.rows),
                   {}};
  glyph.coverage.reserve(static_cast<std::size_t>(bitmap.width) * bitmap.rows);
  for (unsigned row = 0; row < bitmap.rows; ++row) {
    const unsigned char* const from = bitmap.buffer + static_cast<std::ptrdiff_t>(row) * bitmap.pitch;
    glyph.coverage.insert(glyph.coverage.end(), from, from + bitmap.width);
  }
  return glyph;
}

namespace {

/// How much a pixel of a picture in colour covers: the lightest ones a third, so that a face keeps its features.
float coverage_of(const unsigned char* bgra) {
  const float light = (0.114f * bgra[0] + 0.587f * bgra[1] + 0.299f * bgra[2]) / 255;  // premultiplied
  const float alpha = bgra[3] / 255.0f;
  return alpha - 2 * light / 3;
}

/// The mean over the pixels of `bitmap` between these edges.
float mean_coverage(const FT_Bitmap& bitmap, int left, int right, int top, int bottom) {
  float sum = 0;
  for (int y = top; y < bottom; ++y)
    for (int x = left; x < right; ++x)
      sum += coverage_of(bitmap.buffer + static_cast<std::ptrdiff_t>(y) * bitmap.pitch + std::ptrdiff_t{4} * x);
  return sum / static_cast<float>((right - left) * (bottom - top));
}

}  // namespace

/// Of a face that has only pictures of one size, made smaller.
DrawnGlyph GlyphFace::picture(unsigned index, float em_pixels) {
  if (face_->num_fixed_sizes == 0 || FT_Select_Size(face_, 0) != 0 || FT_Load_Glyph(face_, index, FT_LOAD_COLOR) != 0)
    return {};
  const FT_Bitmap& from = face_->glyph->bitmap;
  if (from.pixel_mode != FT_PIXEL_MODE_BGRA || from.width == 0 || from.rows == 0) return {};
  const float ratio = em_pixels * fine / static_cast<float>(face_->available_sizes[0].y_ppem);
  const auto scaled = [&](int pixels) { return static_cast<int>(std::lround(static_cast<float>(pixels) * ratio)); };
  const auto wide = static_cast<int>(from.width);
  const auto high = static_cast<int>(from.rows);
  DrawnGlyph to{scaled(face_->glyph->bitmap_left),
                -scaled(face_->glyph->bitmap_top),
                std::max(1, scaled(wide)),
                std::max(1, scaled(high)),
                {}};
  for (int y = 0; y < to.height; ++y) {
    const int top = y * high / to.height;
    const int bottom = std::max(top + 1, (y + 1) * high / to.height);
    for (int x = 0; x < to.width; ++x) {
      const int left = x * wide / to.width;
      const float covers = mean_coverage(from, left, std::max(left + 1, (x + 1) * wide / to.width), top, bottom);
      to.coverage.push_back(static_cast<unsigned char>(std::lround(255 * std::clamp(covers, 0.0f, 1.0f))));
    }
  }
  return to;
}

}  // namespace headlight
