// Golden pictures of every kind of heatmap. What a colour must be is checked pixel by pixel in heatmap_decode_test.cpp.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <epoxy/gl.h>

#include "app/ui/controls/controls.hpp"
#include "tests/app/golden.hpp"
#include "tests/app/heatmap_sheet.hpp"
#include "tests/app/sheet_app.hpp"

namespace headlight {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

Tensor with_errors(Index rows, Index columns) {
  return tensor_from(rows, columns, [](Index row, Index column) {
    if (row == 1 && column == 2) return std::numeric_limits<double>::quiet_NaN();
    if (row == 2 && column == 0) return inf;
    if (row == 3 && column == 3) return -inf;
    return scattered(row, column);
  });
}

/// A sheet to judge at one glance: all kinds of heatmaps, at the pitches where their drawing changes.
void draw_sheet(FrameContext& frame) {
  const Canvas c = frame.ui.canvas();
  const Theme& t = c.theme();
  const auto put = [&](float x, float y, std::string_view title, Heatmap heatmap, bool frame_it = false) {
    c.text({x, y - 10}, title, TextStyle::caption, t.text2);
    frame.heatmaps.draw(c, heatmap);
    draw_numbers(c, heatmap);
    if (frame_it) c.stroke(heatmap.layout.area().outset(1), t.line_strong, 1, 2);
  };
  const auto symmetric = ColorScale::symmetric(1);
  const auto weights = ColorScale::from_zero();
  static const Tensor focus = tensor_from(4, 4, [](Index r, Index q) { return 12 * scattered(r + 7, q); });
  static const Tensor causal = causal_weights(4, 4);
  static const Tensor hidden = causal_hidden(4, 4);
  static const Tensor broken = with_errors(4, 4);
  static const Tensor head = causal_weights(10, 10);
  static const Tensor head_hidden = causal_hidden(10, 10);
  static const Tensor thumbnail = tensor_from(4, 8, scattered);
  static const Tensor wide = tensor_from(4, 8, scattered);
  static const Tensor large = tensor_from(300, 300, [](Index r, Index q) {
    return std::sin(static_cast<double>(r) / 20) * std::cos(static_cast<double>(q) / 31);
  });

  const Rect first{32, 40, 246, 218};
  Heatmap signed_map = make_heatmap(slice_of(focus), ColorScale::symmetric(12), first, c.scale());
  put(first.x, first.y, "signed, numbers", signed_map);
  Heatmap lit = make_heatmap(slice_of(focus), ColorScale::symmetric(12), first.moved(290, 0), c.scale());
  lit.emphasis = {IndexRange::one(2), IndexRange::one(0), 1};
  put(322, 40, "row 2 and column 0 lit", lit);
  put(612, 40, "weights, causal", make_heatmap({causal, hidden}, weights, first.moved(580, 0), c.scale()));
  put(902, 40, "NaN and infinities", make_heatmap(slice_of(broken), symmetric, first.moved(870, 0), c.scale()));

  put(32, 306, "weights, pitch 21",
      make_heatmap({head, head_hidden}, ColorScale::from_zero(0.6), {32, 306, 210, 210}, c.scale()), true);
  put(290, 306, "transposed",
      make_heatmap({head, head_hidden}, ColorScale::from_zero(0.6), {290, 306, 210, 210}, c.scale(), true), true);
  Heatmap quiet = make_heatmap({head, head_hidden}, ColorScale::from_zero(0.6), {548, 306, 210, 210}, c.scale());
  quiet.emphasis = {IndexRange::one(8), std::nullopt, 1};
  put(548, 306, "row 8 lit", quiet, true);
  put(806, 306, "viridis",
      make_heatmap({head, head_hidden}, {ColorMapName::viridis, 0, 1, false}, {806, 306, 150, 150}, c.scale()), true);
  put(990, 306, "magma, log",
      make_heatmap({head, head_hidden}, {ColorMapName::magma, 0.01, 1, true}, {990, 306, 150, 150}, c.scale()), true);

  put(32, 560, "thumbnails", make_heatmap(slice_of(thumbnail), symmetric, {32, 560, 56, 24}, c.scale()), true);
  put(110, 560, "", make_heatmap({causal, hidden}, weights, {110, 560, 40, 40}, c.scale()), true);
  put(170, 560, "", make_heatmap(slice_of(broken), symmetric, {170, 560, 40, 40}, c.scale()), true);
  put(230, 560, "pitch 36", make_heatmap(slice_of(wide), symmetric, {230, 560, 288, 144}, c.scale()));
  put(548, 560, "300 × 300 in 150", make_heatmap(slice_of(large), symmetric, {548, 560, 150, 150}, c.scale()), true);
  Heatmap zoomed = make_heatmap(slice_of(large), symmetric, {730, 560, 150, 150}, c.scale());
  zoomed.layout = zoomed.layout.zoomed(zoomed.layout.area().center(), 16).panned(7.3f, -11.9f);
  put(730, 560, "zoomed and panned", zoomed, true);
  c.push_clip({912, 560, 120, 90});
  put(890, 540, "", make_heatmap(slice_of(focus), ColorScale::symmetric(12), {890, 540, 160, 160}, c.scale()));
  c.pop_clip();
  draw_color_bar(c, {912, 680, 228, 14}, {ColorMapName::signed_, -3, 12, false});
}

Image sheet(ThemeName theme, float scale) {
  SheetApp app(draw_sheet, {theme});
  Offscreen surface(app, 1180, 740, scale);
  return surface.settled_picture();
}

TEST_CASE("heatmap: every kind in both themes") {
  expect_picture(sheet(ThemeName::dark, 1), "heatmaps-dark");
  expect_picture(sheet(ThemeName::light, 1), "heatmaps-light");
  expect_picture(sheet(ThemeName::light, 2).cropped(0, 560, 1060, 900), "heatmaps-light-2x");
}

int uniforms_looked_up = 0;
decltype(glGetUniformLocation) look_up_uniform = nullptr;

GLint count_and_look_up(GLuint program, const GLchar* name) {
  ++uniforms_looked_up;
  return look_up_uniform(program, name);
}

/// Looking up a uniform is slow, because drivers search a list of names.
TEST_CASE("heatmaps: where the shader's uniforms are is asked once, and not for each heatmap and frame") {
  SheetApp app(draw_sheet);
  Offscreen surface(app, 1180, 740);
  surface.settled_picture();
  look_up_uniform = std::exchange(glGetUniformLocation, count_and_look_up);
  surface.frames(1);
  const Image second = surface.picture();
  glGetUniformLocation = look_up_uniform;
  CHECK(uniforms_looked_up == 0);
}

}  // namespace
}  // namespace headlight
