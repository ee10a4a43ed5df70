// The cells of a picture, which answer to the mouse: their colours, numbers and the ring; and the labels and bands
// around them.
//
// draw_tensor_picture (whole_picture.hpp) draws all of them in one rectangle. Views that share labels and bands between
// pictures (the equation) put each picture in its place themselves.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/heatmap/heatmap.hpp"
#include "app/ui/drawing/canvas.hpp"
#include "app/ui/drawing/geometry.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/view_context.hpp"
#include "app/views/tensors/tensor_picture.hpp"
#include "app/views/tensors/zoom.hpp"
#include "core/model/trace.hpp"

namespace headlight {

/// While the user plays with a number, the state before: its numbers show in cells too.
struct Ghost {
  std::shared_ptr<const Trace> before;
};

struct CellsOptions {
  bool numbers = true;      ///< where there is room
  bool interactive = true;  ///< hover and click
  bool paints = true;       ///< takes the brush and other numbers; false if it does not show the present setup
  bool asked = true;  ///< hides what the step asks about; false if it shows a state that the step does not ask about
  std::string_view of = {};  ///< put before a cell's tip if the number is not from the session's trace: "A:"
  bool ring = true;          ///< false if the caller draws outlines first and the ring over them, see draw_ring
  int power = 0;             ///< of ten, that the numbers are multiples of; the caller writes it beside them
  bool glides = true;        ///< to its place, when one comes to it; false if the caller moves it
};
/// Draws cells, numbers and the ring; hovering and clicking go to the session. The heatmap must show the picture's
/// slice; its emphasis is set here. `id` must be unique in the current scope.
Item draw_cells(ViewContext& context, std::string_view id, const TensorPicture& picture, Heatmap heatmap,
                const PictureLight& light, const CellsOptions& options = {});

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

/// The text of a cell's tooltip: "scores[0,1,2,0] = 11.072808401362785" with every digit, "sat · The" if its tokens
/// have names, and how many cells the pixel shows if several. `of` is put in front if the number is not from the
/// session's trace: "B − A".
std::string cell_tip(const TensorPicture& picture, GridCell at, const GridBlock& pixel, std::string_view of,
                     const Session& session);

/// Draws the ring round the lit cell, with a pin if it is pinned. Draws nothing if the cell is not on screen.
void draw_ring(const ViewContext& context, const HeatmapLayout& layout, const PictureLight& light);

/// Where the labels of the columns (`across`) or of the rows of a picture are drawn.
struct LabelStrip {
  Rect area;
  bool across = true;
  float beyond = 6;             ///< how far a slanted label may extend past the last column
  Align align = Align::center;  ///< of the labels of rows
};
/// Above the cells, at a distance.
inline LabelStrip strip_above(const Rect& cells, float height, float distance) {
  return {{cells.x, cells.y - (height + distance), cells.w, height}};
}
/// Draws the labels on screen, the lit one emphasised, and offers the menus of tokens on them. Draws nothing if there
/// is no strip.
void draw_labels(ViewContext& context, const TensorPicture& picture, const HeatmapLayout& layout,
                 const PictureLight& light, const LabelStrip& strip);

/// Offers the menus of tokens where a view draws their labels itself, and tells what their tokenizer wrote.
void attend_to_tokens(ViewContext& context, TensorId tensor, const HeatmapLayout& layout, const Rect& strip,
                      bool across);
/// The token at a place of an axis as its tokenizer wrote it, where people read another word; else empty.
std::string written_token(std::optional<Axis> axis, Index index, const Setup& setup);
/// A tooltip, while the pointer is at a label whose token has marks that the label leaves out; nothing if it is empty.
void tell_written_token(ViewContext& context, const std::string& written, const Rect& about);

/// A row or column that is highlighted: a tint behind the cells and labels, and an outline over them.
struct Band {
  Rect rect;
  Color identity;
};
/// The width of a band's outline. A slide is drawn twice as large, and its bands not quite.
float band_width(const ViewContext& context);
void draw_tints(const Canvas& canvas, const std::vector<Band>& bands);
/// Draws nothing while matrices glide to their places.
void draw_outlines(const ViewContext& context, const std::vector<Band>& bands);
/// Whether a band is too thin to hold its label. It then covers the cells only and does not run through the words.
inline bool is_thin(const Rect& band) { return std::min(band.w, band.h) < 14; }

}  // namespace headlight
