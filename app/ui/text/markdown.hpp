// Markdown as the lectures write it, drawn: paragraphs, emphasis, lists, inline code, code blocks, math and links.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/ui/drawing/canvas.hpp"

namespace headlight {

enum class SpanKind : std::uint8_t { plain, emphasis, strong, code, math };

struct MarkdownSpan {
  std::string text;
  SpanKind kind = SpanKind::plain;
  std::string link = {};  ///< the target of the link that the span belongs to; empty: none
};

enum class BlockKind : std::uint8_t { paragraph, heading, list_item, code };

/// One block; a list is its items. Code blocks keep their newlines in one span.
struct MarkdownBlock {
  BlockKind kind = BlockKind::paragraph;
  std::string marker;  ///< of a list item: "•" or "1."
  int depth = 0;       ///< of a list item, from 0
  std::vector<MarkdownSpan> spans;
};

/// A parsed text: parse once, lay out at any width.
using Markdown = std::vector<MarkdownBlock>;
Markdown parse_markdown(std::string_view text);
/// Whether a block is nothing but a link that changes settings, which shows as a button.
bool is_button(const MarkdownBlock& block);
/// The text without its markup and its math, blocks separated by newlines.
std::string plain_text(const Markdown& markdown);

/// The type that Markdown is set in.
struct MarkdownType {
  TextStyle plain = TextStyle::body;
  TextStyle strong = TextStyle::body_strong;
  TextStyle code = TextStyle::mono;
  float line_height = 21;
};

/// Where a piece of a link was drawn. A link over several lines has several pieces. A paragraph that is nothing but a
/// link that changes settings has room for a button, which the caller draws.
struct LinkBox {
  Rect rect;
  std::string target;
  std::string words;
  std::size_t link = 0;  ///< which link of the text
  bool is_button = false;
};

/// Draws from the top of `area`; returns the height used. Only measures if `draw` is false. Adds where the links are to
/// `links`.
float draw_markdown(const Canvas& canvas, const Rect& area, const Markdown& markdown, bool draw = true,
                    const MarkdownType& type = {}, std::vector<LinkBox>* links = nullptr);
/// The height that drawing at this width takes.
inline float markdown_height(const Canvas& canvas, float width, const Markdown& markdown,
                             const MarkdownType& type = {}) {
  return draw_markdown(canvas, {0, 0, width, 0}, markdown, false, type);
}

}  // namespace headlight
