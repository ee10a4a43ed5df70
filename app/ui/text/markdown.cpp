#include "app/ui/text/markdown.hpp"

#include <algorithm>

#include "app/shaping/line_breaks.hpp"
#include "app/ui/text/math.hpp"

namespace headlight {
namespace {

constexpr float block_gap = 10;
constexpr float list_indent = 20;

/// Sets words in sequence and breaks lines between them.
class Typesetter {
 public:
  Typesetter(const Canvas& canvas, const MarkdownType& type, const Rect& area, float top, bool draw,
             std::vector<LinkBox>* links)
      : canvas_(canvas),
        type_(type),
        area_(area),
        x_(area.x),
        baseline_(top + type.line_height - 6),
        draw_(draw),
        links_(links) {}

  /// `next` follows it on the same line, if it begins without a space; null at the end.
  void add(const MarkdownSpan& span, SpanKind kind, const MarkdownSpan* next) {
    const TextStyle style = style_of(kind);
    if (!span.link.empty()) ++link_count_;
    span_ = &span;
    if (kind == SpanKind::math) return word(span.text, style, kind, stuck_width(span.text, next));
    std::size_t at = 0;
    while (at < span.text.size()) {
      std::size_t end = std::min(span.text.find_first_of(" \n", at), span.text.size());
      // A percent sign stays with its number.
      if (end > at && span.text.compare(end, 2, " %") == 0)
        end = std::min(span.text.find_first_of(" \n", end + 1), span.text.size());
      for (std::string_view rest = std::string_view(span.text).substr(at, end - at); !rest.empty();) {
        const std::string_view piece = rest.substr(0, unbroken_length(rest));
        const bool is_last = piece.size() == rest.size() && end == span.text.size();
        word(piece, style, kind, is_last ? stuck_width(piece, next) : 0);
        rest.remove_prefix(piece.size());
      }
      if (end < span.text.size()) {
        if (span.text[end] == '\n') break_line();
        else space(style);
      }
      at = end + 1;
    }
  }
  float bottom() const { return baseline_ + (high_ ? 10.0f : 6.0f); }

 private:
  TextStyle style_of(SpanKind kind) const {
    if (kind == SpanKind::strong) return type_.strong;
    if (kind == SpanKind::code) return type_.code;
    return type_.plain;
  }
  float width_of(std::string_view text, TextStyle style, SpanKind kind) const {
    if (kind == SpanKind::math) return set_math(canvas_, {}, text, style, {}, false);
    return canvas_.width(text, style);
  }
  /// The width of what stays on the line of this word, like a comma after code.
  float stuck_width(std::string_view word, const MarkdownSpan* next) const {
    if (next == nullptr) return 0;
    const std::string_view rest = std::string_view(next->text).substr(0, next->text.find_first_of(" \n"));
    if (rest.empty() || may_break_between(word, rest)) return 0;
    const bool is_whole = next->kind == SpanKind::math;
    return width_of(is_whole ? next->text : rest.substr(0, unbroken_length(rest)), style_of(next->kind), next->kind);
  }
  Color color_of(SpanKind kind) const {
    if (!span_->link.empty()) return canvas_.theme().text;
    return kind == SpanKind::plain ? canvas_.theme().text2 : canvas_.theme().text;
  }
  /// A link is underlined, so that it is visible without colour.
  void mark_link(float wide, std::string_view words) {
    const Rect box{x_, baseline_ - type_.line_height + 7, wide, type_.line_height - 1};
    const bool goes_on = link_end_.link == link_count_ && link_end_.baseline == baseline_;
    canvas_.line({goes_on ? link_end_.x : box.x, baseline_ + 2.5f}, {box.right(), baseline_ + 2.5f},
                 canvas_.theme().outline, 1);
    link_end_ = {link_count_, box.right(), baseline_};
    if (links_) links_->push_back({box, span_->link, std::string(words), link_count_, false});
  }
  void word(std::string_view text, TextStyle style, SpanKind kind, float stuck) {
    const float wide = width_of(text, style, kind);
    // Text without a space before it, like a comma after code, stays on the line of the word before, except in scripts
    // without spaces.
    const bool may_break = space_before_ || may_break_between(word_before_, text);
    word_before_ = text;
    if (may_break && x_ + pending_space_ + wide + stuck > area_.right() + 0.5f) break_line();
    if (x_ > area_.x) x_ += pending_space_;
    pending_space_ = 0;
    space_before_ = false;
    if (draw_) {
      if (kind == SpanKind::code)
        canvas_.fill({x_ - 2, baseline_ - type_.line_height + 8, wide + 4, type_.line_height - 3},
                     canvas_.theme().hover, 3);
      if (kind == SpanKind::math) set_math(canvas_, {x_, baseline_}, text, style, canvas_.theme().text);
      else canvas_.text({x_, baseline_}, text, style, color_of(kind));
      if (!span_->link.empty()) mark_link(wide, text);
    }
    if (kind == SpanKind::math && is_high_math(text)) high_ = true;
    x_ += wide;
  }
  void space(TextStyle style) {
    pending_space_ = std::max(pending_space_, canvas_.width(" ", style));
    space_before_ = true;
  }
  void break_line() {
    x_ = area_.x;
    baseline_ += type_.line_height + (high_ ? 4.0f : 0.0f);
    high_ = false;
    pending_space_ = 0;
    space_before_ = false;
  }

