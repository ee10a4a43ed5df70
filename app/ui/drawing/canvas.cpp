#include "app/ui/drawing/canvas.hpp"

#include <array>
#include <cmath>

#include "app/shaping/line_breaks.hpp"
#include "app/ui/drawing/imgui_seam.hpp"

namespace headlight {
namespace {

/// How far below the middle of a box the baseline must be to centre digits and capitals, in em.
constexpr float baseline_below_center = 0.36f;
constexpr std::string_view ellipsis = "…";
constexpr float sqrt_half = 0.70710678f;

/// Calls `body(character, byte_after)` for every character.
template <class Body>
void for_each_character(std::string_view text, Body&& body) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    unsigned int character = 0;
    const int length = imgui::read_character(&character, at, end);
    at += std::max(length, 1);
    if (character == 0) break;
    if (!body(static_cast<ImWchar>(character), static_cast<std::size_t>(at - text.data()))) break;
  }
}

float shift_in_em(Script script) {
  switch (script) {
    case Script::sub: return 0.22f;
    case Script::super: return -0.38f;
    case Script::normal: break;
  }
  return 0;
}

float left_of(float x, float width, Align align) {
  switch (align) {
    case Align::center: return x - width / 2;
    case Align::right: return x - width;
    case Align::left: break;
  }
  return x;
}

/// The radius of the corners of a box for ImGui, in device pixels. ImGui lets it be half of the shorter side less a
/// pixel. If that leaves less than half a pixel, the corner is sharp: newer versions of ImGui draw it so, and older
/// ones draw the points of the arc over each other, as a blot.
float radius_pixels(float radius, const Rect& box, float scale) {
  const float most = std::min(box.w, box.h) / 2 * scale - 1;
  return std::min(radius * scale, most) < 0.5f ? 0 : radius * scale;
}

}  // namespace

void Canvas::record(Shape2d shape) const {
  if (!record_) return;
  const Rect shown = clip();
  if (!shown.intersected(bounds_of(shape).outset(1)).empty()) record_->drawn.push_back({shown, std::move(shape)});
}

void Canvas::finish_path(Color color, float width, bool closed) const {
  if (record_ && list_->_Path.Size > 1) {
    PathShape path{.points = {}, .color = color, .width = width, .closed = closed};
    for (const ImVec2& p : list_->_Path) path.points.push_back(Point{p.x, p.y} * (1 / scale()));
    record(std::move(path));
  }
  if (width > 0) list_->PathStroke(packed(color), closed ? ImDrawFlags_Closed : 0, width * scale());
  else list_->PathFillConvex(packed(color));
}

float Canvas::snapped(float v) const { return std::round(v * scale()) / scale(); }

Rect Canvas::snapped(const Rect& r) const {
  const float left = snapped(r.x);
  const float top = snapped(r.y);
  return {left, top, snapped(r.right()) - left, snapped(r.bottom()) - top};
}

void Canvas::fill(const Rect& r, Color color, float radius) const {
  const Rect s = snapped(r);
  if (s.empty() || clips_away(s)) return;
  record(BoxShape{s, color, radius});
  list_->AddRectFilled(as_vec2(s.min() * scale()), as_vec2(s.max() * scale()), packed(color),
                       radius_pixels(radius, s, scale()));
}

void Canvas::stroke(const Rect& r, Color color, float width, float radius) const {
  const Rect middle = snapped(r).inset(width / 2);
  if (clips_away(middle.outset(width))) return;
  record(BoxShape{middle, color, std::max(0.0f, radius - width / 2), width});
  list_->PathRect(as_vec2(middle.min() * scale()), as_vec2(middle.max() * scale()),
                  radius_pixels(radius - width / 2, middle, scale()));
  list_->PathStroke(packed(color), ImDrawFlags_Closed, width * scale());
}

