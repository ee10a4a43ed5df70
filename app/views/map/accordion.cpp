#include "app/views/map/accordion.hpp"

#include <algorithm>
#include <cmath>

namespace headlight {
namespace {

constexpr Index most_layers = 12;  ///< that are all there, the open one among them
constexpr float widest_tile = 44;  ///< with the gap to the next
constexpr float narrowest_tile = 34;
constexpr float between_tiles = 8;  ///< between tiles: there the stream is added to
constexpr float more_width = 58;
constexpr float end_width = 40;
constexpr float at_edge = 4;
constexpr float stepper_width = 68;
constexpr float stepper_in_line = 108;  ///< of a map that has room only for names
constexpr float least_column = 25;      ///< of the open block

/// Which layers have tiles, the open one among them: [first, end).
struct ShownLayers {
  Index first = 0;
  Index end = 0;
};

/// As many neighbours of the open layer as there is room for, evenly on both sides.
ShownLayers neighbours(Index open, Index layers, Index count) {
  const Index first = std::clamp<Index>(open - (count - 1) / 2, 0, layers - count);
  return {first, first + count};
}

float widths_beside(const ShownLayers& shown, Index layers, float tile) {
  const auto tiles = static_cast<float>(shown.end - shown.first - 1);
  return tiles * tile + (shown.first > 0 ? more_width : 0) + (shown.end < layers ? more_width : 0);
}

}  // namespace

Accordion accordion_of(const Rect& area, const Setup& setup, Index columns) {
  Accordion accordion;
  Rect rest = area;
  if (area.h < least_with_tiles) {
    accordion.stepper = rest.cut_left(stepper_in_line);
    accordion.block = rest;
    return accordion;
  }
  rest.cut_left(at_edge);
  accordion.stepper = rest.cut_left(stepper_width);
  rest.cut_right(at_edge);
  if (!setup.is_first()) accordion.first = rest.cut_left(end_width);
  if (!setup.is_last() && setup.embedding.unembed) accordion.last = rest.cut_right(end_width);

  const Index layers = setup.sizes.layers;
  const float room = std::max(0.0f, rest.w - least_column * static_cast<float>(columns));
  Index count = std::min(layers, most_layers);
  while (count > 1 && widths_beside(neighbours(setup.layer, layers, count), layers, narrowest_tile) > room) --count;
  const ShownLayers shown = neighbours(setup.layer, layers, count);
  const auto tiles = static_cast<float>(count - 1);
  const float spare = room - widths_beside(shown, layers, narrowest_tile);
  const float tile = tiles == 0 ? 0 : std::min(widest_tile, narrowest_tile + std::floor(std::max(0.0f, spare) / tiles));
  const auto add = [&](Index layer, const Rect& r) {
    accordion.tiles.push_back({layer, r.inset(between_tiles / 2, 0)});
  };
  if (shown.first > 0) accordion.before = MoreLayers{shown.first, shown.first - 1, rest.cut_left(more_width)};
  for (Index layer = shown.first; layer < setup.layer; ++layer) add(layer, rest.cut_left(tile));
  if (shown.end < layers) accordion.after = MoreLayers{layers - shown.end, shown.end, rest.cut_right(more_width)};
  for (Index layer = shown.end - 1; layer > setup.layer; --layer) add(layer, rest.cut_right(tile));
  std::ranges::sort(accordion.tiles, {}, &LayerTile::layer);
  accordion.block = rest;
  return accordion;
}

}  // namespace headlight
