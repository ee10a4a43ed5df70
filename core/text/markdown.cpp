#include "core/text/markdown.hpp"

#include <algorithm>
#include <string_view>

namespace headlight {
namespace {

bool changes_settings(std::string_view target) {
  return target.starts_with("set:") || target.starts_with("compare:") || target.starts_with("reset:");
}

}  // namespace

bool is_button(const MarkdownBlock& block) {
  return block.kind == BlockKind::paragraph && !block.spans.empty() && changes_settings(block.spans.front().link) &&
         std::all_of(block.spans.begin(), block.spans.end(),
                     [&](const MarkdownSpan& span) { return span.link == block.spans.front().link; });
}

std::string plain_text(const Markdown& markdown) {
  std::string text;
  for (const MarkdownBlock& block : markdown) {
    if (!text.empty()) text += '\n';
    if (!block.marker.empty()) text += block.marker + ' ';
    for (const MarkdownSpan& span : block.spans)
      if (span.kind != SpanKind::math) text += span.text;
  }
  return text;
}

}  // namespace headlight
