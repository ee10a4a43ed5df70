// How many cards of heads are side by side, and how large they are.
#pragma once

#include "app/ui/drawing/geometry.hpp"
#include "core/model/shape.hpp"

namespace headlight {

inline constexpr float card_title = 26;  ///< above the labels of the columns
inline constexpr float card_labels = 20;
inline constexpr float measure_row = 20;
inline constexpr float card_padding = 12;  ///< from the cells to the frame of the selected head

/// The content of the cards.
struct CardContent {
  Index heads = 1;
  Index rows = 1;  ///< of the matrix, as on screen
  Index columns = 1;
  int measures = 0;    ///< rows of measures below the cells
  bool tight = false;  ///< with little space below each card
};

/// Cards in rows, with a gutter to the left of each row for the labels of the matrices' rows. The rows differ by at
/// most one card, and shorter ones are centred.
struct CardGrid {
  Index heads = 1;
  Index per_row = 1;  ///< in the longest rows
  Index card_rows = 1;
  float gutter = 0;
  float gap = 28;
  float cells_w = 0;
  float cells_h = 0;
  float card_height = 0;  ///< including the space to the next row of cards

  float width() const;
  float height() const { return card_height * static_cast<float>(card_rows); }
  /// The cells of a card, counted in reading order; `origin` is the upper left corner of the grid.
  Rect cells(Point origin, Index card) const;
  /// Whether the card is the first of its row.
  bool begins_row(Index card) const { return spot(card).column == 0; }

 private:
  struct Spot {
    Index row = 0;
    Index column = 0;
    Index in_row = 1;  ///< cards in its row
  };
  Spot spot(Index card) const;
};

/// The grid with the largest cards that all fit into width × height (design pixels). If they would be too small to
/// read, a row gets fewer cards and the grid becomes higher than `height`.
CardGrid card_grid(float width, float height, float gutter, const CardContent& content);

}  // namespace headlight