void Canvas::dashed(const Rect& r, Color color, float width, float radius) const {
  constexpr float dash = 3;
  const Rect m = snapped(r).inset(width / 2);
  const auto side = [&](Point from, Point to) {
    const Point d = to - from;
    const float length = std::hypot(d.x, d.y);
    for (float at = 0; at < length; at += 2 * dash)
      line(from + d * (at / length), from + d * (std::min(at + dash, length) / length), color, width);
  };
  side({m.x + radius, m.y}, {m.right() - radius, m.y});
  side({m.right(), m.y + radius}, {m.right(), m.bottom() - radius});
  side({m.right() - radius, m.bottom()}, {m.x + radius, m.bottom()});
  side({m.x, m.bottom() - radius}, {m.x, m.y + radius});
  const auto corner = [&](float cx, float cy, int from_twelfth) {
    list_->PathArcToFast(as_vec2(Point{cx, cy} * scale()), radius * scale(), from_twelfth, from_twelfth + 3);
    finish_path(color, width, false);
  };
  if (radius <= 0) return;
  corner(m.x + radius, m.y + radius, 6);
  corner(m.right() - radius, m.y + radius, 9);
  corner(m.right() - radius, m.bottom() - radius, 0);
  corner(m.x + radius, m.bottom() - radius, 3);
}

void Canvas::line(Point a, Point b, Color color, float width) const {
  list_->PathLineTo(as_vec2(a * scale()));
  list_->PathLineTo(as_vec2(b * scale()));
  finish_path(color, width, false);
}

void Canvas::polyline(std::span<const Point> points, Color color, float width) const {
  for (Point p : points) list_->PathLineTo(as_vec2(p * scale()));
  finish_path(color, width, false);
}

void Canvas::disc(Point center, float radius, Color color) const {
  record(CircleShape{center, radius, color});
  list_->AddCircleFilled(as_vec2(center * scale()), radius * scale(), packed(color));
}

void Canvas::circle(Point center, float radius, Color color, float width) const {
  record(CircleShape{center, radius, color, width});
  list_->AddCircle(as_vec2(center * scale()), radius * scale(), packed(color), 0, width * scale());
}

void Canvas::triangle(Point c, Pointing pointing, Color color, float size) const {
  std::array<Point, 3> p{};
  switch (pointing) {
    case Pointing::right: p = {{{c.x - size, c.y - size}, {c.x + 1, c.y}, {c.x - size, c.y + size}}}; break;
    case Pointing::left: p = {{{c.x + size, c.y + size}, {c.x - 1, c.y}, {c.x + size, c.y - size}}}; break;
    case Pointing::down: p = {{{c.x + size, c.y - size}, {c.x, c.y + 1}, {c.x - size, c.y - size}}}; break;
    case Pointing::up: p = {{{c.x - size, c.y + size}, {c.x, c.y - 1}, {c.x + size, c.y + size}}}; break;
  }
  record(PathShape{.points = {p.begin(), p.end()}, .color = color, .closed = true});
  list_->AddTriangleFilled(as_vec2(p[0] * scale()), as_vec2(p[1] * scale()), as_vec2(p[2] * scale()), packed(color));
}

void Canvas::picture(void* texture, const Rect& r) const {
  list_->AddImage(texture, as_vec2(r.min() * scale()), as_vec2(r.max() * scale()));
}

void Canvas::strips(const Rect& r, std::span<const Color> colors) const {
  record(StripShape{snapped(r), {colors.begin(), colors.end()}});
  const Canvas unrecorded(*list_, *fonts_, *theme_);
  const float width = r.w / static_cast<float>(colors.size());
  for (std::size_t i = 0; i < colors.size(); ++i)
    unrecorded.fill({r.x + width * static_cast<float>(i), r.y, width, r.h}, colors[i]);
}

void Canvas::wire(Point from, Point to, Color color, float width) const {
  const float reach = std::abs(to.x - from.x) / 2;
  bezier(from, {from.x + reach, from.y}, {to.x - reach, to.y}, to, color, width);
}

void Canvas::bezier(Point a, Point control_a, Point control_b, Point b, Color color, float width) const {
  record(PathShape{.points = {a, control_a, control_b, b}, .color = color, .width = width, .curve = true});
  list_->AddBezierCubic(as_vec2(a * scale()), as_vec2(control_a * scale()), as_vec2(control_b * scale()),
                        as_vec2(b * scale()), packed(color), width * scale());
}

