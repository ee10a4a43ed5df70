#include "app/export/pdf_fonts.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include <cairo-ft.h>
#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_ADVANCES_H

#include "app/shaping/system_fonts.hpp"
#include "core/text/characters.hpp"

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
          FT_New_Memory_Face(library, source.file.data(), static_cast<FT_Long>(source.file.size()), source.index,
                             &face) != 0)
        throw std::runtime_error("a font cannot be read");
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

/// A part of a text in one font and direction, as Cairo takes it: its glyphs as they are seen, and how many of them and
/// how many bytes belong together.
struct GlyphRun {
  const FontFace* face = nullptr;
  std::size_t begin = 0;  ///< its bytes in the text
  std::size_t end = 0;
  bool backwards = false;
  std::vector<cairo_glyph_t> glyphs;
  std::vector<cairo_text_cluster_t> clusters;  ///< as they are seen

  bool is_empty() const { return glyphs.empty(); }
  bool repeats(const ShapedGlyph& glyph) const { return last_begin == glyph.begin && last_end == glyph.end; }
  /// Whether the glyph belongs to the last cluster, or to one beside it in the text and in sight.
  bool takes(const ShapedGlyph& glyph) const {
    if (is_empty()) return true;
    if (glyph.face != face) return false;
    const bool is_first = begin == last_begin && end == last_end;
    return repeats(glyph) || (glyph.begin == end && (is_first || !backwards)) ||
           (glyph.end == begin && (is_first || backwards));
  }
  void add(const ShapedGlyph& glyph, const cairo_glyph_t& placed) {
    if (!is_empty() && repeats(glyph)) {
      ++clusters.back().num_glyphs;
    } else {
      backwards = !is_empty() && glyph.end == begin;
      begin = is_empty() ? glyph.begin : std::min(begin, glyph.begin);
      end = std::max(end, glyph.end);
      clusters.push_back({static_cast<int>(glyph.end - glyph.begin), 1});
    }
    face = glyph.face;
    last_begin = glyph.begin;
    last_end = glyph.end;
    glyphs.push_back(placed);
  }

 private:
  std::size_t last_begin = 0;  ///< the last cluster's bytes
  std::size_t last_end = 0;
};

void show_run(cairo_t* page, PdfFont& font, GlyphRun run, std::string_view text, double size) {
  cairo_set_font_face(page, font.cairo());
  cairo_set_font_size(page, size);
  // Cairo takes clusters in the order of the text.
  if (run.backwards) std::ranges::reverse(run.clusters);
  const std::string_view own = text.substr(run.begin, run.end - run.begin);
  cairo_show_text_glyphs(page, own.data(), static_cast<int>(own.size()), run.glyphs.data(),
                         static_cast<int>(run.glyphs.size()), run.clusters.data(),
                         static_cast<int>(run.clusters.size()),
                         run.backwards ? CAIRO_TEXT_CLUSTER_FLAG_BACKWARD : cairo_text_cluster_flags_t{});
}

}  // namespace

PdfFonts::PdfFonts() = default;
PdfFonts::~PdfFonts() = default;

PdfFont& PdfFonts::font(const FontFace& face) {
  std::unique_ptr<PdfFont>& found = fonts_[&face];
  if (!found) found = std::make_unique<PdfFont>(face);
  return *found;
}

/// The glyphs of a text as on the screen: one for each character, or shaped.
std::vector<ShapedGlyph> PdfFonts::glyphs_of(std::string_view text, const FontFace& own) {
  if (needs_shaping(text)) return shaper_.shape(text, own, fallback_face()).glyphs;
  std::vector<ShapedGlyph> glyphs;
  std::size_t at = 0;
  for (const char32_t character : characters_of(text)) {
    const auto has = [&](const FontFace* face, char32_t wanted) { return face && font(*face).glyph(wanted) != 0; };
    const FontFace* face = has(&own, character) ? &own : has(&fallback_face(), character) ? &fallback_face() : nullptr;
    if (!face) face = system_face_with(character);
    // A character that no font has is drawn as U+FFFD, as on the screen.
    const char32_t drawn = has(face, character) ? character : U'\uFFFD';
    if (drawn != character) face = has(&own, drawn) ? &own : &fallback_face();
    const unsigned glyph = font(*face).glyph(drawn);
    const std::size_t bytes = utf8_length(character);
    glyphs.push_back({.face = face,
                      .glyph = glyph,
                      .advance = static_cast<float>(font(*face).advance_in_em(glyph)),
                      .begin = at,
                      .end = at + bytes});
    at += bytes;
  }
  return glyphs;
}

void PdfFonts::show(cairo_t* page, const TextShape& text) {
  const auto size = static_cast<double>(text_size(text.style, text.script));
  double x = static_cast<double>(text.baseline.x);
  const auto y = static_cast<double>(text.baseline.y);
  const std::string characters = writable(text.text);
  GlyphRun run;
  for (const ShapedGlyph& glyph : glyphs_of(characters, face_of(text.style))) {
    if (!run.takes(glyph)) {
      show_run(page, font(*run.face), run, characters, size);
      run = {};
    }
    run.add(glyph, {glyph.glyph, x + size * static_cast<double>(glyph.x), y - size * static_cast<double>(glyph.y)});
    x += size * static_cast<double>(glyph.advance);
  }
  if (!run.is_empty()) show_run(page, font(*run.face), run, characters, size);
}

}  // namespace headlight
