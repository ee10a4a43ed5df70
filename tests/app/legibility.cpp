#include "legibility.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include <fmt/format.h>

namespace headlight::testing {
namespace {

struct Written {
  const TextShape* text;
  Rect clip;
  Rect box;                 ///< around digits and capitals, which is what would be missed
  std::vector<Rect> parts;  ///< what of the box is written on: all of it, but for a slanted text
};

/// A slanted text is a row of small boxes.
std::vector<Rect> parts_of(const TextShape& text) {
  const float high = 0.74f * text_size(text.style, text.script);
  if (text.turn == 0) return {{text.baseline.x, text.baseline.y - high, text.width, high}};
  const Point along{std::cos(text.turn), -std::sin(text.turn)};
  const Point up{-std::sin(text.turn), -std::cos(text.turn)};
  const float side = 0.7f * high;
  std::vector<Rect> parts;
  for (float at = high / 2; at < text.width; at += side) {
    const Point middle = text.baseline + along * at + up * (high / 2);
    parts.push_back({middle.x - side / 2, middle.y - side / 2, side, side});
  }
  return parts;
}

bool holds(const Rect& outer, const Rect& inner) {
  constexpr float rounding = 1;
  return inner.x >= outer.x - rounding && inner.y >= outer.y - rounding && inner.right() <= outer.right() + rounding &&
         inner.bottom() <= outer.bottom() + rounding;
}

bool has_ink(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return std::isspace(c) == 0; });
}

/// Whether something opaque is drawn over all of the box behind the given place of the drawing.
bool is_covered(const DisplayList& drawing, std::size_t place, const Rect& box) {
  return std::any_of(
      drawing.drawn.begin() + static_cast<std::ptrdiff_t>(place), drawing.drawn.end(), [&](const Drawn& drawn) {
        const auto* const over = std::get_if<BoxShape>(&drawn.shape);
        return over && over->width == 0 && over->color.a == 255 && holds(over->r, box) && holds(drawn.clip, box);
      });
}

std::vector<Written> written_in(const DisplayList& drawing, const Rect& area) {
  std::vector<Written> all;
  for (std::size_t place = 0; place < drawing.drawn.size(); ++place) {
    const Drawn& drawn = drawing.drawn[place];
    const auto* const text = std::get_if<TextShape>(&drawn.shape);
    if (!text || !has_ink(text->text)) continue;
    std::vector<Rect> parts = parts_of(*text);
    Rect box;
    for (const Rect& part : parts) box = box.joined(part);
    if (!box.intersected(area).empty() && !is_covered(drawing, place + 1, box))
      all.push_back({text, drawn.clip.intersected({0, 0, drawing.width, drawing.height}), box, std::move(parts)});
  }
  return all;
}

bool overlap(const Rect& a, const Rect& b) {
  const Rect both = a.intersected(b);
  return both.w > 1 && both.h > 1;
}

bool overlap(const Written& a, const Written& b) {
  return overlap(a.box, b.box) && std::ranges::any_of(a.parts, [&](const Rect& one) {
           return std::ranges::any_of(b.parts, [&](const Rect& other) { return overlap(one, other); });
         });
}

std::string without_spaces(std::string_view text) {
  std::string letters;
  for (char c : text)
    if (std::isspace(static_cast<unsigned char>(c)) == 0) letters += c;
  return letters;
}

bool has_exponent(std::string_view text) {
  const std::size_t e = text.find('e');
  return e != std::string_view::npos && e > 0 && text[e - 1] >= '0' && text[e - 1] <= '9';
}

}  // namespace

std::vector<std::string> text_complaints(const DisplayList& drawing, const Rect& area, float least_size) {
  std::vector<std::string> complaints;
  const auto texts = written_in(drawing, area);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto& [text, clip, box, parts] = texts[i];
    if (!holds(clip, box)) complaints.push_back(fmt::format("\"{}\" is cut", text->text));
    if (text->text.ends_with("…")) complaints.push_back(fmt::format("\"{}\" is shortened", text->text));
    if (text->script == Script::normal && text_size(text->style) < least_size - 0.01f)
      complaints.push_back(fmt::format("\"{}\" is {} high", text->text, text_size(text->style)));
    for (std::size_t j = 0; j < i; ++j)
      if (overlap(texts[i], texts[j]))
        complaints.push_back(fmt::format("\"{}\" stands on \"{}\"", text->text, texts[j].text->text));
  }
  return complaints;
}

std::vector<std::string> texts_on_edge(const DisplayList& drawing, const Rect& box) {
  std::vector<std::string> found;
  for (const auto& [text, clip, own, parts] : written_in(drawing, box))
    if (overlap(own, box) && !holds(box, own)) found.push_back(fmt::format("\"{}\" stands on an edge", text->text));
  return found;
}

bool shows_text(const DisplayList& drawing, const Rect& area, std::string_view text) {
  std::string shown;
  for (const Written& written : written_in(drawing, area))
    if (holds(written.clip, written.box)) shown += without_spaces(written.text->text);
  return shown.find(without_spaces(text)) != std::string::npos;
}

bool shows_words(const DisplayList& drawing, const Rect& area, const Markdown& text) {
  for (const MarkdownBlock& block : text) {
    std::string words;
    for (const MarkdownSpan& span : block.spans) {
      if (span.kind == SpanKind::math && !shows_text(drawing, area, words)) return false;
      words = span.kind == SpanKind::math ? "" : words + span.text;
    }
    if (!shows_text(drawing, area, words)) return false;
  }
  return true;
}

CellCount count_cells(const DisplayList& drawing, const Rect& cells) {
  const auto texts = written_in(drawing, cells);
  std::set<int> rows;
  std::set<int> columns;
  CellCount count;
  const auto take = [&](const Rect& cell, bool wants_number) {
    if (!cells.contains(cell.center())) return;
    rows.insert(static_cast<int>(std::lround(cell.y)));
    columns.insert(static_cast<int>(std::lround(cell.x)));
    const bool numbered = std::any_of(texts.begin(), texts.end(),
                                      [&](const Written& written) { return cell.contains(written.box.center()); });
    if (wants_number && !numbered) ++count.without_number;
    if (std::any_of(texts.begin(), texts.end(), [&](const Written& written) {
          return cell.contains(written.box.center()) && has_exponent(written.text->text);
        }))
      ++count.with_exponent;
  };
  for (const Drawn& drawn : drawing.drawn) {
    if (const auto* const shown = std::get_if<CellsShape>(&drawn.shape))
      for (const CellsShape::Cell& cell : shown->cells) take(cell.r, true);
    if (const auto* const hatched = std::get_if<HatchShape>(&drawn.shape))
      for (const Rect& cell : hatched->rects) take(cell, false);
    if (const auto* const pixels = std::get_if<PixelsShape>(&drawn.shape); pixels && cells.contains(pixels->r.center()))
      rows.insert({-1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12, -13});  // too many cells for numbers
  }
  count.rows = static_cast<int>(rows.size());
  count.columns = static_cast<int>(columns.size());
  return count;
}

}  // namespace headlight::testing
