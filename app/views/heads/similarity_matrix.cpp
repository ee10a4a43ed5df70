#include "app/views/heads/similarity_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "app/session/selecting.hpp"
#include "app/ui/ui.hpp"

namespace headlight {
namespace {

constexpr float title_row = 40;
constexpr float names_w = 34;
constexpr float names_h = 24;
constexpr float largest_cell = 35;
constexpr float cell_with_number = 30;

struct Pair {
  Index a = 1;
  Index b = 0;
};

float cell_size(float width, Index heads) {
  return std::min(largest_cell, (width - names_w) / static_cast<float>(std::max<Index>(1, heads - 1)));
}

/// The least and the most similar pair of heads.
std::pair<Pair, Pair> extremes(const HeadSimilarities& similarities) {
  Pair least;
  Pair most;
  for (Index a = 1; a < similarities.heads; ++a) {
    for (Index b = 0; b < a; ++b) {
      if (similarities.between(a, b) < similarities.between(least.a, least.b)) least = {a, b};
      if (similarities.between(a, b) > similarities.between(most.a, most.b)) most = {a, b};
    }
  }
  return {least, most};
}

/// Three characters: ".25", "1.0".
std::string brief_share(double value) {
  std::string text = fmt::format("{:.2f}", value);
  return text.starts_with("0") ? text.substr(1) : text.substr(0, 3);
}

struct PairGrid {
  Point origin;
  float cell = 0;
  Rect of(Index a, Index b) const {
    return {origin.x + cell * static_cast<float>(b), origin.y + cell * static_cast<float>(a - 1), cell - 3, cell - 3};
  }
};

void draw_pair(ViewContext& context, const Rect& r, const HeadSimilarities& similarities, Pair pair, double shade) {
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Theme& theme = canvas.theme();
  const Color fill = mix(theme.hover, theme.text2, shade);
  canvas.fill(r, fill, 3);
  const double similarity = similarities.between(pair.a, pair.b);
  if (r.w >= cell_with_number - 3)
    canvas.text_in(r, brief_share(similarity), TextStyle::mono, number_on(fill), Align::center);
  ui.push_id(static_cast<int>(pair.a * 1000 + pair.b));
  const Item item = ui.item("pair", r, {.focusable = false});
  ui.tooltip(item, fmt::format("h{} and h{}: {:.3f}", pair.a, pair.b, similarity));
  if (item.hovered) canvas.stroke(r.outset(1), theme.outline, 2, 3);
  if (item.clicked)
    Selecting(context.session).select_head(context.session.selection().head == pair.a ? pair.b : pair.a);
  ui.pop_id();
}

void draw_name(ViewContext& context, const Rect& r, Index head, Align align) {
  Ui& ui = context.ui;
  const Theme& theme = ui.theme();
  const bool own = context.session.selection().head == head;
  ui.push_id(static_cast<int>(head));
  const Item item = ui.item(align == Align::center ? "below" : "beside", r, {.focusable = false});
  if (item.clicked) Selecting(context.session).select_head(head);
  ui.pop_id();
  const std::string name = r.w < 22 && align == Align::center ? fmt::format("{}", head) : fmt::format("h{}", head);
  ui.canvas().text_in(r, name, own ? TextStyle::mono_strong : TextStyle::code,
                      own || item.hovered ? theme.text : theme.text2, align);
}

/// Whether there is room for a head's name among its neighbours', which are `cell` apart: the selected head's first.
bool has_room_for_name(Index head, Index own, float cell, float name) {
  const auto step = static_cast<Index>(std::ceil(name / cell));
  return head == own || (head % step == 0 && std::abs(head - own) >= step);
}

/// Frames the row and the column of the selected head: its similarity to each other head.
void draw_own_frames(const Canvas& canvas, const PairGrid& grid, Index own, Index heads) {
  const auto frame = [&](const Rect& first, const Rect& last) {
    canvas.stroke(Rect{first.x, first.y, last.right() - first.x, last.bottom() - first.y}.outset(3),
                  canvas.theme().lamp, 2, 5);
  };
  if (own > 0) frame(grid.of(own, 0), grid.of(own, own - 1));
  if (own < heads - 1) frame(grid.of(own + 1, own), grid.of(heads - 1, own));
}

/// Draws a sentence about the matrix in its empty half, or to its right if there are few heads.
void draw_reading(const Canvas& canvas, const Rect& area, const PairGrid& grid, Index heads, Pair most) {
  const Theme& theme = canvas.theme();
  const float matrix = grid.cell * static_cast<float>(heads - 1);
  const float taken = heads >= 5 ? std::max(3.0f, static_cast<float>(heads) * 0.4f) * grid.cell : matrix;
  const float x = grid.origin.x + taken + 18;
  const float room = area.right() - x;
  if (room < 96) return;
  const auto [a, b] = std::minmax(most.a, most.b);
  std::string words = fmt::format("Most alike: h{} and h{}", a, b);
  if (canvas.width(words, TextStyle::control_strong) > room) words = fmt::format("Alike: h{}, h{}", a, b);
  canvas.text_in({x, grid.origin.y, room, 18}, words, TextStyle::control_strong, theme.text);
  canvas.paragraph({x, grid.origin.y + 34}, "1 − mean JS distance between matching rows", TextStyle::caption,
                   theme.text3, std::min(room, 150.0f), 17);
}

}  // namespace

float similarity_height(float width, Index heads) {
  const float rows = std::max(64.0f, cell_size(width, heads) * static_cast<float>(heads - 1));
  return title_row + (heads > 1 ? rows + names_h : 30.0f);
}

void draw_similarity(ViewContext& context, const Rect& area, const HeadSimilarities* found) {
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  Rect rest = area;
  const Index heads = context.session.setup().sizes.heads;
  canvas.text_in(rest.cut_top(title_row), "How alike the heads are", TextStyle::control_strong, theme.text);
  if (heads < 2) {
    canvas.text_in(rest.cut_top(24), "There is only one head.", TextStyle::control, theme.text2);
    return;
  }
  if (!found) {
    canvas.text_in(rest.cut_top(24), "Comparing the heads…", TextStyle::control, theme.text2);
    context.ui.request_frame_in(look_again);
    return;
  }
  const HeadSimilarities& similarities = *found;
  const PairGrid grid{{rest.x + names_w, rest.y}, cell_size(rest.w, heads)};
  const auto [least, most] = extremes(similarities);
  const double lo = similarities.between(least.a, least.b);
  const double span = similarities.between(most.a, most.b) - lo;
  const Index own = context.session.selection().head;
  for (Index a = 1; a < heads; ++a) {
    for (Index b = 0; b < a; ++b)
      draw_pair(context, grid.of(a, b), similarities, {a, b},
                span > 0 ? 0.04 + 0.66 * (similarities.between(a, b) - lo) / span : 0.35);
    const Rect first = grid.of(a, 0);
    if (has_room_for_name(a, own, grid.cell, 14))
      draw_name(context, {rest.x, first.y, names_w - 10, first.h}, a, Align::right);
  }
  for (Index b = 0; b + 1 < heads; ++b) {
    const Rect last = grid.of(heads - 1, b);
    if (has_room_for_name(b, own, grid.cell, heads > 10 ? 18 : 9))
      draw_name(context, {last.x, last.bottom() + 4, last.w, 18}, b, Align::center);
  }
  draw_own_frames(canvas, grid, own, heads);
  draw_reading(canvas, rest, grid, heads, most);
}

}  // namespace headlight
