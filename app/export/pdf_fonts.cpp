#include "app/export/pdf_fonts.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include <cairo-ft.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_ADVANCES_H

#include "app/export/utf8.hpp"

namespace headlight {

/// A FreeType face and Cairo's handle to it. Cairo may keep the handle in its caches, so the face is released only when
/// Cairo lets go of the handle.
class PdfFont {
 public:
  explicit PdfFont(const FontFace& face) {
    auto file = std::make_unique<File>(face);
    face_ = file->face;
    cairo_ = cairo_ft_font_face_create_for_ft_face(face_, FT_LOAD_NO_HINTING);
    static const cairo_user_data_key_t key{};
    const auto release = [](void* owned) { delete static_cast<File*>(owned); };
    if (cairo_font_face_set_user_data(cairo_, &key, file.get(), release) != CAIRO_STATUS_SUCCESS)
      throw std::bad_alloc();
    static_cast<void>(file.release());  // cairo has it now
  }
  ~PdfFont() { cairo_font_face_destroy(cairo_); }
  PdfFont(const PdfFont&) = delete;
  PdfFont& operator=(const PdfFont&) = delete;

  cairo_font_face_t* cairo() const { return cairo_; }
  unsigned glyph(char32_t character) const { return FT_Get_Char_Index(face_, character); }
  double advance_in_em(unsigned glyph) const {
    FT_Fixed advance = 0;
    if (FT_Get_Advance(face_, glyph, FT_LOAD_NO_SCALE, &advance) != 0) return 0;
    return static_cast<double>(advance) / face_->units_per_EM;
  }

 private:
  struct File {
    explicit File(const FontFace& source) {
      if (FT_Init_FreeType(&library) != 0 ||
          FT_New_Memory_Face(library, source.file.data(), static_cast<FT_Long>(source.file.size()), 0, &face) != 0)
        throw std::runtime_error("an embedded font cannot be read");
    }
    ~File() {
      FT_Done_Face(face);
      FT_Done_FreeType(library);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    FT_Library library = nullptr;
    FT_Face face = nullptr;
  };

  FT_Face face_ = nullptr;
  cairo_font_face_t* cairo_ = nullptr;
};

namespace {

/// A part of a text in one font, as Cairo takes it.
struct GlyphRun {
  PdfFont* font = nullptr;
  std::string text;
  std::vector<cairo_glyph_t> glyphs;
  std::vector<cairo_text_cluster_t> clusters;
};

void show_run(cairo_t* page, const GlyphRun& run, double size) {
  cairo_set_font_face(page, run.font->cairo());
  cairo_set_font_size(page, size);
  cairo_show_text_glyphs(page, run.text.data(), static_cast<int>(run.text.size()), run.glyphs.data(),
                         static_cast<int>(run.glyphs.size()), run.clusters.data(),
                         static_cast<int>(run.clusters.size()), cairo_text_cluster_flags_t{});
}

}  // namespace

PdfFonts::PdfFonts() = default;
PdfFonts::~PdfFonts() = default;

PdfFont& PdfFonts::font(const FontFace& face) {
  std::unique_ptr<PdfFont>& found = fonts_[&face];
  if (!found) found = std::make_unique<PdfFont>(face);
  return *found;
}

void PdfFonts::show(cairo_t* page, const TextShape& text) {
  PdfFont& own = font(face_of(text.style));
  PdfFont& fallback = font(fallback_face());
  const auto size = static_cast<double>(text_size(text.style, text.script));
  double x = static_cast<double>(text.baseline.x);
  const auto y = static_cast<double>(text.baseline.y);
  GlyphRun run;
  const std::string characters = writable(text.text);
  std::size_t at = 0;
  for (char32_t character : characters_of(characters)) {
    // A character that neither font has is drawn as U+FFFD, as on the screen.
    const bool known = own.glyph(character) != 0 || fallback.glyph(character) != 0;
    const char32_t drawn = known ? character : U'\uFFFD';
    PdfFont* const chosen = own.glyph(drawn) != 0 ? &own : &fallback;
    if (run.font != chosen) {
      if (run.font) show_run(page, run, size);
      run = {chosen, {}, {}, {}};
    }
    const unsigned glyph = chosen->glyph(drawn);
    const std::size_t bytes = utf8_length(character);
    run.text += characters.substr(at, bytes);
    at += bytes;
    run.glyphs.push_back({glyph, x, y});
    run.clusters.push_back({static_cast<int>(bytes), 1});
    x += size * chosen->advance_in_em(glyph);
  }
  if (run.font) show_run(page, run, size);
}

}  // namespace headlight
