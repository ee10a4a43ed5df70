// Drawing in design pixels: shapes, text by style, wires, hatches, bands, rings and icons, on an ImGui draw list, and
// also on a display list if wanted.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/drawing/color.hpp"
#include "app/ui/drawing/display_list.hpp"
#include "app/ui/drawing/fonts.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/ui/drawing/icons.hpp"
#include "app/ui/drawing/theme.hpp"

struct ImDrawList;

namespace headlight {

/// A piece of rich text.
struct Run {
  std::string_view text;
  TextStyle style = TextStyle::control;
  Color color;
  Script script = Script::normal;
  float space_after = 0;
};

/// The direction of a triangle.
enum class Pointing : std::uint8_t { left, right, up, down };

/// A handle to a draw list: cheap to copy, valid for the frame. Coordinates are design pixels of the surface (not of a
/// window), and all strings are UTF-8. Fills and strokes of rectangles are rounded to whole device pixels, so that
/// edges are sharp. Strokes are inside the rectangle.
class Canvas {
 public:
  /// Everything drawn is also added to `record`, unless that is null. No type is smaller than `least_type`, see
  /// legible().
  Canvas(ImDrawList& list, const Fonts& fonts, const Theme& theme, DisplayList* record = nullptr, float least_type = 0)
      : list_(&list), fonts_(&fonts), theme_(&theme), record_(record), least_type_(least_type) {}

  const Theme& theme() const { return *theme_; }
  const Fonts& fonts() const { return *fonts_; }
  ImDrawList& list() const { return *list_; }
  /// Device pixels per design pixel.
  float scale() const { return fonts_->scale(); }
  /// The nearest whole device pixel, in design pixels.
  float snapped(float v) const;
  Rect snapped(const Rect& r) const;

  bool recording() const { return record_ != nullptr; }
  bool recording_outlines() const { return record_ && record_->outlines; }
  /// Adds a shape to the record, with the current clip. Does nothing without a record, or if the clip hides the whole
  /// shape. For code that draws without this canvas, such as heatmaps.
  void record(Shape2d shape) const;

  // Shapes
  void fill(const Rect& r, Color color, float radius = 0) const;
  void stroke(const Rect& r, Color color, float width = 1, float radius = 0) const;
  void dashed(const Rect& r, Color color, float width = 1, float radius = 0) const;
  void line(Point a, Point b, Color color, float width = 1) const;
  /// Connected lines with round joins.
  void polyline(std::span<const Point> points, Color color, float width = 1.5f) const;
  void disc(Point center, float radius, Color color) const;
  void circle(Point center, float radius, Color color, float width = 1) const;
  void triangle(Point tip_center, Pointing pointing, Color color, float size = 4) const;
  /// Strips of equal width from left to right: a colour bar of any scale.
  void strips(const Rect& r, std::span<const Color> colors) const;

  /// A picture on the graphics card, by its texture. It is not recorded.
  void picture(void* texture, const Rect& r) const;

  // The design's own shapes
  /// A wire between two ports, leaving and arriving horizontally.
  void wire(Point from, Point to, Color color, float width = 1.5f) const;
  void bezier(Point a, Point control_a, Point control_b, Point b, Color color, float width = 1.5f) const;
  /// A filled band of this width between two levels, which leaves and arrives upright. The points are the left ends of
  /// its edges. The colour is opaque.
  void ribbon(Point from, Point to, float width, Color color) const;
  /// 45° lines on the mask's background: "not allowed", never just dark.
  void hatch(const Rect& r, float spacing = 8, float radius = 0) const;
  /// The band of a row or column: draw the tint under the cells, and the outline over them.
  void band_tint(const Rect& r, Color identity) const;
  void band_outline(const Rect& r, Color identity, float width = 2) const;
  /// The hovered or pinned cell: lamp outside, canvas inside, visible on any fill.
  void ring(const Rect& cell, float radius = 4, float width = 3) const;
  /// Keyboard focus of a control: 2 px lamp, 4 px outside.
  void focus_ring(const Rect& control, float radius = 6) const;
  /// A cell that holds a NaN or an infinity: the word instead of a colour.
  void error_cell(const Rect& cell, std::string_view word) const;
  void icon(Icon icon, Point top_left, Color color, float stroke = 1.5f, float size = 16) const;
  void icon_centered(Icon icon, const Rect& r, Color color, float stroke = 1.5f, float size = 16) const;
  /// The mark: a half-disc lens and three beams, 24 × 20.
  void mark(Point top_left, Color color) const;
  /// Mark and name, for the top bar (about 108 × 20); returns the width.
  float logo(Point top_left) const;

  /// The style in which a text is really drawn.
  TextStyle shown_as(TextStyle style) const { return legible(style, least_type_); }

  // Text. Baseline coordinates, as type is set.
  float width(std::string_view text, TextStyle style, Script script = Script::normal) const;
  /// Draws on a baseline; returns the width.
  float text(Point baseline, std::string_view text, TextStyle style, Color color, Align align = Align::left,
             Script script = Script::normal) const;
  /// The same, turned about the start of the baseline: `turn` is in radians, anticlockwise.
  float turned_text(Point baseline, std::string_view text, TextStyle style, Color color, float turn) const;
  float width(std::span<const Run> runs) const;
  float rich(Point baseline, std::span<const Run> runs, Align align = Align::left) const;
  float rich(Point baseline, std::initializer_list<Run> runs, Align align = Align::left) const {
    return rich(baseline, std::span(runs.begin(), runs.size()), align);
  }
  /// Centred vertically in a box (by the height of digits and capitals), cut with "…" if it does not fit.
  void text_in(const Rect& box, std::string_view text, TextStyle style, Color color, Align align = Align::left) const;
  /// The baseline that text_in uses.
  float centered_baseline(const Rect& box, TextStyle style) const;
  /// The longest beginning that fits, with "…" if it was cut.
  std::string ellipsized(std::string_view text, TextStyle style, float max_width) const;
  /// Broken at spaces and newlines, and between the characters of scripts without spaces, so that every line fits. A
  /// longer single word is not broken.
  std::vector<std::string_view> wrapped(std::string_view text, TextStyle style, float max_width) const;
  /// A wrapped paragraph whose first baseline is given; returns the baseline after the last line.
  float paragraph(Point baseline, std::string_view text, TextStyle style, Color color, float max_width,
                  float line_height = 21) const;

  // Clipping, nested.
  void push_clip(const Rect& r) const;
  void pop_clip() const;
  /// The part of the surface that is not clipped now.
  Rect clip() const;

 private:
  /// Whether nothing of a shape within these bounds would be seen. What has scrolled out of sight costs time otherwise.
  bool clips_away(const Rect& shape) const;
  /// Draws a text whose glyphs are not one for each character. The pen is on the baseline, in device pixels.
  void draw_shaped(Point pen, std::string_view text, TextStyle style, Script script, Color color) const;
  /// Strokes or fills the draw list's current path, and records it.
  void finish_path(Color color, float width, bool closed) const;

  ImDrawList* list_;
  const Fonts* fonts_;
  const Theme* theme_;
  DisplayList* record_;
  float least_type_;
};

}  // namespace headlight
