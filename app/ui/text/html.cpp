#include "app/ui/text/html.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "app/ui/text/math.hpp"
#include "core/text/characters.hpp"
#include "core/text/numbers.hpp"

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

bool is_web_page(std::string_view target) { return target.starts_with("https://") || target.starts_with("http://"); }

std::string markup(const std::vector<MarkdownSpan>& spans, WebLinks links) {
  std::string html;
  for (auto span = spans.begin(); span != spans.end();) {
    const auto end =
        std::find_if(span, spans.end(), [&](const MarkdownSpan& other) { return other.link != span->link; });
    const bool is_link = links == WebLinks::open && is_web_page(span->link);
    if (is_link) html += fmt::format("<a href=\"{}\">", escaped(span->link, ""));
    for (; span != end; ++span) html += markup(*span);
    if (is_link) html += "</a>";
  }
  return html;
}

}  // namespace

std::string code_block(std::string_view code) {
  while (code.ends_with('\n')) code.remove_suffix(1);
  return element("pre", escaped(code, "\n")) + "\n";
}

namespace {

/// The items of a block of lists, each with its depth, as lists inside of their items.
class ListWriter {
 public:
  explicit ListWriter(std::string& html) : html_(html) {}

  void add(const MarkdownBlock& item, std::string_view content) {
    const auto depth = static_cast<std::size_t>(item.depth) + 1;
    const auto number = number_from<std::int64_t>(std::string_view(item.marker).substr(0, item.marker.find('.')));
    close_to(depth);
    if (open_.size() == depth && !goes_on(open_.back(), number)) close_to(depth - 1);
    if (open_.size() == depth) html_ += "</li>\n";
    while (open_.size() < depth) {
      begin(number);
      if (open_.size() < depth) html_ += "<li>";
    }
    open_.back().last = number;
    html_ += fmt::format("<li>{}", content);
  }

  /// Closes the lists that are deeper than so many.
  void close_to(std::size_t depth) {
    for (; open_.size() > depth; open_.pop_back()) html_ += fmt::format("</li>\n</{}>\n", name(open_.back()));
  }

 private:
  struct List {
    std::optional<std::int64_t> last;  ///< the number of its last item; none: it has bullets
  };

  static std::string_view name(const List& list) { return list.last ? "ol" : "ul"; }
  static bool goes_on(const List& list, std::optional<std::int64_t> number) {
    return list.last ? number == *list.last + 1 : !number;
  }

  void begin(std::optional<std::int64_t> number) {
    open_.push_back({number});
    const bool counts_on = number && *number != 1;
    html_ += counts_on ? fmt::format("<ol start=\"{}\">\n", *number) : fmt::format("<{}>\n", name(open_.back()));
  }

  std::string& html_;
  std::vector<List> open_;  ///< the outermost first; the last item of each is open too
};

}  // namespace

std::string to_html(const Markdown& markdown, WebLinks links) {
  std::string html;
  ListWriter lists(html);
  for (const MarkdownBlock& block : markdown) {
    const std::string content = markup(block.spans, links);
    if (block.kind != BlockKind::list_item) lists.close_to(0);
    switch (block.kind) {
      case BlockKind::paragraph: html += element("p", content) + "\n"; break;
      case BlockKind::heading: html += element("h3", content) + "\n"; break;
      case BlockKind::code: html += code_block(block.spans.empty() ? "" : block.spans.front().text); break;
      case BlockKind::list_item: lists.add(block, content); break;
    }
  }
  lists.close_to(0);
  return html;
}

}  // namespace headlight
