// A sentence that is typed: at the head of a view together with the pieces that a trained layer splits it into, or as a
// line alone.
#pragma once

#include <string>

#include "app/ui/drawing/color.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"

namespace headlight {

/// Cuts the bar off the top of the area and draws it, if the setup has a trained layer, and neither a slide nor the
/// words of a lecture's step need the room.
void draw_sentence_bar(ViewContext& context, Rect& area);

/// Draws the sentence of has_sentence() as a line to type in, and a button for another one. On the page of the sentence
/// a telling word of it is chosen after each change.
void draw_sentence_field(ViewContext& context, Rect line);

/// Why a text was refused, what of it is not in the vocabulary, or how many pieces it has.
struct SentenceRemark {
  std::string words;
  Color ink;
};
SentenceRemark remark_on_sentence(const ViewContext& context);

}  // namespace headlight
