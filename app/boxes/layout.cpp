// Where each box goes: widths from the outside in, heights from the inside out.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "app/boxes/box.hpp"

namespace headlight {
namespace {

constexpr float hair = 0.05f;  ///< rounding

struct Part {
  Room room;
  bool may_end = false;
};

float sum(std::span<const Part> parts, float Room::* of, float gap) {
  const float gaps = parts.empty() ? 0 : gap * static_cast<float>(parts.size() - 1);
  return std::accumulate(parts.begin(), parts.end(), gaps, [of](float all, const Part& p) { return all + p.room.*of; });
}

/// The widths of parts side by side. What is missing is taken from names that may end in "…", then from words that may
/// break; what is left over goes to the parts that grow. The least widths together fit, or there is one part.
std::vector<float> shared(std::span<const Part> parts, float width, float gap) {
  std::vector<float> widths;
  for (const Part& part : parts) widths.push_back(part.room.best);
  float missing = sum(parts, &Room::best, gap) - width;
  for (const bool names : {true, false}) {
    if (missing <= hair) break;
    float spare = 0;
    for (const Part& part : parts)
      if (part.may_end == names) spare += part.room.best - part.room.least;
    const float share = spare > 0 ? std::min(1.0f, missing / spare) : 0;
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (parts[i].may_end == names) widths[i] -= share * (parts[i].room.best - parts[i].room.least);
    missing -= share * spare;
  }
  if (parts.size() == 1 && missing > 0) widths.front() = width;
  const float grow = sum(parts, &Room::grow, 0);
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (missing < 0 && grow > 0) widths[i] -= missing * parts[i].room.grow / grow;
  return widths;
}

Part part_of(const Box& box, const Ui& ui) { return {room_of(box, ui), box.may_end}; }

Room room_of_words(const Box& box, const Canvas& canvas) {
  Room room{.grow = box.room.grow};
  std::string_view longest;  // the word with the most letters; a wider one with fewer is rare, and breaks nothing
  for (std::string_view lines = box.text; !lines.empty();) {
    std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    room.best = std::max(room.best, canvas.width(line, box.style));
    while (!line.empty()) {
      const std::string_view word = line.substr(0, line.find(' '));
      line.remove_prefix(std::min(word.size() + 1, line.size()));
      if (word.size() > longest.size()) longest = word;
    }
  }
  room.least = longest.size() == box.text.size() ? room.best : canvas.width(longest, box.style);
  if (box.may_end) room.least = std::min(room.best, box.shortest);
  return room;
}

float line_of(const Box& box, const Canvas& canvas) {
  constexpr float lead = 1.4f;
  return std::max(box.line, std::round(lead * text_size(canvas.shown_as(box.style))));
}

std::vector<std::string_view> lines_of(const Box& box, const Ui& ui, float width) {
  const bool fits = room_of(box, ui).best <= width + hair && box.text.find('\n') == std::string::npos;
  if (box.may_end || fits) return {box.text};
  return ui.canvas().wrapped(box.text, box.style, width + hair);
}

/// The columns of a grid.
std::vector<Part> columns_of(const Box& grid, const Ui& ui) {
  std::vector<Part> columns(grid.columns);
  for (std::size_t i = 0; i < grid.of.size(); ++i) {
    const Room room = room_of(grid.of[i], ui);
    Room& all = columns[i % grid.columns].room;
    all = {std::max(all.least, room.least), std::max(all.best, room.best), std::max(all.grow, room.grow)};
  }
  return columns;
}

using Placed = Box::Placed;

/// One line of a row: its boxes side by side, centred in height. Returns the height.
float place_line(const Box& box, std::span<const std::size_t> line, std::span<const Part> parts, float y, float width,
                 const Ui& ui, std::vector<Placed>& placed) {
  const float gap = box.gap.x;
  const std::vector<float> widths = shared(parts, width, gap);
  const std::size_t first = placed.size();
  float x = 0, high = 0, left = width + gap;
  for (const float each : widths) left -= each + gap;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const Box& part = box.of[line[i]];
    if (part.at_end && left > 0) x += std::exchange(left, 0.0f);
    const float height = height_of(part, ui, widths[i]);
    placed.push_back({line[i], {x, y, widths[i], height}});
    high = std::max(high, height);
    x += widths[i] + gap;
  }
  for (Placed& each : std::span(placed).subspan(first)) each.r.y += std::floor((high - each.r.h) / 2);
  return high;
}

float place_row(const Box& box, float width, const Ui& ui, std::vector<Placed>& placed) {
  std::vector<std::size_t> line;
  std::vector<Part> parts;
  float y = 0;
  const auto end_line = [&] {
    if (line.empty()) return;
    if (y > 0) y += box.gap.y;
    y += place_line(box, line, parts, y, width, ui, placed);
    line.clear();
    parts.clear();
  };
  for (std::size_t i = 0; i < box.of.size(); ++i) {
    if (box.of[i].empty()) continue;
    const Part part = part_of(box.of[i], ui);
    const float least = sum(parts, &Room::least, box.gap.x) + box.gap.x + part.room.least;
    if (!box.whole && !line.empty() && least > width + hair) end_line();
    line.push_back(i);
    parts.push_back(part);
  }
  end_line();
  return y;
}

float place_column(const Box& box, float width, const Ui& ui, std::vector<Placed>& placed) {
  float y = 0;
  for (std::size_t i = 0; i < box.of.size(); ++i) {
    if (box.of[i].empty()) continue;
    if (y > 0) y += box.gap.y;
    const float height = height_of(box.of[i], ui, width);
    placed.push_back({i, {0, y, width, height}});
    y += height;
  }
  return y;
}

float place_grid(const Box& box, float width, const Ui& ui, std::vector<Placed>& placed) {
  const std::vector<float> widths = shared(columns_of(box, ui), width, box.gap.x);
  float y = 0;
  for (std::size_t begin = 0; begin < box.of.size(); begin += box.columns) {
    if (y > 0) y += box.gap.y;
    const std::size_t first = placed.size();
    float x = 0, high = 0;
    for (std::size_t i = 0; i < box.columns; ++i) {
      const float height = height_of(box.of[begin + i], ui, widths[i]);
      placed.push_back({begin + i, {x, y, widths[i], height}});
      high = std::max(high, height);
      x += widths[i] + box.gap.x;
    }
    for (Placed& each : std::span(placed).subspan(first)) each.r.y += std::floor((high - each.r.h) / 2);
    y += high;
  }
  return y;
}

/// The parts of a box of this inner width. Returns their height.
float place(const Box& box, float width, const Ui& ui, std::vector<Placed>& placed) {
  placed.clear();
  switch (box.kind) {
    case Box::Kind::row: return place_row(box, width, ui, placed);
    case Box::Kind::column: return place_column(box, width, ui, placed);
    case Box::Kind::grid: return place_grid(box, width, ui, placed);
    default: return 0;
  }
}

void draw_words(Ui& ui, const Box& box, const Rect& r) {
  const Canvas canvas = ui.canvas();
  const bool listed = ui.memory().lists_items;
  const Rect clip = canvas.clip();
  if (!listed && (r.bottom() < clip.y || r.y > clip.bottom())) return;
  const float line = line_of(box, canvas);
  const bool may_not_fit = box.may_end || room_of(box, ui).least > r.w;
  float y = r.y;
  for (const std::string_view text : lines_of(box, ui, r.w)) {
    const Rect at{r.x - hair, y, r.w + 2 * hair, line};
    const Align align = box.at_end ? Align::right : Align::left;
    if (may_not_fit) canvas.text_in(at, text, box.style, box.ink, align);
    else
      canvas.text({box.at_end ? at.right() : at.x, canvas.centered_baseline(at, box.style)}, text, box.style, box.ink,
                  align);
    if (listed) ui.list_words(text, at, !box.may_end && canvas.width(text, box.style) > at.w);
    y += line;
  }
}

bool is_near(const Rect& r, const Rect& clip) { return r.bottom() >= clip.y - clip.h && r.y <= clip.bottom() + clip.h; }

/// A list may be long: what is in it and out of sight by more than a screen is left out.
void draw(Ui& ui, const Box& box, const Rect& r, bool in_list) {
  if (in_list && !is_near(r, ui.canvas().clip())) return;
  if (!box.id.empty()) ui.push_id(box.id);
  if (box.is_list) ui.begin_list("list");
  if (box.behind) box.behind(ui, r);
  const Rect inner = r.inset(box.inset_x, box.inset_y);
  if (box.kind == Box::Kind::words) draw_words(ui, box, inner);
  else if (box.kind == Box::Kind::drawn) box.draw(ui, inner);
  else {
    height_of(box, ui, r.w);  // which places the parts, unless they are placed already
    for (const Placed& each : box.measured.parts)
      draw(ui, box.of[each.part], each.r.moved(inner.x, inner.y), in_list || box.is_list);
  }
  if (box.over) box.over(ui, r);
  if (box.is_list) ui.end_list();
  if (!box.id.empty()) ui.pop_id();
}

}  // namespace

