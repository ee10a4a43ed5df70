// Fonts rasterise characters when a text needs them: no others, and all that the packaged fonts have.
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

#include "app/platform/surfaces/offscreen.hpp"
#include "app/ui/drawing/fonts.hpp"
#include "app/ui/drawing/glyph_atlas.hpp"
#include "tests/app/sheet_app.hpp"

namespace headlight {
namespace {

int rasterised(const ImFontAtlas& atlas) {
  int count = 0;
  for (const ImFont* font : atlas.Fonts) count += font->Glyphs.Size;
  return count;
}

bool same_picture(const ImFontGlyph& a, const ImFontGlyph& b) {
  return a.X1 - a.X0 == b.X1 - b.X0 && a.Y0 == b.Y0 && a.Y1 == b.Y1 && a.AdvanceX == b.AdvanceX;
}

TEST_CASE("fonts: a character is rasterised when a text first needs it, once for each size") {
  ImFontAtlas atlas;
  const Fonts fonts(atlas, 1);
  CHECK(rasterised(atlas) == 0);
  fonts.prepare(TextStyle::body, "abcabc");
  CHECK(rasterised(atlas) == 3);
  fonts.prepare(TextStyle::title, "ab");
  CHECK(rasterised(atlas) == 5);
  fonts.glyph(TextStyle::body, Script::normal, 'c');
  CHECK(rasterised(atlas) == 5);
  CHECK(fonts.glyph(TextStyle::title, Script::normal, 'a').AdvanceX >
        fonts.glyph(TextStyle::body, Script::normal, 'a').AdvanceX);
  CHECK(fonts.font(TextStyle::body).FindGlyph('a') == &fonts.glyph(TextStyle::body, Script::normal, 'a'));
}

TEST_CASE("fonts: the scripts that the packaged fonts have show in every style, others as one sign") {
  ImFontAtlas atlas;
  const Fonts fonts(atlas, 2);
  for (std::size_t i = 0; i < text_style_count; ++i) {
    CAPTURE(i);
    const auto style = static_cast<TextStyle>(i);
    const ImFontGlyph unknown = fonts.glyph(style, Script::normal, 0xFFFD);
    CHECK(unknown.Visible);
    // Armenian, Georgian, Arabic, Hebrew, arrows, mathematics, braille, box drawing
    for (const char16_t character : std::u16string_view(u"\u0531\u10D0\u0634\u05D0\u21F6\u2A0C\u28FF\u2593")) {
      CAPTURE(character);
      CHECK(fonts.glyph(style, Script::normal, character).Visible);
      CHECK_FALSE(same_picture(fonts.glyph(style, Script::normal, character), unknown));
    }
    for (const char16_t character : {char16_t{0xFDD0}, char16_t{0xFFFE}})  // no font has these
      CHECK(same_picture(fonts.glyph(style, Script::normal, character), unknown));
  }
}

TEST_CASE("glyph atlas: pictures never touch, stay as they were, and at last there is no room") {
  constexpr int side = 128;
  GlyphAtlas atlas(side);
  CHECK(atlas.pixels()[atlas.white().y * side + atlas.white().x] == 255);
  std::mt19937 random(3);
  std::vector<int> owner(side * side, -1);
  int added = 0;
  for (;; ++added) {
    DrawnGlyph picture{0, 0, 1 + static_cast<int>(random() % 17), 1 + static_cast<int>(random() % 17), {}};
    picture.coverage.assign(static_cast<std::size_t>(picture.width * picture.height),
                            static_cast<unsigned char>(1 + added % 255));
    atlas.take_changed();
    const auto place = atlas.add(picture);
    const GlyphAtlas::Rows changed = atlas.take_changed();
    if (!place) {
      CHECK(changed.begin == changed.end);
      break;
    }
    CHECK(changed.begin == place->y);
    CHECK(changed.end == place->y + picture.height);
    REQUIRE(place->x + picture.width <= side);
    REQUIRE(place->y + picture.height <= side);
    for (int y = place->y; y < place->y + picture.height; ++y) {
      for (int x = place->x; x < place->x + picture.width; ++x) {
        int& here = owner[static_cast<std::size_t>(y * side + x)];
        REQUIRE(here == -1);
        here = added;
        if (x > place->x + picture.width - 2 && x + 1 < side) CHECK(atlas.pixels()[y * side + x + 1] == 0);
      }
    }
  }
  CHECK(added > 60);
  for (int i = 0; i < side * side; ++i) {
    const int who = owner[static_cast<std::size_t>(i)];
    if (who >= 0) CHECK(atlas.pixels()[i] == 1 + who % 255);
  }
}

std::string utf8(unsigned character) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | ((character >> shift) & 0x3F)); };
  if (character < 0x80) return {static_cast<char>(character)};
  if (character < 0x800) return {static_cast<char>(0xC0 | character >> 6), tail(0)};
  return {static_cast<char>(0xE0 | character >> 12), tail(6), tail(0)};
}

/// Draws pages of different characters in the largest style until the texture is full.
TEST_CASE("fonts: when the texture is full they begin anew, and what is shown then is whole") {
  unsigned page = 0;
  bool was_full = false;
  SheetApp app([&](FrameContext& frame) {
    const Canvas canvas = frame.ui.canvas();
    for (unsigned row = 0; row < 16; ++row) {
      std::string line;
      for (unsigned i = 0; i < 32; ++i) line += utf8(0x21 + page * 512 + row * 32 + i);
      canvas.text({10, 40 + 40 * static_cast<float>(row)}, line, TextStyle::big_value, canvas.theme().text);
    }
    was_full = was_full || canvas.fonts().full();
  });
  Offscreen surface(app, 900, 700, 4);
  for (page = 0; page < 60 && !was_full; ++page) surface.frames(1);
  REQUIRE(was_full);
  CHECK(surface.next_frame_in() == 0);  // another frame is asked for, which shows the whole text
  page = 0;
  const Image after = surface.settled_picture();
  Offscreen fresh(app, 900, 700, 4);
  CHECK(fresh.settled_picture() == after);
}

}  // namespace
}  // namespace headlight
