// Why a number of the blend is what it is: its words as bars, each as wide as its share and as high as its number. What
// is above the blend fills up what is below, so the blend is a level.
#pragma once

#include <optional>
#include <vector>

#include "app/ui/drawing/geometry.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/pictures/blend.hpp"
#include "core/model/cell.hpp"

namespace headlight {

struct WhyMemory {
  std::optional<Cell> cell = {};            ///< the number that is explained
  double began = 0;                         ///< when it was asked about, in seconds
  std::optional<float> held = {};           ///< how far the film is shown, from 0 to 1; none: it plays to its end
  std::vector<double> shares = {};          ///< what if they were these; empty: as they are
  std::optional<std::size_t> dragged = {};  ///< the word whose share is dragged
};

/// The blend that the pinned number belongs to, if the lesson shows a sentence and the number may be seen.
std::optional<Blend> asked_blend(const ViewContext& context);

/// Draws the explanation in place of a step's words and its picture.
void draw_blend_words(ViewContext& context, const Blend& blend, Rect area);
void draw_blend_picture(ViewContext& context, const Blend& blend, Rect area);

}  // namespace headlight
