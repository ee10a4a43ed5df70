#include "app/views/tensors/picture_fit.hpp"

#include <algorithm>

#include "app/heatmap/numbers.hpp"

namespace headlight {
namespace {

constexpr float comfortable_width = 48;
constexpr float comfortable_height = 20;
constexpr float wide_as_high = 1.8f;  ///< of a cell that suits a number

Cells cells_of(const Canvas& canvas, const HeatmapLayout& layout) {
  if (characters_that_fit(canvas, layout) == 0) return Cells::unreadable;
  const bool comfortable = layout.pitch_x() >= comfortable_width && layout.pitch_y() >= comfortable_height;
  return comfortable ? Cells::comfortable : Cells::readable;
}

}  // namespace

void PictureFit::add(const Canvas& canvas, const HeatmapLayout& layout) {
  if (layout.area().w < 8 || layout.area().h < 8) {
    cells = Cells::unreadable;
    pitch = 0;
    return;
  }
  pitch = std::min({pitch, layout.pitch_x() / wide_as_high, layout.pitch_y()});
  const GridBlock visible = layout.visible();
  if (visible.rows.size() <= most_read && visible.columns.size() <= most_read)
    cells = std::min(cells, cells_of(canvas, layout));
}

}  // namespace headlight
