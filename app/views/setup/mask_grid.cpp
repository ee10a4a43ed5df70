#include "app/views/setup/by_hand.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "core/model/mask.hpp"
#include "core/setup/edits.hpp"

namespace headlight {
namespace {

constexpr float narrowest_cell = 4;
constexpr float usual_cell = 28;
constexpr Index most_positions = 1024;

/// Which keys are hidden from which queries. A table, because a search per cell would be slow in large masks.
class Blocked {
 public:
  explicit Blocked(const Setup& setup)
      : keys_(setup.key_length()), table_(static_cast<std::size_t>(setup.sizes.query_length * keys_), false) {
    for (const auto& [query, key] : setup.mask.blocked) table_[index(query, key)] = true;
  }
  bool operator()(Index query, Index key) const { return table_[index(query, key)]; }

 private:
  std::size_t index(Index query, Index key) const { return static_cast<std::size_t>(query * keys_ + key); }

  Index keys_;
  std::vector<bool> table_;
};

/// How the mask is divided into cells that a mouse can hit: blocks of `block` × `block` positions if there are many.
struct Grid {
  Index queries;
  Index keys;
  Index block;
  float pitch;
  Rect r;

  Index rows() const { return (queries + block - 1) / block; }
  Index columns() const { return (keys + block - 1) / block; }
  Rect cell(Index row, Index column) const {
    const float gap = pitch >= 10 ? 2.0f : pitch >= 6 ? 1.0f : 0.0f;
    return {r.x + pitch * static_cast<float>(column), r.y + pitch * static_cast<float>(row), pitch - gap, pitch - gap};
  }
};

Grid lay_out(const Setup& setup, float width, float widest_cell) {
  Grid grid{setup.sizes.query_length, setup.key_length(), 1, 0, {}};
  const Index longest = std::max(grid.queries, grid.keys);
  const auto most_cells = static_cast<Index>(width / narrowest_cell);
  grid.block = (longest + most_cells - 1) / most_cells;
  grid.pitch = std::min(widest_cell, std::floor(width / static_cast<float>(std::max(grid.rows(), grid.columns()))));
  grid.r = {0, 0, grid.pitch * static_cast<float>(grid.columns()), grid.pitch * static_cast<float>(grid.rows())};
  return grid;
}

template <class Visit>
void for_each_position(const Grid& grid, Index row, Index column, Visit&& visit) {
  const Index last_query = std::min(grid.queries, (row + 1) * grid.block);
  const Index last_key = std::min(grid.keys, (column + 1) * grid.block);
  for (Index query = row * grid.block; query < last_query; ++query)
    for (Index key = column * grid.block; key < last_key; ++key) visit(query, key);
}

/// Whether all positions of a cell are hidden. Only then does a cell of several positions count as painted.
bool is_hidden(const Grid& grid, const Blocked& blocked, Index row, Index column) {
  bool all = true;
  for_each_position(grid, row, column, [&](Index query, Index key) { all = all && blocked(query, key); });
  return all;
}

/// Visits every cell on the line between two, because a fast mouse skips some.
template <class Visit>
void for_each_on_line(Index row, Index column, Index to_row, Index to_column, Visit&& visit) {
  const Index steps = std::max<Index>({1, std::abs(to_row - row), std::abs(to_column - column)});
  for (Index step = 0; step <= steps; ++step) {
    const double share = static_cast<double>(step) / static_cast<double>(steps);
    visit(row + std::llround(share * static_cast<double>(to_row - row)),
          column + std::llround(share * static_cast<double>(to_column - column)));
  }
}

struct CellIndex {
  Index row;
  Index column;
};

CellIndex cell_under(const Grid& grid, Point mouse) {
  const auto along = [&](float at, Index count) {
    return std::clamp<Index>(static_cast<Index>(std::floor(at / grid.pitch)), 0, count - 1);
  };
  return {along(mouse.y - grid.r.y, grid.rows()), along(mouse.x - grid.r.x, grid.columns())};
}

/// The hatch of hidden keys fills the whole grid, and visible cells are drawn over it.
void draw_cells(SetupRows& rows, const Grid& grid, const Blocked& blocked) {
  const Canvas& canvas = rows.canvas();
  const Theme& t = rows.theme();
  Setup others = rows.setup();
  std::erase(others.mask.kinds, MaskKind::custom);
  const Mask mask(others);
  const Index batch = std::min(rows.session().selection().batch, grid.queries > 0 ? rows.setup().sizes.batch - 1 : 0);
  const Color seen = t.text2;
  const Color unseen = mix(t.panel, t.text3, 0.45);
  canvas.hatch(grid.r, 4);
  for (Index row = 0; row < grid.rows(); ++row)
    for (Index column = 0; column < grid.columns(); ++column) {
      if (is_hidden(grid, blocked, row, column)) continue;
      const bool by_others = !mask.visible(batch, row * grid.block, column * grid.block);
      const Rect cell = grid.cell(row, column);
      canvas.fill({cell.x, cell.y, grid.pitch, grid.pitch}, t.panel);
      canvas.fill(cell, by_others ? unseen : seen, grid.pitch >= 10 ? 2.0f : 0.0f);
    }
}

std::string words(const Setup& setup, const Grid& grid, const Blocked& blocked, CellIndex at) {
  const std::string_view state = is_hidden(grid, blocked, at.row, at.column) ? "hidden" : "seen";
  const auto span = [&](Index cell, Index count) {
    return fmt::format("{}–{}", cell * grid.block, std::min(count, (cell + 1) * grid.block) - 1);
  };
  if (grid.block > 1)
    return fmt::format("queries {}, keys {}: {}", span(at.row, grid.queries), span(at.column, grid.keys), state);
  return fmt::format("query {}, key {}: {}", setup.query_label(at.row), setup.key_label(at.column), state);
}

void paint(SetupRows& rows, const Grid& grid, CellIndex to) {
  MaskStroke& stroke = *rows.memory().stroke;
  std::vector<std::pair<Index, Index>> pairs;
  for_each_on_line(stroke.row, stroke.column, to.row, to.column, [&](Index row, Index column) {
    for_each_position(grid, row, column, [&](Index query, Index key) { pairs.emplace_back(query, key); });
  });
  stroke.row = to.row;
  stroke.column = to.column;
  rows.edit("mask.blocked", with_blocked(rows.setup(), std::move(pairs), stroke.hides), "paint mask");
}

void brush(SetupRows& rows, const Grid& grid, const Blocked& blocked, const Item& item) {
  std::optional<MaskStroke>& stroke = rows.memory().stroke;
  const CellIndex at = cell_under(grid, rows.ui().mouse());
  rows.ui().claim_edit(item);
  if (item.pressed_now) {
    rows.session().end_gesture();
    stroke = MaskStroke{!is_hidden(grid, blocked, at.row, at.column), at.row, at.column};
  }
  if (item.held && stroke && (item.pressed_now || at.row != stroke->row || at.column != stroke->column))
    paint(rows, grid, at);
  if (item.released_now && stroke) {
    stroke.reset();
    rows.session().end_gesture();
  }
}

}  // namespace

void draw_mask_grid(SetupRows& rows) {
  const Setup& setup = rows.setup();
  if (std::max(setup.sizes.query_length, setup.key_length()) > most_positions) {
    rows.note("Too many positions for a grid: paint in the picture of the masked scores, with Shift+M");
    return;
  }
  const float cells = lay_out(setup, rows.width(), rows.ui().reach(usual_cell)).r.h;
  const float clear_height = rows.ui().reach(22), clear_width = rows.ui().reach(52);
  rows.block("mask.blocked", cells + clear_height, [&rows, clear_height, clear_width](const Rect& r) {
    Grid grid = lay_out(rows.setup(), rows.width(), rows.ui().reach(usual_cell));  // the sizes may have changed
    std::string caption = "Drag to hide or show keys";
    grid.r = {r.x, r.y, grid.r.w, grid.r.h};
    const Blocked blocked(rows.setup());
    const Item item = rows.ui().item("grid", grid.r, {.focusable = false});
    draw_cells(rows, grid, blocked);
    if (item.hovered || item.held) {
      const CellIndex at = cell_under(grid, rows.ui().mouse());
      rows.canvas().ring(grid.cell(at.row, at.column), 2, 2);
      caption = words(rows.setup(), grid, blocked, at);
    }
    const Rect below{r.x, r.y + grid.r.h + 2, r.w - clear_width - 8, clear_height};
    rows.canvas().text_in(below, caption, TextStyle::caption, rows.theme().text3);
    if (item.held || item.pressed_now || item.released_now) brush(rows, grid, blocked, item);
    else if (!rows.setup().mask.blocked.empty() &&
             button(rows.ui(), "clear", {r.right() - clear_width, below.y, clear_width, clear_height}, "Clear",
                    {.kind = ButtonKind::quiet})) {
      Setup next = rows.setup();
      next.mask.blocked.clear();
      rows.edit("mask.blocked", next);
    }
  });
}

}  // namespace headlight
