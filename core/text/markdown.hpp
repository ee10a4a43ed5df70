// Markdown, read: a text as blocks of words. core/formats reads it, app/ui draws it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

using Markdown = std::vector<MarkdownBlock>;

/// Whether a block is nothing but a link that changes settings, which shows as a button.
bool is_button(const MarkdownBlock& block);
/// The text without its markup and its math, blocks separated by newlines.
std::string plain_text(const Markdown& markdown);

}  // namespace headlight
