#include "app/views/tensors/picture_fit.hpp"

#include <cmath>

#include "app/heatmap/numbers.hpp"

namespace headlight {

void PictureFit::add(const Canvas& canvas, const HeatmapLayout& layout) {
  if (layout.area().w < 8 || layout.area().h < 8) {
    characters = 0;
    pitch = 0;
    return;
  }
  pitch = std::min(pitch, std::sqrt(layout.pitch_x() * layout.pitch_y()));
  const GridBlock visible = layout.visible();
  if (visible.rows.size() <= most_read && visible.columns.size() <= most_read)
    characters = std::min(characters, characters_that_fit(canvas, layout));
}

}  // namespace headlight
