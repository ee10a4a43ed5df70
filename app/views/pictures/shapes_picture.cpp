#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/frame_tools.hpp"
#include "app/views/equation/equation.hpp"
#include "app/views/pictures/step_pictures.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/graph.hpp"

namespace headlight {
namespace {

constexpr float between_boxes = 22;
constexpr float deep = 5;  ///< how far the box behind the first one is moved
constexpr int most_behind = 3;
constexpr float depth = deep * static_cast<float>(most_behind);
constexpr float least_side = 0.3f;  ///< of the longest
constexpr float operation_room = 120;
constexpr float operation_height = 44;  ///< where the boxes are below each other
constexpr float side_words = 18;
constexpr float beside_lengths = 34;  ///< for the length at the left of a box
constexpr float box_line = 19;
constexpr float least_height = 2 * box_line + 8;
constexpr float beside_label = 8;
/// A step of the logarithm may be this much longer across than down, or down than across.
constexpr float widest = 2.2f;
constexpr float highest = 1.4f;

/// A tensor as a box: as high as its rows, as wide as its columns, and deep where it has other axes.
struct Box {
  TensorId tensor = TensorId::X;
  std::vector<Index> before;  ///< the other axes: batch items, heads
  Index rows = 1;
  Index columns = 1;
  Shape whole;  ///< as it is shown: of a transposed tensor, that of what the picture calls so
  bool transposed = false;
  bool vector = false;
  bool asked = false;  ///< the step asks for its shape
};

Box box_of(const ShownTensor& shown, const Session& session) {
  const Setup& setup = session.setup();
  Box box{.tensor = shown.tensor, .before = {}, .whole = shape(shown.tensor, setup), .transposed = shown.transposed};
  const int rank = box.whole.rank();
  Shape first = box.whole;
  for (int axis = 0; axis < rank; ++axis) first[axis] = 0;
  box.asked = session.lesson().hides({shown.tensor, first, session.cell().layer}, setup);
  box.columns = box.whole[rank - 1];
  box.vector = rank == 1;
  if (rank > 1) box.rows = box.whole[rank - 2];
  for (int axis = 0; axis + 2 < rank; ++axis) box.before.push_back(box.whole[axis]);
  if (box.transposed) {
    std::swap(box.rows, box.columns);
    if (!box.vector) std::swap(box.whole[rank - 2], box.whole[rank - 1]);
  }
  return box;
}

/// Boxes of 4 and of 512 fit into one picture: lengths grow with the logarithm.
float length_of(Index count) { return 1 + std::log2(static_cast<float>(std::max<Index>(1, count))); }

std::string title_of(const Box& box) {
  return fmt::format("{}{}", name(box.tensor), box.transposed && !box.vector ? "ᵀ" : "");
}

/// The places of the boxes. Each is large enough for its name and its shape.
class ShapesLayout {
 public:
  Box first;  ///< the left operand of a product, or the tensor before
  Box right;  ///< of a product
  Box result;
  Rect at_first;
  Rect at_right;
  Rect at_result;
  Equation equation;
  bool down = false;  ///< the result is below the tensor before, and not beside it
  bool fits = true;
  bool compact = false;  ///< shapes without spaces, and boxes near each other: otherwise they would not fit

  ShapesLayout(const ViewContext& context, const Rect& area)
      : equation(equation_of(context.session.selection().tensor, context.session.setup())),
        canvas_(context.ui.canvas()),
        area_(area) {
    const Session& session = context.session;
    result = box_of(equation.result, session);
    if (equation.kind == EquationKind::product) {
      first = box_of(equation.left, session);
      right = box_of(equation.right, session);
      place_product();
      if (!fits) {
        compact = true;
        place_product();
      }
    } else if (equation.kind == EquationKind::alone) {
      place_alone();
    } else {
      first = box_of(equation.before, session);
      place_step();
    }
  }

  /// "(1, 4, 6, 4)", or "?"
  std::string shape_of(const Box& box) const {
    if (box.asked) return "?";
    std::string text = box.whole.to_string();
    if (compact) std::erase(text, ' ');
    return text;
  }

 private:
  float least_width(const Box& box) const {
    return beside_label + std::max(canvas_.width(title_of(box), TextStyle::control_strong),
                                   canvas_.width(shape_of(box), TextStyle::code));
  }

  /// The lengths of a step of the logarithm, across and down, with which each of the boxes fills a room as far as it
  /// can; neither is much longer than the other.
  static Point units_in(Point room, const std::vector<Box>& boxes) {
    float rows = 1;
    float columns = 1;
    for (const Box& box : boxes) {
      rows = std::max(rows, length_of(box.rows));
      columns = std::max(columns, length_of(box.columns));
    }
    const Point most{room.x / columns, room.y / rows};
    return {std::min(most.x, widest * most.y), std::min(most.y, highest * most.x)};
  }

