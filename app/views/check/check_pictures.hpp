// Theirs, ours and the difference of one tensor, cell by cell.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "app/views/check/check_study.hpp"
#include "app/views/frame/view_context.hpp"
#include "app/views/tensors/picture_fit.hpp"

namespace headlight {

/// Heights of the pictures of a tensor in this width: with rows that are read well, and with cells as high as wide,
/// where that is more.
struct CheckPicturesHeight {
  float enough = 0;
  float full = 0;
};
CheckPicturesHeight check_pictures_height(const ViewContext& context, TensorId tensor, float width);
/// How well they can be read in an area.
PictureFit fit_of_check_pictures(const ViewContext& context, TensorId tensor, const Rect& area);
void draw_check_pictures(ViewContext& context, Rect area, const CheckFindings& findings, TensorId tensor);

}  // namespace headlight