  const Canvas& canvas_;
  MarkdownType type_;
  Rect area_;
  float x_;
  float baseline_;
  bool draw_;
  std::vector<LinkBox>* links_;
  const MarkdownSpan* span_ = nullptr;
  std::size_t link_count_ = 0;
  /// Where the last word of a link ended, from which the line under it goes on.
  struct {
    std::size_t link = 0;
    float x = 0;
    float baseline = 0;
  } link_end_;
  std::string_view word_before_;  ///< a part of a span's text
  float pending_space_ = 0;
  bool space_before_ = false;
  bool high_ = false;  ///< the line has a fraction
};

/// Makes room for a button. Among words in the type of a phone it is for a finger.
float add_button(const Canvas& canvas, const Rect& area, float top, const MarkdownBlock& block, bool draw,
                 const MarkdownType& type, std::vector<LinkBox>* links) {
  const float height = type.plain == TextStyle::reading ? 44.0f : 28.0f;
  std::string words;
  for (const MarkdownSpan& span : block.spans) words += span.text;
  const Rect box{area.x, top, std::min(area.w, canvas.width(words, TextStyle::control) + 32), height};
  if (draw && links) links->push_back({box, block.spans.front().link, words, 0, true});
  if (draw && !links) {
    canvas.stroke(box, canvas.theme().control, 1, 6);
    canvas.text_in(box, words, TextStyle::control, canvas.theme().text, Align::center);
  }
  return box.bottom();
}

float draw_code(const Canvas& canvas, const Rect& area, float top, const MarkdownBlock& block, bool draw) {
  constexpr float code_line = 19;
  std::string text;
  for (const MarkdownSpan& span : block.spans) text += span.text;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  float baseline = top + 14;
  std::size_t at = 0;
  while (at <= text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (draw)
      canvas.text({area.x + 12, baseline}, std::string_view(text).substr(at, end - at), TextStyle::code,
                  canvas.theme().text);
    baseline += code_line;
    at = end + 1;
  }
  const float bottom = baseline - code_line + 7;
  if (draw) canvas.fill({area.x, top, 2, bottom - top}, canvas.theme().outline);
  return bottom;
}

}  // namespace

float draw_markdown(const Canvas& canvas, const Rect& area, const Markdown& markdown, bool draw,
                    const MarkdownType& type, std::vector<LinkBox>* links) {
  float y = area.y;
  BlockKind before = BlockKind::paragraph;
  for (const MarkdownBlock& block : markdown) {
    if (&block != &markdown.front())
      y += block.kind == BlockKind::list_item && before == BlockKind::list_item ? 2 : block_gap;
    before = block.kind;
    if (block.kind == BlockKind::code) {
      y = draw_code(canvas, area, y, block, draw);
      continue;
    }
    if (is_button(block)) {
      y = add_button(canvas, area, y, block, draw, type, links);
      continue;
    }
    Rect column = area;
    if (block.kind == BlockKind::list_item) {
      column.cut_left(list_indent * static_cast<float>(block.depth));
      const Rect margin = column.cut_left(list_indent);
      if (draw) canvas.text({margin.x + 4, y + type.line_height - 6}, block.marker, type.plain, canvas.theme().text3);
    }
    Typesetter typesetter(canvas, type, column, y, draw, links);
    for (std::size_t i = 0; i < block.spans.size(); ++i) {
      const MarkdownSpan& span = block.spans[i];
      const bool stands_out = block.kind == BlockKind::heading && span.kind == SpanKind::plain;
      typesetter.add(span, stands_out ? SpanKind::strong : span.kind,
                     i + 1 < block.spans.size() ? &block.spans[i + 1] : nullptr);
    }
    y = typesetter.bottom();
  }
  return y - area.y;
}

}  // namespace headlight
