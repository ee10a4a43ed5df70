// Finds out where things are on the screen by pointing at them, as a person does.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "app/views/base/layout.hpp"
#include "app/views/base/panels.hpp"
#include "app/views/base/view_memory.hpp"
#include "scripted.hpp"

namespace headlight::testing {

inline Layout layout_of(Scripted& person, float width = 1440, float height = 900) {
  return headlight::layout_of({0, 0, width, height}, person.session().display(),
                              person.app.memory().get<PanelsMemory>().asked_for);
}

/// The cell that is hovered when the mouse is at a point.
inline std::optional<Cell> cell_at(Scripted& person, Point at) {
  person.surface.move_mouse(at);
  person.surface.frames(1);
  return person.session().state().hovered;
}

/// Moves the mouse over the area in steps. Gives every cell that was hovered, with a point on it.
inline std::map<std::string, Point> cells_in(Scripted& person, const Rect& area, float step) {
  std::map<std::string, Point> found;
  for (float y = area.y + step / 2; y < area.bottom(); y += step) {
    for (float x = area.x + step / 2; x < area.right(); x += step) {
      const auto cell = cell_at(person, {x, y});
      if (cell) found.try_emplace(to_string(*cell), Point{x, y});
    }
  }
  return found;
}

/// A point on the cell; fails the test if there is none.
inline Point point_on(const std::map<std::string, Point>& cells, const std::string& cell) {
  const auto found = cells.find(cell);
  if (found == cells.end()) throw std::runtime_error(cell + " is nowhere on the screen");
  return found->second;
}

/// A point on the cell, found with few moves of the mouse: far apart at first, closer until `least` where it isn't
/// found. Fails the test if there is none.
inline Point point_on(Scripted& person, const Rect& area, const Cell& cell, float least) {
  for (float step = 4 * least; step >= least; step /= 2)
    for (float y = area.y + step / 2; y < area.bottom(); y += step)
      for (float x = area.x + step / 2; x < area.right(); x += step)
        if (cell_at(person, {x, y}) == cell) return {x, y};
  throw std::runtime_error(to_string(cell) + " is nowhere on the screen");
}

/// How many pixels of two pictures differ within an area, in device pixels.
inline int pixels_off(const Image& a, const Image& b, const Rect& area) {
  int off = 0;
  for (int y = static_cast<int>(area.y); y < static_cast<int>(area.bottom()); ++y)
    for (int x = static_cast<int>(area.x); x < static_cast<int>(area.right()); ++x) {
      const Color p = a.at(x, y);
      const Color q = b.at(x, y);
      off += p.r != q.r || p.g != q.g || p.b != q.b;
    }
  return off;
}

}  // namespace headlight::testing
