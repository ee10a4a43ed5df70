// Words with links that do something.
#pragma once

#include "app/ui/text/markdown.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

/// Draws Markdown from the top of `area`, with its links and buttons at work; returns the height. Only measures without
/// a context.
float linked_words(const Canvas& canvas, ViewContext* context, const Rect& area, const Markdown& markdown,
                   const MarkdownType& type);

}  // namespace headlight