namespace {

Room measured_room(const Box& box, const Ui& ui) {
  Room room{.grow = box.room.grow};
  switch (box.kind) {
    case Box::Kind::words: room = room_of_words(box, ui.canvas()); break;
    case Box::Kind::drawn: room = box.room; break;
    case Box::Kind::row: {
      std::vector<Part> parts;
      for (const Box& each : box.of)
        if (!each.empty()) parts.push_back(part_of(each, ui));
      room.best = sum(parts, &Room::best, box.gap.x);
      for (const Part& part : parts) room.least = std::max(room.least, part.room.least);
      if (box.whole) room.least = sum(parts, &Room::least, box.gap.x);
      break;
    }
    case Box::Kind::column:
      for (const Box& each : box.of) {
        const Room of = room_of(each, ui);
        room.least = std::max(room.least, of.least);
        room.best = std::max(room.best, of.best);
      }
      break;
    case Box::Kind::grid: {
      const std::vector<Part> parts = columns_of(box, ui);
      room.least = sum(parts, &Room::least, box.gap.x);
      room.best = sum(parts, &Room::best, box.gap.x);
      break;
    }
  }
  room.least += 2 * box.inset_x;
  room.best += 2 * box.inset_x;
  return room;
}

float measured_height(const Box& box, const Ui& ui, float width) {
  const float inner = width - 2 * box.inset_x;
  float height = 0;
  if (box.kind == Box::Kind::words) {
    const Canvas canvas = ui.canvas();
    height = line_of(box, canvas) * static_cast<float>(lines_of(box, ui, inner).size());
  } else if (box.kind == Box::Kind::drawn) {
    height = box.height(inner);
  } else {
    height = place(box, inner, ui, box.measured.parts);
  }
  return height + 2 * box.inset_y;
}

}  // namespace

Room room_of(const Box& box, const Ui& ui) {
  if (!box.measured.room) box.measured.room = measured_room(box, ui);
  return *box.measured.room;
}

float height_of(const Box& box, const Ui& ui, float width) {
  if (box.measured.width != width) {
    box.measured.height = measured_height(box, ui, width);
    box.measured.width = width;
  }
  return box.measured.height;
}

void draw(Ui& ui, const Box& box, const Rect& r) { draw(ui, box, r, false); }

void draw_scrolled(Ui& ui, std::string_view id, const Rect& area, Box box, Color ground) {
  if (ui.memory().longer_words) box = lengthened(std::move(box));
  const ScrollArea scroll(ui, id, area, height_of(box, ui, area.w), ground);
  draw(ui, box, scroll.content());
}

}  // namespace headlight
