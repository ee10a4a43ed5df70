// The tolerance for golden pictures, tried on the golden pictures of views: drawn again with a label moved by a pixel,
// or with one digit instead of another, none is accepted.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/shaping/shaping.hpp"
#include "core/text/characters.hpp"
#include "golden.hpp"
#include "picture.hpp"
#include "scenes.hpp"
#include "scripted.hpp"

using namespace headlight;
using namespace headlight::testing;

namespace {

/// What is done to letters.
struct LetterChange {
  Point moved_by = {0, 0};
  int counted_on = 0;  ///< digits alone are drawn as others: 1 draws 0 as 1 and 9 as 0
};

/// An app, drawn with its letters changed.
struct Changed : App {
  struct Label {
    TextShape text;
    Rect clip;
  };
  /// A label that is seen whole, or one of its digits.
  struct Place {
    Rect pixels;  ///< where it was, and where it is now
    const Label* label = nullptr;
  };

  App& app;
  std::vector<Label> labels;
  LetterChange change;
  std::vector<Place> places;  ///< of the last frame

  explicit Changed(App& unchanged) : app(unchanged) {}
  SurfaceLook look() const override { return app.look(); }
  void frame(FrameContext& frame) override {
    app.frame(frame);
    places.clear();
    std::multimap<Corner, ImDrawVert*> drawn;
    ImDrawList& list = frame.ui.canvas().list();
    for (ImDrawVert& vertex : list.VtxBuffer) drawn.emplace(corner_of(vertex), &vertex);
    for (const Label& label : labels) change_label(label, frame.ui.canvas().fonts(), drawn);
  }

 private:
  /// The first vertex of a letter, which has four: its place on the surface, and in the texture.
  using Corner = std::array<float, 4>;
  static Corner corner_of(const ImDrawVert& v) { return {v.pos.x, v.pos.y, v.uv.x, v.uv.y}; }

  /// Finds the letters where Canvas::text puts them.
  void change_label(const Label& label, const Fonts& fonts, const std::multimap<Corner, ImDrawVert*>& drawn) {
    const auto& [text, clip] = label;
    const auto glyph_of = [&](char32_t letter) {  // a copy, because the next one may move them all
      return fonts.glyph(text.style, text.script, static_cast<ImWchar>(letter));
    };
    const float base = std::round(text.baseline.y * fonts.scale());
    const float top = base - std::round(fonts.font(text.style, text.script).Ascent);
    float pen = text.baseline.x * fonts.scale();
    const std::size_t first_place = places.size();
    Rect whole;
    for (const char32_t letter : characters_of(text.text)) {
      const ImFontGlyph from = glyph_of(letter);
      const Point start{std::round(pen), top};
      pen += from.AdvanceX;
      const bool is_digit = letter >= '0' && letter <= '9';
      if (change.counted_on != 0 && !is_digit) continue;
      const auto digit = [&] { return '0' + (letter - '0' + static_cast<char32_t>(change.counted_on)) % 10; };
      const ImFontGlyph to = change.counted_on != 0 ? glyph_of(digit()) : from;
      const Rect before = pixels_of(from, start);
      const Rect after = pixels_of(to, start + change.moved_by);
      const auto [begin, end] = drawn.equal_range({before.x, before.y, from.U0, from.V0});
      for (auto found = begin; found != end; ++found) draw_as(to, after, found->second);
      if (begin == end) continue;
      whole = whole.joined(before).joined(after);
      if (change.counted_on != 0) places.push_back({before.joined(after), &label});
    }
    if (change.counted_on == 0 && !whole.empty()) places.push_back({whole, &label});
    // What the edge of a scrolled area cuts can be a row of pixels that has nearly faded.
    const float scale = fonts.scale();
    const Rect visible{clip.x * scale, clip.y * scale, clip.w * scale, clip.h * scale};
    const Rect seen = whole.intersected(visible);
    if (seen.w < whole.w || seen.h < whole.h) places.resize(first_place);
  }

  static Rect pixels_of(const ImFontGlyph& glyph, Point start) {
    return {start.x + glyph.X0, start.y + glyph.Y0, glyph.X1 - glyph.X0, glyph.Y1 - glyph.Y0};
  }

  static void draw_as(const ImFontGlyph& glyph, const Rect& at, ImDrawVert* corners) {
    const auto set = [](ImDrawVert& corner, float x, float y, float u, float v) {
      corner.pos = {x, y};
      corner.uv = {u, v};
    };
    set(corners[0], at.x, at.y, glyph.U0, glyph.V0);
    set(corners[1], at.right(), at.y, glyph.U1, glyph.V0);
    set(corners[2], at.right(), at.bottom(), glyph.U1, glyph.V1);
    set(corners[3], at.x, at.bottom(), glyph.U0, glyph.V1);
  }
};

/// The complaint about the golden picture when this place alone is as in the other picture.
std::string complaint_about(const Rect& place, const Image& changed, const Image& golden) {
  const auto whole_tiles = [](float v) { return static_cast<int>(v) / tile_side * tile_side; };
  const int left = whole_tiles(place.x);
  const int top = whole_tiles(place.y);
  const int right = std::min(golden.width, whole_tiles(place.right()) + tile_side);
  const int bottom = std::min(golden.height, whole_tiles(place.bottom()) + tile_side);
  const Image expected = golden.cropped(left, top, right - left, bottom - top);
  Image image = expected;
  for (int y = static_cast<int>(place.y); y < static_cast<int>(place.bottom()); ++y)
    for (int x = static_cast<int>(place.x); x < static_cast<int>(place.right()); ++x)
      image.set(x - left, y - top, changed.at(x, y));
  return complaint(image, expected);
}

}  // namespace

TEST_CASE("a label that moved by a pixel and a digit that changed are told, whichever it is in the views' pictures") {
  std::vector<LetterChange> changes{{{1, 0}}, {{-1, 0}}, {{0, 1}}, {{0, -1}}};
  for (int on = 1; on <= 9; ++on) changes.push_back({{}, on});
  std::size_t told = 0;
  for (const Scene& scene : scenes) {
    CAPTURE(std::string(scene.picture));
    const auto [width, height] = size_of(scene);
    Scripted person(session_of(scene), width, height);
    Changed app(person.app);
    for (const Drawn& drawn : person.surface.settled_drawing().drawn)
      if (const auto* const text = std::get_if<TextShape>(&drawn.shape))
        if (text->turn == 0 && !needs_shaping(text->text)) app.labels.push_back({*text, drawn.clip});
    Offscreen surface(app, width, height);
    surface.settle();
    const Image golden = golden_picture(scene.picture);
    const int hidden = height - golden.height;
    for (const LetterChange& change : changes) {
      app.change = change;
      surface.frames();
      const Image changed = surface.picture().cropped(0, hidden, golden.width, golden.height);
      for (const Changed::Place& place : app.places) {
        if (place.pixels.y < static_cast<float>(hidden)) continue;  // in the top bar, which is in one picture only
        if (!complaint_about(place.pixels.moved(0, static_cast<float>(-hidden)), changed, golden).empty()) ++told;
        else
          FAIL_CHECK("\"" << place.label->text.text << "\" at " << place.pixels.x << ", " << place.pixels.y
                          << " moved by " << change.moved_by.x << ", " << change.moved_by.y << ", its digits by "
                          << change.counted_on);
      }
    }
  }
  CHECK(told > 60000);
}
