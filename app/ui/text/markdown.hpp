// Markdown as the lectures write it, drawn: paragraphs, emphasis, lists, inline code, code blocks, math and links.
#pragma once

#include <string>
#include <vector>

#include "app/ui/drawing/canvas.hpp"
#include "core/text/markdown.hpp"

namespace headlight {

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