void Canvas::ribbon(Point from, Point to, float width, Color color) const {
  constexpr int pieces = 24;
  std::vector<Point> left, right;
  for (int i = 0; i <= pieces; ++i) {
    const float t = static_cast<float>(i) / pieces;
    // The x of a cubic curve whose controls are half-way down, straight below and above its ends.
    const float share = t * t * (3 - 2 * t);
    const float along = 1.5f * t * (1 - t) + t * t * t;
    const Point at{from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * along};
    left.push_back(at);
    right.push_back(at + Point{width, 0});
  }
  PathShape outline{.points = left, .color = color, .closed = true};
  outline.points.insert(outline.points.end(), right.rbegin(), right.rend());
  record(std::move(outline));
  // Two triangles for each piece, because the band is not convex; its edges are smoothed by a line in the same colour.
  list_->PrimReserve(6 * pieces, 4 * pieces);
  for (std::size_t i = 0; i < pieces; ++i) {
    const auto first = static_cast<ImDrawIdx>(list_->_VtxCurrentIdx);
    for (const unsigned corner : {0u, 1u, 2u, 0u, 2u, 3u}) list_->PrimWriteIdx(static_cast<ImDrawIdx>(first + corner));
    const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
    for (const Point corner : {left[i], right[i], right[i + 1], left[i + 1]})
      list_->PrimWriteVtx(as_vec2(corner * scale()), white, packed(color));
  }
  const Canvas unrecorded(*list_, *fonts_, *theme_);
  for (const auto& edge : {left, right}) unrecorded.polyline(edge, color, 1);
}

void Canvas::hatch(const Rect& r, float spacing, float radius) const {
  const Rect s = snapped(r);
  const float line_width = spacing > 4 ? 0.9f : 1.0f;
  record(HatchShape{{s}, radius, spacing, line_width, theme_->mask_background, theme_->mask_ink});
  const Canvas unrecorded(*list_, *fonts_, *theme_);
  unrecorded.fill(r, theme_->mask_background, radius);
  push_clip(s);
  // Lines x + y = k · step of the whole surface, so that neighbouring hatches match up.
  const float step = spacing / sqrt_half;
  const float first = std::floor((s.x + s.y) / step) * step;
  for (float sum = first; sum <= s.right() + s.bottom() + step; sum += step)
    unrecorded.line({sum - s.y + 1, s.y - 1}, {sum - s.bottom() - 1, s.bottom() + 1}, theme_->mask_ink, line_width);
  pop_clip();
}

void Canvas::band_tint(const Rect& r, Color identity) const { fill(r, faded(identity, 0.15f), 8); }

void Canvas::band_outline(const Rect& r, Color identity, float width) const { stroke(r, identity, width, 8); }

void Canvas::ring(const Rect& cell, float radius, float width) const {
  constexpr float inner = 1.5f;
  stroke(cell.outset(inner), theme_->canvas, inner, radius);
  stroke(cell.outset(inner + width), theme_->lamp, width, radius + width);
}

void Canvas::focus_ring(const Rect& control, float radius) const {
  stroke(control.outset(4), theme_->lamp, 2, radius + 3);
}

void Canvas::error_cell(const Rect& cell, std::string_view word) const {
  fill(cell, theme_->panel, 3);
  stroke(cell, theme_->error, 1.5f, 3);
  text_in(cell, word, TextStyle::mono_strong, theme_->error, Align::center);
}

void Canvas::icon(Icon icon, Point top_left, Color color, float stroke, float size) const {
  if (clips_away({top_left.x, top_left.y, size, size})) return;
  const Point at{std::round(top_left.x * scale()), std::round(top_left.y * scale())};
  const float unit = size / 16;
  draw_icon(*list_, icon, at, unit * scale(),
            [&](bool filled, bool closed) { finish_path(color, filled ? 0 : stroke * unit, filled || closed); });
}

void Canvas::icon_centered(Icon which, const Rect& r, Color color, float stroke, float size) const {
  icon(which, {r.center().x - size / 2, r.center().y - size / 2}, color, stroke, size);
}

void Canvas::mark(Point o, Color color) const {
  constexpr float pi = 3.14159265f;
  list_->PathArcTo(as_vec2(Point{o.x + 9, o.y + 10} * scale()), 8.5f * scale(), pi / 2, 3 * pi / 2, 24);
  finish_path(color, 0, true);
  const auto beam = [&](float y, float length) {
    line({o.x + 13, o.y + y}, {o.x + 13 + length, o.y + y + (y - 10) * 0.28f}, color, 2);
  };
  beam(4, 12);
  beam(10, 15);
  beam(16, 12);
}

