// Text and Markdown as HTML, for pages and for screen readers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/text/markdown.hpp"

namespace headlight {

/// The text as content of an element or of a quoted attribute. Each newline becomes `newline`.
std::string escaped(std::string_view text, std::string_view newline = "<br>");

/// `<name>content</name>`. The content is HTML.
std::string element(std::string_view name, std::string_view content);

/// Code as it is written, in `<pre>`.
std::string code_block(std::string_view code);

/// How links to web pages are written.
enum class WebLinks : std::uint8_t {
  words,  ///< as their words, as in the window, which opens no pages
  open,   ///< as links
};

/// Blocks one after the other: paragraphs, headings (`<h3>`), code, lists, and math as MathML. A link that sets,
/// selects or opens something in the app is its words.
std::string to_html(const Markdown& markdown, WebLinks links = WebLinks::words);

}  // namespace headlight
