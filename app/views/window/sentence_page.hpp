// The page of a sentence: whom does each word look at? In the manner of a lesson, and with no other control than those
// of this one question.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

/// Draws the page of on_sentence_page() in this area: the sentence as a field, its words twice with the bands of one
/// head and one word between them, an answer to *Why does this word look at that one?*, the same head as a matrix, and
/// all heads. A click on a word of the upper row chooses who looks, on one of the lower row at whom. In a small window
/// everything is in one column.
void draw_sentence_page(ViewContext& context, Rect area);

}  // namespace headlight
