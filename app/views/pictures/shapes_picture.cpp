#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/equation/equation.hpp"
#include "app/views/pictures/step_pictures.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/graph.hpp"

namespace headlight {
namespace {

constexpr float between_boxes = 22;
constexpr float deep = 5;  ///< how far the box behind the first one is moved
constexpr int most_behind = 3;
constexpr float least_side = 0.3f;  ///< of the longest
constexpr float operation_room = 120;
constexpr float side_words = 18;
constexpr float least_box = 60;

/// A tensor as a box: as high as its rows, as wide as its columns, and deep where it has other axes.
struct Box {
  TensorId tensor;
  std::vector<Index> before;  ///< the other axes: batch items, heads
  Index rows = 1;
  Index columns = 1;
  Shape whole;
  bool transposed = false;
  bool vector = false;
};

Box box_of(const ShownTensor& shown, const Setup& setup) {
  Box box{.tensor = shown.tensor, .before = {}, .whole = shape(shown.tensor, setup), .transposed = shown.transposed};
  const int rank = box.whole.rank();
  box.columns = box.whole[rank - 1];
  box.vector = rank == 1;
  if (rank > 1) box.rows = box.whole[rank - 2];
  for (int axis = 0; axis + 2 < rank; ++axis) box.before.push_back(box.whole[axis]);
  if (box.transposed) std::swap(box.rows, box.columns);
  return box;
}

/// Boxes of 4 and of 512 stand in one picture: lengths grow with the logarithm.
float length_of(Index count) { return 1 + std::log2(static_cast<float>(std::max<Index>(1, count))); }

class ShapesDrawing {
 public:
  ShapesDrawing(ViewContext& context, Rect area)
      : context_(context),
        session_(context.session),
        canvas_(context.ui.canvas()),
        theme_(context.ui.theme()),
        setup_(context.session.setup()),
        equation_(equation_of(context.session.selection().tensor, setup_)),
        area_(area) {}

  void draw() {
    switch (equation_.kind) {
      case EquationKind::product: return draw_product();
      case EquationKind::elementwise:
      case EquationKind::pieces: return draw_step();
      case EquationKind::alone: break;
    }
    const Box result = box_of(equation_.result, setup_);
    const float side = std::min(area_.w, area_.h) * 0.5f;
    draw_box(centred(result, area_, side / std::max(length_of(result.rows), length_of(result.columns))), result);
  }

 private:
  /// The size of a box, at a length for each step of the logarithm; no side is much shorter than the others.
  Point size_of(const Box& box, float unit, float longest) const {
    const auto side = [&](Index count) { return unit * std::max(length_of(count), least_side * longest); };
    return {side(box.columns), box.vector ? 26.0f : side(box.rows)};
  }

  Rect centred(const Box& box, const Rect& room, float unit) const {
    const Point size = size_of(box, unit, std::max(length_of(box.rows), length_of(box.columns)));
    return {room.center().x - size.x / 2, room.center().y - size.y / 2, size.x, size.y};
  }

  static std::string lengths(const Shape& whole) { return whole.to_string(); }

  Color hue_of(TensorId tensor) const {
    const Role role = info(tensor).role;
    return role == Role::neutral ? theme_.outline : theme_.identity(role);
  }

  /// The box, those behind it, and its name and shape.
  void draw_box(const Rect& front, const Box& box, bool chosen = false) {
    const Color hue = hue_of(box.tensor);
    Index items = 1;
    for (const Index one : box.before) items *= one;
    const auto behind = static_cast<int>(std::min<Index>(items - 1, most_behind));
    for (int i = behind; i > 0; --i) {
      const Rect back = front.moved(deep * static_cast<float>(i), -deep * static_cast<float>(i));
      canvas_.fill(back, theme_.raised, 4);
      canvas_.stroke(back, faded(hue, 0.6f), 1, 4);
    }
    canvas_.fill(front, theme_.raised, 4);
    canvas_.fill(front, faded(hue, 0.12f), 4);
    canvas_.stroke(front, hue, chosen ? 3.0f : 2.0f, 4);
    const std::string title = fmt::format("{}{}", name(box.tensor), box.transposed && !box.vector ? "ᵀ" : "");
    const std::string whole = lengths(box.whole);
    const float line = 19;
    const bool one_line = front.h < 2 * line + 4;
    const Rect words{front.x + 3, front.center().y - (one_line ? line / 2 : line), front.w - 6, line};
    const auto draw_line = [&](const Rect& box_of_line, const std::string& text, TextStyle large, TextStyle small,
                               Color color) {
      const TextStyle style = canvas_.width(text, large) <= box_of_line.w ? large : small;
      // Words may be wider than a narrow box.
      const float wide = std::max(box_of_line.w, canvas_.width(text, style) + 1);
      canvas_.text_in({box_of_line.center().x - wide / 2, box_of_line.y, wide, box_of_line.h}, text, style, color,
                      Align::center);
    };
    if (one_line) {
      draw_line(words, fmt::format("{} {}", title, whole), TextStyle::control_strong, TextStyle::caption_strong,
                theme_.text);
    } else {
      draw_line(words, title, TextStyle::heading, TextStyle::control_strong, theme_.text);
      draw_line(words.moved(0, line), whole, TextStyle::number, TextStyle::code, theme_.text2);
    }
    const Item item = context_.ui.item(name(box.tensor), front, {.focusable = false});
    if (item.clicked && !item.dragged) Selecting(session_).select_tensor(box.tensor);
    context_.ui.tooltip(item, fmt::format("{}: {}", name(box.tensor), info(box.tensor).about));
  }

