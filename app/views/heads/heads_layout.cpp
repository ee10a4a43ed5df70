#include "app/views/heads/heads_layout.hpp"

#include <algorithm>

#include "app/views/tensors/picture_fit.hpp"

namespace headlight {
namespace {

constexpr float smallest_cells = 132;   ///< the narrowest matrix in cards that scroll, or that have bars
constexpr float smallest_fitting = 92;  ///< cards without bars may be narrower if all heads are then visible
constexpr float smallest_seen = 72;     ///< and those without numbers narrower still
constexpr float widest_pitch = 224;
constexpr float highest_pitch = 224;
constexpr float lowest_cells = 40;
constexpr float readable_pitch = 34;  ///< of cells with four characters
constexpr float widest_gap = 48;      ///< or this share of a matrix
constexpr float widest_gap_share = 0.25f;
constexpr float below_card = 26;
constexpr float below_tight_card = 12;  ///< with the foot of the frame
constexpr float below_alone = 4;        ///< a card alone has no frame

bool is_read(const CardContent& content) { return content.rows <= most_read && content.columns <= most_read; }

float narrowest(const CardContent& content) {
  return content.measures > 0 ? smallest_cells : is_read(content) ? smallest_fitting : smallest_seen;
}

float overhead(const CardContent& content) {
  return card_title + card_labels + static_cast<float>(content.measures) * measure_row + 10 +
         (!content.tight      ? below_card
          : content.heads > 1 ? below_tight_card
                              : below_alone);
}

CardGrid grid_with(Index per_row, float width, float height, float gutter, const CardContent& content) {
  CardGrid grid{.heads = content.heads,
                .per_row = per_row,
                .card_rows = (content.heads + per_row - 1) / per_row,
                .gutter = gutter};
  const auto cards = static_cast<float>(per_row);
  const auto rows = static_cast<float>(content.rows);
  const auto columns = static_cast<float>(content.columns);
  const float aspect = std::clamp(rows / columns, 0.25f, 2.0f);
  const float room_w = (width - gutter - card_padding - (cards - 1) * grid.gap) / cards;
  const float room_h = height / static_cast<float>(grid.card_rows) - overhead(content);
  const float largest_w = std::min({room_w, widest_pitch * columns, highest_pitch * rows / aspect});
  const float least = narrowest(content);
  grid.cells_w = std::clamp(room_h / aspect, std::min(least, largest_w), std::max(1.0f, largest_w));
  grid.cells_h = std::max(grid.cells_w * aspect, std::min(lowest_cells, highest_pitch * rows));
  // Numbers matter more than square cells.
  if (is_read(content)) grid.cells_w = std::max(grid.cells_w, std::min(largest_w, readable_pitch * columns));
  grid.card_height = grid.cells_h + overhead(content);
  const float left_over = width - gutter - card_padding - cards * grid.cells_w;
  if (per_row > 1)
    grid.gap = std::clamp(left_over / (cards - 1), grid.gap, std::max(widest_gap, widest_gap_share * grid.cells_w));
  return grid;
}

}  // namespace

float CardGrid::width() const {
  const auto cards = static_cast<float>(per_row);
  return gutter + card_padding + cards * cells_w + (cards - 1) * gap;
}

CardGrid::Spot CardGrid::spot(Index card) const {
  const Index least = heads / card_rows;
  const Index in_longer = heads % card_rows * (least + 1);  // the longer rows are first
  if (card < in_longer) return {card / (least + 1), card % (least + 1), least + 1};
  return {heads % card_rows + (card - in_longer) / least, (card - in_longer) % least, least};
}

Rect CardGrid::cells(Point origin, Index card) const {
  const auto [row, column, in_row] = spot(card);
  const float across = static_cast<float>(column) + static_cast<float>(per_row - in_row) / 2;
  return {origin.x + gutter + across * (cells_w + gap),
          origin.y + static_cast<float>(row) * card_height + card_padding + card_title + card_labels, cells_w, cells_h};
}

CardGrid card_grid(float width, float height, float gutter, const CardContent& content) {
  const float least = narrowest(content);
  const auto most = static_cast<Index>((width - gutter - card_padding + CardGrid{}.gap) / (least + CardGrid{}.gap));
  CardGrid best;
  bool found = false;
  for (Index per_row = 1; per_row <= std::clamp<Index>(most, 1, content.heads); ++per_row) {
    const CardGrid grid = grid_with(per_row, width, height, gutter, content);
    const bool fits = grid.height() <= height + 1;
    const bool best_fits = found && best.height() <= height + 1;
    // Take the fitting grid with the largest cells; if none fits, the one with the least scrolling.
    const bool readable = fits || per_row == 1 || grid.cells_w >= smallest_cells;
    const bool better = !found || (fits && (!best_fits || grid.cells_w > best.cells_w)) ||
                        (!fits && !best_fits && readable && grid.height() < best.height());
    if (better) best = grid;
    found = true;
  }
  return best;
}

}  // namespace headlight
