// The system's fonts in a browser, which draws with them but gives nobody their files.
#include <array>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <hb.h>

#include "app/shaping/system_fonts.hpp"

extern "C" {
int page_draws_glyphs();
double page_glyph_advance(const char* text);
/// Pixels to be freed; in `box` left, top, width and height.
unsigned char* page_glyph_picture(const char* text, double em_pixels, int* box);
}

namespace headlight {
namespace {

/// Its glyphs are numbered as they are asked for, from 1 on.
class BrowserDrawer : public GlyphDrawer {
 public:
  unsigned glyph_of(std::string_view text) override {
    const auto [found, is_new] = numbers_.try_emplace(std::string(text), static_cast<unsigned>(glyphs_.size()) + 1);
    if (is_new) glyphs_.push_back({found->first, static_cast<float>(page_glyph_advance(found->first.c_str()))});
    return found->second;
  }
  float advance_in_em(unsigned glyph) override { return glyphs_[glyph - 1].advance; }
  DrawnGlyph draw(unsigned glyph, float em_pixels) override {
    std::array<int, 4> box{};
    const std::unique_ptr<unsigned char, decltype(&std::free)> pixels(
        page_glyph_picture(glyphs_[glyph - 1].text.c_str(), em_pixels, box.data()), &std::free);
    const auto [left, top, width, height] = box;
    return {left, top, width, height, std::vector<unsigned char>(pixels.get(), pixels.get() + width * height)};
  }

 private:
  struct Drawn {
    std::string text;
    float advance;
  };
  std::map<std::string, unsigned, std::less<>> numbers_;
  std::vector<Drawn> glyphs_;
};

/// The browser has a picture for everything, if need be a box. For what is no character we have a sign of our own.
bool is_character(char32_t character) {
  switch (hb_unicode_general_category(hb_unicode_funcs_get_default(), character)) {
    case HB_UNICODE_GENERAL_CATEGORY_CONTROL:
    case HB_UNICODE_GENERAL_CATEGORY_PRIVATE_USE:
    case HB_UNICODE_GENERAL_CATEGORY_SURROGATE:
    case HB_UNICODE_GENERAL_CATEGORY_UNASSIGNED: return false;
    default: return true;
  }
}

}  // namespace

const FontFace* system_face_with(char32_t character) {
  static BrowserDrawer drawer;
  static const FontFace face{.family = "sans-serif", .weight = 400, .monospaced = false, .file = {}, .drawer = &drawer};
  return is_character(character) && page_draws_glyphs() != 0 ? &face : nullptr;
}

const FontFace* system_face_with(char32_t character, const std::function<bool(const FontFace&)>& fits) {
  const FontFace* const face = system_face_with(character);
  return face && fits(*face) ? face : nullptr;
}

}  // namespace headlight
