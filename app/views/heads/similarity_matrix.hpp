// The matrix of similarities between heads. It is symmetric, so only its lower triangle is drawn, and the other half
// has an explanation.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/heads/head_study.hpp"

namespace headlight {

/// The height of the matrix with its title at this width, in design pixels.
float similarity_height(float width, Index heads);
/// A click on a cell or a name selects a head. `found` is null while the similarities are being computed.
void draw_similarity(ViewContext& context, const Rect& area, const HeadSimilarities* found);

}  // namespace headlight
