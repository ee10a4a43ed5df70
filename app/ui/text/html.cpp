#include "app/ui/text/html.hpp"

#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "app/ui/text/math.hpp"
#include "core/text/characters.hpp"

namespace headlight {

std::string escaped(std::string_view text, std::string_view newline) {
  std::string result;
  for (const char c : writable(text)) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\n': result += newline; break;
      default: result += c;
    }
  }
  return result;
}

std::string element(std::string_view name, std::string_view content) {
  return fmt::format("<{0}>{1}</{0}>", name, content);
}

namespace {

std::string markup(const MarkdownSpan& span) {
  switch (span.kind) {
    case SpanKind::plain: return escaped(span.text);
    case SpanKind::emphasis: return element("em", escaped(span.text));
    case SpanKind::strong: return element("strong", escaped(span.text));
    case SpanKind::code: return element("code", escaped(span.text));
    case SpanKind::math: return element("math", math_markup(span.text));
  }
  return {};
}

}  // namespace

std::string code_block(std::string_view code) {
  while (code.ends_with('\n')) code.remove_suffix(1);
  return element("pre", escaped(code, "\n")) + "\n";
}

std::string to_html(const Markdown& markdown) {
  // Items come with their depth; lists are opened and closed around them.
  std::string html;
  std::vector<std::string_view> lists;  // the open ones, by their elements
  const auto close_to = [&](std::size_t depth) {
    for (; lists.size() > depth; lists.pop_back()) html += fmt::format("</{}>\n", lists.back());
  };
  for (const MarkdownBlock& block : markdown) {
    std::string content;
    for (const MarkdownSpan& span : block.spans) content += markup(span);
    if (block.kind != BlockKind::list_item) close_to(0);
    switch (block.kind) {
      case BlockKind::paragraph: html += element("p", content) + "\n"; break;
      case BlockKind::heading: html += element("h3", content) + "\n"; break;
      case BlockKind::code: html += code_block(block.spans.empty() ? "" : block.spans.front().text); break;
      case BlockKind::list_item: {
        const auto depth = static_cast<std::size_t>(block.depth) + 1;
        close_to(depth);
        while (lists.size() < depth) {
          lists.push_back(block.marker == "•" ? "ul" : "ol");
          html += fmt::format("<{}>\n", lists.back());
        }
        html += element("li", content) + "\n";
      }
    }
  }
  close_to(0);
  return html;
}

}  // namespace headlight
