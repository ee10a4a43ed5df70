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
  position,
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
  folder,
  disk,
  export_,
  learn,    ///< a falling curve
  forward,  ///< arrows
  backward,
  pen,
  eraser,
  pointer,
  blank,
  screen,
};
constexpr std::size_t icon_count = static_cast<std::size_t>(Icon::screen) + 1;

/// Sets the list's current path to each of the icon's outlines in turn, at `unit` device pixels per grid pixel, and
/// calls `finish` to stroke or fill it.
using FinishOutline = std::function<void(bool filled, bool closed)>;
void draw_icon(ImDrawList& list, Icon icon, Point top_left, float unit, const FinishOutline& finish);

}  // namespace headlight
