// A picture in its place, and the labels beside it. Views that show several pictures together are made of these.
#pragma once

#include <string_view>

#include "app/heatmap/heatmap.hpp"
#include "app/ui/drawing/canvas.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/tensors/picture_cells.hpp"
#include "app/views/tensors/tensor_picture.hpp"
#include "app/views/tensors/zoom.hpp"
#include "core/model/names.hpp"

namespace headlight {

/// A picture, its cells in their area as far as the zoom shows them, and the power of ten that its numbers share.
struct PlacedPicture {
  TensorPicture picture;
  Heatmap heatmap;
  ZoomAxes axes = {};
  int power = 0;

  const HeatmapLayout& layout() const { return heatmap.layout; }
};
PlacedPicture placed(const Canvas& canvas, const TensorPicture& picture, const Heatmap& heatmap, ZoomAxes axes = {});

Item draw_cells(ViewContext& context, std::string_view id, const PlacedPicture& placed, const PictureLight& light,
                CellsOptions options = {});
void zoom_with_mouse(ViewContext& context, const Item& item, const PlacedPicture& placed, Zoom& zoom);

/// Where the labels of the columns (`across`) or of the rows of a picture are drawn.
struct LabelStrip {
  Rect area;
  bool across = true;
  float beyond = 6;             ///< how far a slanted label may reach over the last column
  Align align = Align::center;  ///< of the labels of rows
};
/// Draws the labels on screen, the lit one emphasised, and offers the menus of tokens on them. Draws nothing if there
/// is no strip.
void draw_labels(ViewContext& context, const TensorPicture& picture, const HeatmapLayout& layout,
                 const PictureLight& light, const LabelStrip& strip);

/// Offers the menus of tokens where a view draws their labels itself.
void offer_token_menus(ViewContext& context, TensorId tensor, const HeatmapLayout& layout, const Rect& strip,
                       bool across);

}  // namespace headlight
