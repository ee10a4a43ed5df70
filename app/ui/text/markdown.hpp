// Draws the lectures' Markdown: paragraphs, emphasis, lists, inline code, code blocks, math and links.
#pragma once

#include <string>
#include <vector>

#include "app/ui/drawing/canvas.hpp"
#include "core/text/markdown.hpp"

namespace headlight {

/// The text styles of Markdown.
struct MarkdownType {
  TextStyle plain = TextStyle::body;
  TextStyle strong = TextStyle::body_strong;
  TextStyle code = TextStyle::mono;
  float line_height = 21;
};

/// The area of a piece of a link. A link over several lines has several pieces. A paragraph that consists of a link to
/// settings has room for a button, which the caller draws.
struct LinkBox {
  Rect rect;
  std::string target;
  std::string words;
  std::size_t link = 0;  ///< the index of the link in the text
  bool is_button = false;
};

/// Draws from the top of `area` and returns the height used. Only measures if `draw` is false. Adds the links' areas to
/// `links`.
float draw_markdown(const Canvas& canvas, const Rect& area, const Markdown& markdown, bool draw = true,
                    const MarkdownType& type = {}, std::vector<LinkBox>* links = nullptr);
/// The height of the text at this width.
inline float markdown_height(const Canvas& canvas, float width, const Markdown& markdown,
                             const MarkdownType& type = {}) {
  return draw_markdown(canvas, {0, 0, width, 0}, markdown, false, type);
}

}  // namespace headlight
