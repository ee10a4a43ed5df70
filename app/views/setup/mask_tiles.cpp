#include "app/views/setup/by_hand.hpp"

#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "core/setup/edits.hpp"

namespace headlight {
namespace {

constexpr int picture_cells = 4;

/// A kind of mask as a small picture of 4 queries × 4 keys, with a label that fits under it. Without a kind: no mask.
struct Tile {
  std::string_view label;
  std::optional<MaskKind> kind;
  bool (*visible)(int query, int key);

  std::string_view tooltip() const {
    return kind ? setup_entry("mask.kinds")->words[static_cast<std::size_t>(*kind)].help : "Every query sees every key";
  }
};

constexpr std::array<Tile, 5> tiles{{
    {"None", std::nullopt, [](int, int) { return true; }},
    {"Causal", MaskKind::causal, [](int query, int key) { return key <= query; }},
    {"Pad", MaskKind::padding, [](int, int key) { return key < picture_cells - 1; }},
    {"Window", MaskKind::window, [](int query, int key) { return std::abs(query - key) <= 1; }},
    {"Paint", MaskKind::custom,
     [](int query, int key) { return (2 * query + key) % 5 != 2 && (query + 3 * key) % 7 != 6; }},
}};

/// The setup after a click on a tile, which switches its kind on or off. Painted cells are kept while it is off.
Setup pressed(const Setup& setup, const Tile& tile) {
  return tile.kind ? with_mask_kind(setup, *tile.kind, !setup.mask.has(*tile.kind)) : without_mask(setup);
}

void draw_tile_picture(const Canvas& canvas, const Rect& r, const Tile& tile, bool chosen) {
  const Theme& t = canvas.theme();
  const float pitch = r.w / picture_cells;
  for (int query = 0; query < picture_cells; ++query) {
    for (int key = 0; key < picture_cells; ++key) {
      const Rect cell{r.x + pitch * static_cast<float>(key), r.y + pitch * static_cast<float>(query), pitch - 1,
                      pitch - 1};
      if (tile.visible(query, key)) canvas.fill(cell, chosen ? t.text : t.text3);
      else canvas.hatch(cell, 4);
    }
  }
}

void draw_tile(SetupRows& rows, const Rect& r, const Tile& tile) {
  const Setup& setup = rows.setup();
  const bool chosen = tile.kind ? setup.mask.has(*tile.kind) : setup.mask.kinds.empty();
  const Canvas& canvas = rows.canvas();
  const Theme& t = rows.theme();
  const Item item = rows.ui().item(tile.label, r);
  rows.ui().take_typed(item);
  rows.ui().say_control(item, fmt::format("Mask: {}", tile.label), "switch", chosen ? "on" : "off");
  const Rect frame{r.center().x - 21, r.y, 42, 42};
  if (item.hovered) canvas.fill(frame, t.hover, 6);
  if (chosen) canvas.stroke(frame, t.lamp, 2, 6);
  draw_tile_picture(canvas, frame.inset(4).moved(0.5f, 0.5f), tile, chosen);
  canvas.text({r.center().x, r.y + 58}, tile.label, chosen ? TextStyle::caption_strong : TextStyle::caption,
              chosen || item.hovered ? t.text : t.text3, Align::center);
  if (item.focused) canvas.focus_ring(r.inset(2, 0));
  rows.ui().tooltip(item, tile.tooltip());
  if (item.clicked) rows.edit("mask.kinds", pressed(setup, tile));
}

}  // namespace

void draw_mask_tiles(SetupRows& rows) {
  rows.block("mask.kinds", 64, [&rows](Rect r) {
    const float wide = r.w / static_cast<float>(tiles.size());
    for (const Tile& tile : tiles) draw_tile(rows, r.cut_left(wide), tile);
  });
}

void draw_painted_mask(SetupRows& rows) {
  if (rows.setup().mask.has(MaskKind::custom)) draw_mask_grid(rows);
  const std::size_t blind = rows.session().trace().blind_queries.size();
  if (blind > 0)
    rows.note(blind == 1 ? "1 query sees no key: all weights are 0"
                         : fmt::format("{} queries see no key: all weights are 0", blind));
}

}  // namespace headlight
