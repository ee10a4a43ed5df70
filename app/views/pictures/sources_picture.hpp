// Who wrote a number, as a picture: a score as a table of who wrote the query's part and who the key's, a logit as a
// column of those who wrote it. What each gives, their sums, and the number itself; or the same for a whole head, with
// a matrix in place of each number.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"
#include "core/composition/parts_table.hpp"

namespace headlight {

/// How high the table is at least.
float sources_height(const PartsTable& table);
/// How high that of a whole head is in this width.
float sources_height(const WholePartsTable& table, float width);

/// Draws the table at the upper left of the area. A click on a name selects the head that wrote it.
void draw_sources_table(ViewContext& context, const Rect& area, const PartsTable& table, const Cell& cell);

void draw_sources_table(ViewContext& context, const Rect& area, const WholePartsTable& table, const Cell& cell);

/// The figure of the number in the session's cell: its name, its table, and how it adds up.
void draw_sources_figure(ViewContext& context, const Rect& area);
/// The figure of all numbers of that cell's head, or of all logits: a matrix in place of each number.
void draw_head_sources_figure(ViewContext& context, const Rect& area);

}  // namespace headlight
