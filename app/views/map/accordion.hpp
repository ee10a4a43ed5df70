// The map of several layers: the block of the one that is shown lies open, the others are tiles beside it, on the rail
// of the residual stream, which runs through all of them.
#pragma once

#include <optional>
#include <vector>

#include "app/ui/drawing/geometry.hpp"
#include "core/model/setup.hpp"

namespace headlight {

/// A layer that is folded up.
struct LayerTile {
  Index layer = 0;
  Rect rect;

  friend bool operator==(const LayerTile&, const LayerTile&) = default;
};

/// Layers that have no tile: "… 20 more".
struct MoreLayers {
  Index count = 0;
  Index next = 0;  ///< the one beside the tiles, which a click shows
  Rect rect;

  friend bool operator==(const MoreLayers&, const MoreLayers&) = default;
};

struct Accordion {
  Rect stepper;  ///< says which layer is open, with ◂ ▸
  Rect block;    ///< the open layer
  std::vector<LayerTile> tiles;
  std::optional<MoreLayers> before, after;
  Rect first;  ///< what the model reads, at the left end; empty where the open block has it, or without room
  Rect last;   ///< W_U, at the right end
};

/// The least height of a map with tiles.
inline constexpr float least_with_tiles = 60;

/// The setup has several layers and says which one is open. `columns`: how many its block has side by side.
Accordion accordion_of(const Rect& area, const Setup& setup, Index columns);

}  // namespace headlight