float Canvas::logo(Point o) const {
  mark(o, theme_->lamp);
  return 38 + text({o.x + 38, o.y + 15.5f}, "Headlight", TextStyle::heading, theme_->text);
}

float Canvas::width(std::string_view text, TextStyle style, Script script) const {
  style = shown_as(style);
  if (needs_shaping(text)) return fonts_->shaped(style, text).width() * text_size(style, script);
  float total = 0;
  for_each_character(text, [&](ImWchar character, std::size_t) {
    total += fonts_->glyph(style, script, character).AdvanceX;
    return true;
  });
  return total / scale();
}

float Canvas::text(Point baseline, std::string_view text, TextStyle style, Color color, Align align,
                   Script script) const {
  style = shown_as(style);
  const ImFont& font = fonts_->font(style, script);
  const bool shapes = needs_shaping(text);
  const bool measures_first = align != Align::left || record_ || shapes;
  const float drawn = measures_first ? width(text, style, script) : 0;
  const float shifted = baseline.y + shift_in_em(script) * text_size(style);
  const float top = std::round(shifted * scale()) - std::round(font.Ascent);
  float pen = left_of(baseline.x, drawn, align) * scale();
  if (record_ && drawn > 0)
    record(TextShape{{pen / scale(), snapped(shifted)}, drawn, std::string(text), style, script, align, color});
  if (shapes) {
    draw_shaped({pen, std::round(shifted * scale())}, text, style, script, color);
    return drawn;
  }
  // Each glyph is on a whole pixel, so that stems are sharp, while exact advances are added up without drift.
  float advanced = 0;
  for_each_character(text, [&](ImWchar character, std::size_t) {
    font.RenderChar(list_, font.FontSize, {std::round(pen), top}, packed(color), character);
    const float advance = fonts_->glyph(style, script, character).AdvanceX;
    pen += advance;
    advanced += advance;
    return true;
  });
  return measures_first ? drawn : advanced / scale();
}

float Canvas::turned_text(Point baseline, std::string_view text, TextStyle style, Color color, float turn) const {
  const int first = list_->VtxBuffer.Size;
  const float drawn = Canvas(*list_, *fonts_, *theme_).text(baseline, text, shown_as(style), color);
  const float cosine = std::cos(turn);
  const float sine = std::sin(turn);
  const ImVec2 pivot = as_vec2(baseline * scale());
  for (int i = first; i < list_->VtxBuffer.Size; ++i) {
    ImVec2& at = list_->VtxBuffer[i].pos;
    const ImVec2 from{at.x - pivot.x, at.y - pivot.y};
    at = {pivot.x + cosine * from.x + sine * from.y, pivot.y + cosine * from.y - sine * from.x};
  }
  if (drawn > 0)
    record(TextShape{baseline, drawn, std::string(text), shown_as(style), Script::normal, Align::left, color, turn});
  return drawn;
}

void Canvas::draw_shaped(Point pen, std::string_view text, TextStyle style, Script script, Color color) const {
  const float em = text_size(style, script) * scale();
  for (const ShapedGlyph& glyph : fonts_->shaped(style, text).glyphs) {
    const GlyphSprite& sprite = fonts_->sprite(style, script, glyph);
    const Point at{std::round(pen.x + glyph.x * em), std::round(pen.y - glyph.y * em)};
    pen.x += glyph.advance * em;
    if (sprite.x0 == sprite.x1) continue;
    list_->PrimReserve(6, 4);
    list_->PrimRectUV({at.x + sprite.x0, at.y + sprite.y0}, {at.x + sprite.x1, at.y + sprite.y1},
                      {sprite.u0, sprite.v0}, {sprite.u1, sprite.v1}, packed(color));
  }
}

float Canvas::width(std::span<const Run> runs) const {
  float total = 0;
  for (const Run& run : runs) total += width(run.text, run.style, run.script) + run.space_after;
  return total;
}

float Canvas::rich(Point baseline, std::span<const Run> runs, Align align) const {
  const float total = align == Align::left ? 0 : width(runs);
  const float start = left_of(baseline.x, total, align);
  float x = start;
  for (const Run& run : runs)
    x += text({x, baseline.y}, run.text, run.style, run.color, Align::left, run.script) + run.space_after;
  return x - start;
}

float Canvas::centered_baseline(const Rect& box, TextStyle style) const {
  return box.center().y + baseline_below_center * text_size(shown_as(style));
}

