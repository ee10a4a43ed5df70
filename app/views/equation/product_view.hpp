// The picture of a matrix product: left operand at the lower left, right operand at the upper right, result where they
// cross.
#pragma once

#include <optional>

#include "app/ui/drawing/geometry.hpp"
#include "app/views/equation/equation.hpp"
#include "app/views/frame/view_context.hpp"
#include "app/views/story/story.hpp"
#include "app/views/tensors/picture_fit.hpp"

namespace headlight {

/// The story in the quadrant that the operands leave empty.
struct QuadrantStory {
  const Story& story;
  StoryForm form = StoryForm::column;
  StoryType type = StoryType::large;
};

/// With a story, the quadrant is made as large as that needs, as far as the cells of the result stay readable.
void draw_product(ViewContext& context, const Rect& area, const Equation& equation, const PictureStyle& style,
                  const std::optional<QuadrantStory>& story);

struct ProductFit {
  PictureFit picture;
  Rect story;  ///< the quadrant
};
ProductFit product_fit(const ViewContext& context, const Rect& area, const Equation& equation,
                       const PictureStyle& style, const std::optional<QuadrantStory>& story);

}  // namespace headlight