  Point size_of(const Box& box, Point unit) const {
    return {std::max(unit.x * length_of(box.columns), least_width(box)),
            box.vector ? least_height : std::max(unit.y * length_of(box.rows), least_height)};
  }

  static Rect centred(const Rect& room, Point size) {
    return {room.center().x - size.x / 2, room.center().y - size.y / 2, size.x, size.y};
  }

  /// With its lengths around it.
  void place_alone() {
    Rect room = area_;
    room.cut_left(beside_lengths);
    room.cut_right(depth);
    room.cut_top(depth + side_words);
    room.cut_bottom(side_words);
    const Point least{least_width(result), least_height};
    at_result = centred(room, size_of(result, units_in({room.w, room.h}, {result})));
    fits = least.x <= room.w && least.y <= room.h;
  }

  /// The left operand at the lower left, the right one above, and the result where they meet, as everywhere.
  void place_product() {
    const float between = compact ? between_boxes / 3 : between_boxes;
    const float beside = compact ? beside_lengths / 2 : beside_lengths;
    const float rows = length_of(first.rows);
    const float inner = length_of(first.columns);
    const float columns = length_of(right.columns);
    const float longest = std::max({rows, inner, columns});
    const auto side = [&](float length) { return std::max(length, least_side * longest); };
    const float wide = area_.w - between - 2 * depth - beside;
    const float high = area_.h - between_boxes - 2 * depth - 2 * side_words;
    const float across = wide / (side(inner) + side(columns));
    const float upright = high / (side(inner) + side(rows));
    const float unit_x = std::min(across, widest * upright);
    const float unit_y = std::min(upright, highest * across);
    const float second_least = std::max(least_width(right), least_width(result));
    float left_wide = std::max(side(inner) * unit_x, least_width(first));
    float right_wide = std::max(side(columns) * unit_x, second_least);
    if (left_wide + right_wide > wide && left_wide > least_width(first))
      left_wide = std::max(wide - right_wide, least_width(first));
    if (left_wide + right_wide > wide) right_wide = std::max(wide - left_wide, second_least);
    float above_high = std::max(side(inner) * unit_y, least_height);
    const float below_high = std::max(side(rows) * unit_y, least_height);
    if (above_high + below_high > high) above_high = std::max(high - below_high, least_height);
    fits = left_wide + right_wide <= wide + 1 && above_high + below_high <= high + 1;
    const float all_wide = left_wide + between + depth + right_wide;
    const float all_high = above_high + between_boxes + depth + below_high + side_words;
    const float x = area_.x + beside + std::max(0.0f, area_.w - beside - depth - all_wide) / 2;
    const float y = area_.y + depth + std::max(0.0f, area_.h - depth - all_high) / 2;
    const float second_x = x + left_wide + between + depth;
    const float first_y = y + above_high + between_boxes + depth;
    at_first = {x, first_y, left_wide, below_high};
    at_right = {second_x, y, right_wide, above_high};
    at_result = {second_x, first_y, right_wide, below_high};
  }

  /// One tensor before and the result, beside or below each other, whichever leaves more room.
  void place_step() {
    const Point beside{(area_.w - operation_room) / 2 - 2 * depth, area_.h - 2 * depth};
    const Point below{area_.w - 2 * depth, (area_.h - operation_height) / 2 - 2 * depth};
    const auto size_in = [&](Point room) {
      const Point unit = units_in(room, {first, result});
      return unit.x * unit.y;
    };
    const float least = std::max(least_width(first), least_width(result));
    down = beside.x < least || size_in(below) > size_in(beside);
    const Point room = down ? below : beside;
    const Point unit = units_in(room, {first, result});
    const Point first_size = size_of(first, unit);
    const Point result_size = size_of(result, unit);
    fits = least <= room.x && std::max(first_size.y, result_size.y) <= room.y + 1;
    Rect rest = area_;
    const Rect box =
        down ? rest.cut_top((area_.h - operation_height) / 2) : rest.cut_left((area_.w - operation_room) / 2);
    if (down) rest.cut_top(operation_height);
    else rest.cut_left(operation_room);
    at_first = centred(box, first_size);
    at_result = centred(rest, result_size);
  }

  Canvas canvas_;
  Rect area_;
};

class ShapesDrawing : FrameTools {
 public:
  ShapesDrawing(ViewContext& context, const Rect& area)
      : FrameTools(context), setup_(context.session.setup()), area_(area), layout_(context, area) {}

  void draw() {
    switch (layout_.equation.kind) {
      case EquationKind::product: return draw_product();
      case EquationKind::elementwise:
      case EquationKind::pieces: return draw_step();
      case EquationKind::alone: return draw_alone();
    }
  }

