// The icons: paths on a 16 px grid.
#pragma once

#include <cstdint>
#include <functional>

#include "app/ui/drawing/geometry.hpp"

struct ImDrawList;

namespace headlight {

enum class Icon : std::uint8_t {
  previous,
  next,
  play,
  pause,
  moon,
  sun,
  camera,
  help,
  chevron_down,
  chevron_right,
  chevron_left,
  check,
  cross,
  dice,
  link,
  unlink,
  plus,
  minus,
  pin,
  reset,
  copy,
  file,
  tokens,
  sizes,
  mask,
  scale,
  sort,
  undo,
  redo,
  search,
  save,
  eye,
  eye_off,
  menu,
  presentation,
  swap,
};
constexpr std::size_t icon_count = static_cast<std::size_t>(Icon::swap) + 1;

/// Builds the icon's outlines one after the other as the current path of the list, in device pixels with `unit` of them
/// per grid pixel, and calls `finish` after each, which strokes or fills it.
using FinishOutline = std::function<void(bool filled, bool closed)>;
void draw_icon(ImDrawList& list, Icon icon, Point top_left, float unit, const FinishOutline& finish);

}  // namespace headlight
