#include "app/views/tensors/picture_fit.hpp"

#include <algorithm>

#include "app/heatmap/numbers.hpp"

namespace headlight {
namespace {

constexpr float comfortable_width = 48;
constexpr float comfortable_height = 20;
constexpr int telling_characters = 4;  ///< "−2.4" is not "−1.6", ".134" not ".125"
constexpr float least_seen = 24;       ///< of a matrix with too many cells to read
constexpr float least_seen_cell = 10;  ///< of the others
constexpr float wide_as_high = 1.8f;   ///< of a cell that suits a number

/// A matrix that is smaller can't be seen.
float least_length(const IndexRange& visible) {
  return visible.size() > most_read ? least_seen : least_seen_cell * static_cast<float>(visible.size());
}

Cells cells_of(const Canvas& canvas, const HeatmapLayout& layout, int characters) {
  const int most = most_characters_that_fit(canvas, layout);
  if (characters_that_fit(canvas, layout) == 0 || most < std::min(characters, telling_characters))
    return Cells::unreadable;
  if (most < std::max(characters, telling_characters)) return Cells::tight;
  const bool comfortable = layout.pitch_x() >= comfortable_width && layout.pitch_y() >= comfortable_height;
  return comfortable ? Cells::comfortable : Cells::readable;
}

}  // namespace

/// The decimals that a step chooses need their room; "0." or "−0." comes before them.
void PictureFit::add(const Canvas& canvas, const Heatmap& heatmap) {
  const int before = heatmap.scale.lo < 0 ? 3 : 2;
  add(canvas, heatmap.layout, heatmap.decimals ? before + *heatmap.decimals : 0);
}

void PictureFit::add(const Canvas& canvas, const HeatmapLayout& layout, int characters) {
  const GridBlock visible = layout.visible();
  const bool turned = layout.shape().transposed;
  if (layout.area().w < least_length(turned ? visible.rows : visible.columns) ||
      layout.area().h < least_length(turned ? visible.columns : visible.rows)) {
    cells = Cells::missing;
    return;
  }
  pitch = std::min({pitch, layout.pitch_x() / wide_as_high, layout.pitch_y()});
  if (visible.rows.size() <= most_read && visible.columns.size() <= most_read)
    cells = std::min(cells, cells_of(canvas, layout, characters));
}

}  // namespace headlight