 private:
  /// The box, those behind it, and its name and shape.
  void draw_box(const Rect& front, const Box& box, bool chosen = false) {
    const Color hue = theme_.identity(info(box.tensor).role);
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
    Rect words{front.x, front.center().y - box_line, front.w, box_line};
    const auto write = [&](const std::string& text, TextStyle large, TextStyle small, Color color) {
      const bool is_wide = canvas_.width(text, large) + beside_label <= front.w;
      canvas_.text_in(words, text, is_wide ? large : small, color, Align::center);
      words.y += box_line;
    };
    write(title_of(box), TextStyle::heading, TextStyle::control_strong, theme_.text);
    write(layout_.shape_of(box), TextStyle::number, TextStyle::code, theme_.text2);
    context_.ui.push_id(name(box.tensor));
    const Item item = context_.ui.item("box", front, {.focusable = false});
    context_.ui.pop_id();
    if (item.clicked && !item.dragged) Selecting(session_).select_tensor(box.tensor);
    context_.ui.tooltip(item,
                        fmt::format("{}: {}", name(box.tensor), words_about(box.tensor, context_.session.setup())));
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

  /// One tensor with all its lengths: that of the axes before is above the boxes behind.
  void draw_alone() {
    const Rect& at = layout_.at_result;
    const Box& box = layout_.result;
    draw_box(at, box, true);
    draw_length(at, box.columns, true, true);
    if (!box.vector) draw_length(at, box.rows, false, true);
    if (box.before.empty()) return;
    const Rect above{at.x + depth, at.y - depth - side_words, at.w, side_words};
    canvas_.text_in(above, fmt::format("{}", fmt::join(box.before, " · ")), TextStyle::number_lit, theme_.text,
                    Align::center);
  }

  void draw_product() {
    const Rect& left = layout_.at_first;
    const Rect& right = layout_.at_right;
    const Rect& result = layout_.at_result;
    draw_box(right, layout_.right);
    draw_box(left, layout_.first);
    draw_box(result, layout_.result, true);
    draw_length(left, layout_.first.columns, true, true);
    draw_length(right, layout_.right.rows, false, true);
    draw_length(left, layout_.first.rows, false, false);
    if (!layout_.result.asked) draw_length(result, layout_.right.columns, true, false);
    const Equation& equation = layout_.equation;
    if (!equation.bias) return;
    const std::string words =
        fmt::format("+ {} {}", name(equation.bias->tensor), shape(equation.bias->tensor, setup_).to_string());
    canvas_.text_in({left.x, right.y, left.w, side_words}, words, TextStyle::control, theme_.text2);
  }

  /// One tensor before, what happens to it, and the result.
  void draw_step() {
    const Rect& from = layout_.at_first;
    const Rect& to = layout_.at_result;
    draw_box(from, layout_.first);
    draw_box(to, layout_.result, true);
    const TensorId tensor = layout_.result.tensor;
    std::string words = stage_of(tensor).words(setup_).operation;
    if (words.empty())
      words = info(tensor).has_heads() ? fmt::format("split into {} heads", heads_of(tensor)) : "join the heads";
    if (layout_.down) {
      // Far enough left for the words beside it.
      const float wide = canvas_.width(words, TextStyle::control_strong);
      const Point start{std::min(from.center().x, area_.right() - wide - 16), from.bottom() + 6};
      const Point end{start.x, to.y - depth - 8};
      const Point shaft[] = {start, {end.x, end.y - 8}};
      canvas_.polyline(shaft, theme_.text2, 2);
      canvas_.triangle(end, Pointing::down, theme_.text2, 6);
      canvas_.text_in({start.x + 14, (start.y + end.y) / 2 - 10, std::max(160.0f, wide + 2), 20}, words,
                      TextStyle::control_strong, theme_.text);
      return;
    }
    const Point start{from.right() + depth + 8, from.center().y};
    const Point end{to.x - 10, start.y};
    canvas_.wire(start, {end.x - 8, end.y}, theme_.text2, 2);
    canvas_.triangle(end, Pointing::right, theme_.text2, 6);
    canvas_.text_in({start.x - 20, start.y - 26, end.x - start.x + 40, 20}, words, TextStyle::control_strong,
                    theme_.text, Align::center);
  }

  Index heads_of(TensorId tensor) const { return info(tensor).has_kv_heads() ? setup_.kv_heads() : setup_.sizes.heads; }

  const Setup& setup_;
  Rect area_;
  ShapesLayout layout_;
};

}  // namespace

PictureFit fit_of(const ViewContext& context, const ShapesPicture&, const Rect& area) {
  const bool fits = ShapesLayout(context, area).fits;
  return {.cells = fits ? Cells::comfortable : Cells::missing, .pitch = std::min(area.w / 1.4f, area.h) / 6};
}

void draw_picture(ViewContext& context, const ShapesPicture&, const Rect& area) { ShapesDrawing(context, area).draw(); }

}  // namespace headlight