void Canvas::text_in(const Rect& box, std::string_view string, TextStyle style, Color color, Align align) const {
  const float x = align == Align::left ? box.x : align == Align::right ? box.right() : box.center().x;
  const Point baseline{x, centered_baseline(box, style)};
  if (width(string, style) <= box.w + 0.5f) text(baseline, string, style, color, align);
  else text(baseline, ellipsized(string, style, box.w), style, color, align);
}

std::string Canvas::ellipsized(std::string_view text, TextStyle style, float max_width) const {
  style = shown_as(style);
  if (width(text, style) <= max_width) return std::string(text);
  if (needs_shaping(text)) {
    std::size_t end = 0;
    for (std::size_t next = 0; next < text.size();) {
      next += grapheme_length(text.substr(next));
      if (width(std::string(text.substr(0, next)) + std::string(ellipsis), style) > max_width) break;
      end = next;
    }
    return std::string(text.substr(0, end)) + std::string(ellipsis);
  }
  const float room = (max_width - width(ellipsis, style)) * scale();
  float used = 0;
  std::size_t fits = 0;
  for_each_character(text, [&](ImWchar character, std::size_t after) {
    used += fonts_->glyph(style, Script::normal, character).AdvanceX;
    if (used > room) return false;
    fits = after;
    return true;
  });
  return std::string(text.substr(0, fits)) + std::string(ellipsis);
}

std::vector<std::string_view> Canvas::wrapped(std::string_view text, TextStyle style, float max_width) const {
  std::vector<std::string_view> lines;
  std::size_t start = 0;  // of the line
  std::size_t fits = 0;   // end of the last piece of it that fits
  const auto end_line = [&](std::size_t end, std::size_t next) {
    lines.push_back(text.substr(start, end - start));
    start = fits = next;
  };
  std::size_t at = 0;
  // A piece that is wider than the line, such as a path, ends where it must, after a slash if there is one far enough
  // on.
  const auto cut_piece = [&](std::size_t end) {
    std::size_t fitting = start, after_slash = start;
    for (std::size_t next = start; next < end;) {
      next += grapheme_length(text.substr(next, end - next));
      if (width(text.substr(start, next - start), style) > max_width) break;
      fitting = next;
      if (text[next - 1] == '/') after_slash = next;
    }
    if (fitting == start) return end;  // not even one letter fits
    return after_slash - start > (fitting - start) / 3 ? after_slash : fitting;
  };
  while (at <= text.size()) {
    const std::size_t word_end = std::min(text.find_first_of(" \n", at), text.size());
    const std::size_t piece_end = at + unbroken_length(text.substr(at, word_end - at));
    if (fits > start && width(text.substr(start, piece_end - start), style) > max_width) end_line(fits, at);
    if (start == at && piece_end > at && width(text.substr(at, piece_end - at), style) > max_width) {
      if (const std::size_t cut = cut_piece(piece_end); cut < piece_end) {
        end_line(cut, cut);
        at = cut;
        continue;
      }
    }
    fits = piece_end;
    if (piece_end < word_end) {
      at = piece_end;
      continue;
    }
    if (word_end < text.size() && text[word_end] == '\n') end_line(word_end, word_end + 1);
    at = word_end + 1;
  }
  if (start < text.size()) end_line(text.size(), text.size());
  return lines;
}

float Canvas::paragraph(Point baseline, std::string_view string, TextStyle style, Color color, float max_width,
                        float line_height) const {
  for (std::string_view one : wrapped(string, style, max_width)) {
    text(baseline, one, style, color);
    baseline.y += line_height;
  }
  return baseline.y;
}

void Canvas::push_clip(const Rect& r) const {
  const Rect s = snapped(r);
  list_->PushClipRect(as_vec2(s.min() * scale()), as_vec2(s.max() * scale()), true);
}

void Canvas::pop_clip() const { list_->PopClipRect(); }

bool Canvas::clips_away(const Rect& shape) const { return clip().intersected(shape.outset(1)).empty(); }

Rect Canvas::clip() const {
  const ImVec2 min = list_->GetClipRectMin();
  const ImVec2 max = list_->GetClipRectMax();
  return {min.x / scale(), min.y / scale(), (max.x - min.x) / scale(), (max.y - min.y) / scale()};
}

}  // namespace headlight
