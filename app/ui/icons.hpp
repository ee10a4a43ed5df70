// The icons: paths on a 16 px grid.
#pragma once

#include <cstdint>
#include <span>

#include "app/ui/color.hpp"
#include "app/ui/geometry.hpp"

struct ImDrawList;

namespace headlight {

enum class Icon : std::uint8_t {
  previous, next, play, pause, moon, sun, camera, help, chevron_down, chevron_right, chevron_left, check, cross, dice,
  link, unlink, plus, minus, pin, reset, copy, file, tokens, sizes, mask, scale, sort, undo, redo, search, save, eye, eye_off,
  menu, presentation, swap,
};
constexpr std::size_t icon_count = static_cast<std::size_t>(Icon::swap) + 1;

/// Draws in device pixels: `unit` device pixels per grid pixel, `stroke` in grid pixels.
void draw_icon(ImDrawList& list, Icon icon, Point top_left, float unit, Color color, float stroke);

}  // namespace headlight