  /// The length of a side, outside of the box.
  void draw_length(const Rect& box, Index count, bool across, bool agrees) const {
    const std::string text = fmt::format("{}", count);
    const TextStyle style = agrees ? TextStyle::number_lit : TextStyle::number;
    const Color color = agrees ? theme_.text : theme_.text2;
    if (across)
      canvas_.text_in({box.x - 20, box.bottom() + 1, box.w + 40, side_words}, text, style, color, Align::center);
    else {
      const float wide = canvas_.width(text, style);
      canvas_.text_in({box.x - wide - 6, box.center().y - side_words / 2, wide + 1, side_words}, text, style, color);
    }
  }

  /// The left operand at the lower left, the right one above, and the result where they meet, as everywhere.
  void draw_product() {
    const Box left = box_of(equation_.left, setup_);
    const Box right = box_of(equation_.right, setup_);
    const Box result = box_of(equation_.result, setup_);
    const float rows = length_of(left.rows);
    const float inner = length_of(left.columns);
    const float columns = length_of(right.columns);
    const float longest = std::max({rows, inner, columns});
    const auto side = [&](float length) { return std::max(length, least_side * longest); };
    const float depth = deep * static_cast<float>(most_behind);
    const float lengths_room = 34;
    const float wide = area_.w - between_boxes - 2 * depth - lengths_room;
    const float high = area_.h - between_boxes - 2 * depth - 2 * side_words;
    const float across = wide / (side(inner) + side(columns));
    const float down = high / (side(inner) + side(rows));
    const float unit_x = std::min(across, 2.2f * down);
    const float unit_y = std::min(down, 1.4f * across);
    const Point first{side(inner) * unit_x, side(rows) * unit_y};
    const Point second{side(columns) * unit_x, side(inner) * unit_y};
    const float all_wide = first.x + between_boxes + depth + second.x;
    const float all_high = second.y + between_boxes + depth + first.y + side_words;
    const float x = area_.x + lengths_room + std::max(0.0f, area_.w - lengths_room - depth - all_wide) / 2;
    const float y = area_.y + depth + std::max(0.0f, area_.h - depth - all_high) / 2;
    const float second_x = x + first.x + between_boxes + depth;
    const float first_y = y + second.y + between_boxes + depth;
    const Rect left_box{x, first_y, first.x, first.y};
    const Rect right_box{second_x, y, second.x, second.y};
    const Rect result_box{second_x, first_y, second.x, first.y};
    draw_box(right_box, right);
    draw_box(left_box, left);
    draw_box(result_box, result, true);
    draw_length(left_box, left.columns, true, true);
    draw_length(right_box, right.rows, false, true);
    draw_length(left_box, left.rows, false, false);
    draw_length(result_box, right.columns, true, false);
    if (equation_.bias) {
      const std::string words =
          fmt::format("+ {} {}", name(equation_.bias->tensor), shape(equation_.bias->tensor, setup_).to_string());
      canvas_.text_in({x, y, std::max(0.0f, first.x), side_words}, words, TextStyle::control, theme_.text2);
    }
  }

  /// One tensor before, what happens to it, and the result.
  void draw_step() {
    const Box before = box_of(equation_.before, setup_);
    const Box result = box_of(equation_.result, setup_);
    Rect rest = area_;
    const Rect middle{rest.center().x - operation_room / 2, rest.y, operation_room, rest.h};
    const Rect left{rest.x, rest.y, middle.x - rest.x, rest.h};
    const Rect right{middle.right(), rest.y, rest.right() - middle.right(), rest.h};
    const float longest = std::max(
        {length_of(before.rows), length_of(before.columns), length_of(result.rows), length_of(result.columns)});
    const float room = std::min(left.w - 40, left.h - 60);
    const float unit = room / longest;
    const auto box_in = [&](const Box& box, const Rect& area) {
      const Point size = size_of(box, unit, longest);
      return Rect{area.center().x - size.x / 2, area.center().y - size.y / 2, size.x, size.y};
    };
    draw_box(box_in(before, left), before);
    draw_box(box_in(result, right), result, true);
    std::string words = stage_of(result.tensor).words(setup_).operation;
    if (words.empty())
      words = info(result.tensor).has_heads() ? fmt::format("split into {} heads", heads_of(result.tensor))
                                              : std::string("join the heads");
    const float y = middle.center().y;
    canvas_.wire({middle.x + 4, y}, {middle.right() - 14, y}, theme_.text2, 2);
    canvas_.triangle({middle.right() - 6, y}, Pointing::right, theme_.text2, 6);
    canvas_.text_in({middle.x - 20, y - 26, middle.w + 40, 20}, words, TextStyle::control_strong, theme_.text,
                    Align::center);
  }

  Index heads_of(TensorId tensor) const { return info(tensor).has_kv_heads() ? setup_.kv_heads() : setup_.sizes.heads; }

  ViewContext& context_;
  Session& session_;
  Canvas canvas_;
  const Theme& theme_;
  const Setup& setup_;
  Equation equation_;
  Rect area_;
};

}  // namespace

PictureFit fit_of(const ViewContext&, const ShapesPicture&, const Rect& area) {
  const float side = std::min(area.w, area.h);
  return {.cells = side >= 3 * least_box ? Cells::comfortable : Cells::missing, .pitch = side / 6};
}

void draw_picture(ViewContext& context, const ShapesPicture&, const Rect& area) { ShapesDrawing(context, area).draw(); }

}  // namespace headlight
