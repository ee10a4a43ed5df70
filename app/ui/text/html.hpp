// Text and Markdown as HTML, for pages and for screen readers.
#pragma once

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

/// Blocks one after the other: paragraphs, headings (`<h3>`), code, lists, and math as MathML. Links are their words.
std::string to_html(const Markdown& markdown);

}  // namespace headlight
