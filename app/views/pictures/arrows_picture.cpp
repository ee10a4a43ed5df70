#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/frame_tools.hpp"
#include "app/views/base/motion.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/pictures/step_pictures.hpp"
#include "app/views/tensors/axis_labels.hpp"
#include "app/views/tensors/picture_cells.hpp"
#include "app/views/tensors/tensor_picture.hpp"
#include "app/views/tensors/tensor_scale.hpp"

namespace headlight {
namespace {

constexpr float around_plane = 30;  ///< for the words at the tips
constexpr float least_plane = 90;
constexpr float list_width = 150;
constexpr float list_gap = 20;
constexpr float list_height = 74;  ///< below the plane, where there is too little room beside it
constexpr float tip_size = 22;     ///< of the area round a tip that can be pointed at
constexpr float highest_item = 44;
constexpr float list_head = 26;

struct Arrow {
  std::string label;
  Cell cell;  ///< of the first of its two features
  Point to;   ///< in the plane of the features
  Role role = Role::neutral;
  bool hidden = false;
  bool is_query = false;
};

/// Where the arrows stood and where they belong, as places in the sequence: those of the keys, and last the query's.
/// When they move, they turn from one place to the other.
struct TurningArrows {
  LectureStep step;
  std::vector<double> from, to;
  double began = 0;  ///< in seconds
};

/// The side of the plane beside or above a list.
float side_of_plane(const Rect& area, bool lists, bool below) {
  const float wide = area.w - 2 * around_plane - (lists && !below ? list_width + list_gap : 0);
  return std::min(wide, area.h - 2 * around_plane - (lists && below ? list_height : 0));
}
/// A slide makes room for it with its words instead; in a lesson these stand elsewhere.
bool has_list_below(const ViewContext& context, const Rect& area) {
  if (context.presenting && !context.wordless) return false;
  const float beside = side_of_plane(area, true, false);
  return beside < least_plane && side_of_plane(area, true, true) > beside;
}

/// The matrix whose rows are arrows, at a batch item and a query head.
TensorPicture rows_of(TensorId tensor, const QueryRow& row, const Trace& trace) {
  return {.tensor = tensor,
          .batch = row.batch,
          .head = row.head,
          .slice = slice_of(trace, tensor, row.batch, row.head),
          .scale = {}};
}

class ArrowsDrawing : FrameTools {
 public:
  ArrowsDrawing(ViewContext& context, const ArrowsPicture& picture, Rect area)
      : FrameTools(context), picture_(picture), row_(query_row(context)) {
    const Trace& trace = session_.trace();
    for (const TensorId tensor : picture.tensors)
      if (!trace.has(tensor)) return;
    const TensorPicture last = rows_of(picture.tensors.back(), row_, trace);
    for (const Index feature : picture.pair)
      if (feature >= last.slice.columns()) return;
    rows_ = picture.rows;
    if (rows_.empty())
      for (Index row = 0; row < last.slice.rows(); ++row) rows_.push_back(row);
    std::erase_if(rows_, [&](Index row) { return row >= last.slice.rows(); });
    const std::vector<double> places = shown_places();
    for (std::size_t i = 0; i < rows_.size(); ++i) add(last, rows_[i], places[i], false);
    if (picture.tensors.size() > 1) add(rows_of(picture.tensors.front(), row_, trace), row_.query, places.back(), true);
    if (has_list()) {
      lists_below_ = has_list_below(context, area);
      list_ = lists_below_ ? area.cut_bottom(list_height) : area.cut_right(list_width);
      if (!lists_below_) area.cut_right(list_gap);
    }
    plane_ = area.inset(around_plane, around_plane);
    find_scale();
  }

  void draw() {
    if (arrows_.empty()) return;
    const std::vector<Words> words = words_at_tips();
    draw_plane(words);
    for (const Arrow& arrow : arrows_) draw_arrow(arrow);
    for (const Words& one : words)
      canvas_.text_in(one.box, one.words, one.strong ? TextStyle::control_strong : TextStyle::control, one.color,
                      Align::center);
    if (has_list()) draw_list();
  }

 private:
  bool has_list() const { return picture_.tensors.size() > 1 && session_.trace().has(TensorId::dot_products); }

  /// The places of the keys and of the query in this frame: on their way from the first place while the picture builds
  /// up, and from where they stood when a click or the next step moves them.
  std::vector<double> shown_places() {
    constexpr double seconds_per_place = 0.18, least = 0.3, most = 0.9;
    std::vector<double> places(rows_.begin(), rows_.end());
    places.push_back(static_cast<double>(session_.setup().past() + row_.query));
    if (context_.still) return places;
    TurningArrows& turning = context_.memory.get<TurningArrows>();
    const double built = context_.memory.get<Motion>().built();
    const LectureStep& now = session_.lesson().at;
    const bool goes_on = turning.to.size() == places.size() && turning.step.lecture == now.lecture &&
                         std::max(turning.step.index, now.index) - std::min(turning.step.index, now.index) <= 1;
    turning.step = now;
    if (built < 1 || !goes_on || ui_.memory().reduce_motion) {
      turning.from = turning.to = places;
      for (double& place : places) place *= eased_out(built);
      return places;
    }
    const auto shown = [&] {
      double farthest = 0;
      for (std::size_t i = 0; i < places.size(); ++i)
        farthest = std::max(farthest, std::abs(turning.to[i] - turning.from[i]));
      const double seconds = std::clamp(seconds_per_place * farthest, least, most);
      const double share = farthest > 0 ? std::min(1.0, (ui_.time() - turning.began) / seconds) : 1;
      std::vector<double> on_way = turning.from;
      for (std::size_t i = 0; i < on_way.size(); ++i) on_way[i] += (turning.to[i] - turning.from[i]) * eased_out(share);
      if (share < 1) ui_.request_frame();
      return share < 1 ? on_way : turning.to;
    };
    if (turning.to != places) {
      turning.from = shown();
      turning.to = places;
      turning.began = ui_.time();
    }
    return shown();
  }

  void add(const TensorPicture& matrix, Index row, double place, bool is_query) {
    const Setup& setup = session_.setup();
    const auto [across, up] = picture_.pair;
    Arrow arrow{
        .label = axis_label(matrix.tensor, false, row, session_).main(),
        .cell = matrix.cell_at({row, across}, setup),
        .to = {static_cast<float>(matrix.slice.value(row, across)), static_cast<float>(matrix.slice.value(row, up))},
        .role = axis_role(matrix.tensor, false),
        .hidden = session_.lesson().hides(matrix.cell_at({row, across}, setup), setup) ||
                  session_.lesson().hides(matrix.cell_at({row, up}, setup), setup),
        .is_query = is_query};
    arrow.to = turned(arrow.to, matrix.tensor, row, place);
    const bool drawable = std::isfinite(arrow.to.x) && std::isfinite(arrow.to.y);
    if (drawable) arrows_.push_back(std::move(arrow));
  }

  /// Where a rotated arrow would be at another place.
  Point turned(Point to, TensorId tensor, Index row, double place) const {
    const bool is_query = tensor == TensorId::Q_rotated;
    const auto own = static_cast<double>(session_.setup().past() * is_query + row);
    if ((!is_query && tensor != TensorId::K_rotated) || place == own) return to;
    const Setup& setup = session_.setup();
    const auto [across, up] = picture_.pair;
    const Index pair = setup.position.layout == PairLayout::half ? across : across / 2;
    const double angle = (place - own) / std::pow(setup.position.base, 2.0 * static_cast<double>(pair) /
                                                                           static_cast<double>(setup.d_head()));
    const double on = angle * (across < up ? 1 : -1);
    const auto cosine = static_cast<float>(std::cos(on)), sine = static_cast<float>(std::sin(on));
    return {cosine * to.x - sine * to.y, sine * to.x + cosine * to.y};
  }

  /// One unit for both features; the origin is in the plane, where the arrows leave room for it.
  void find_scale() {
    float left = 0, right = 0, below = 0, above = 0;
    for (const Arrow& arrow : arrows_) {
      if (arrow.hidden) continue;
      left = std::min(left, arrow.to.x);
      right = std::max(right, arrow.to.x);
      below = std::min(below, arrow.to.y);
      above = std::max(above, arrow.to.y);
    }
    if (const float radius = common_length(); radius > 0) {
      left = below = -radius;
      right = above = radius;
    }
    const float wide = std::max(right - left, 1e-6f);
    const float high = std::max(above - below, 1e-6f);
    unit_ = std::min(plane_.w / wide, plane_.h / high);
    if (right == left && above == below) unit_ = 1;
    origin_ = {plane_.center().x - unit_ * (left + right) / 2, plane_.center().y + unit_ * (below + above) / 2};
  }

  /// The length of the arrows, if all have the same: they end on a circle. 0 otherwise.
  float common_length() const {
    float length = 0;
    for (const Arrow& arrow : arrows_) {
      if (arrow.hidden) continue;
      const float own = std::hypot(arrow.to.x, arrow.to.y);
      if (length > 0 && std::abs(own - length) > 1e-4f * length) return 0;
      length = own;
    }
    return length;
  }

  Point at(Point p) const { return {origin_.x + unit_ * p.x, origin_.y - unit_ * p.y}; }

  /// Beyond one or more tips.
  struct Words {
    Point tip;
    std::string words;
    Color color;
    bool strong = false;
    Rect box = {};
  };

  /// Whether an arrow or the words at its tip would touch something here.
  bool is_free(const Rect& box, const std::vector<Words>& words) const {
    constexpr int samples = 24;
    for (const Words& one : words)
      if (!one.box.intersected(box).empty()) return false;
    for (const Arrow& arrow : arrows_)
      for (int i = 0; i <= samples && !arrow.hidden; ++i)
        if (box.contains(at(arrow.to * (static_cast<float>(i) / samples)))) return false;
    return true;
  }

  /// The name of the feature across: as far out along its axis as nothing else is there, below or above it, or with a
  /// line between where there is no room.
  void draw_name_across(const std::string& name, const Rect& reach, const std::vector<Words>& words) const {
    constexpr float high = 18;
    const float wide = canvas_.width(name, TextStyle::caption);
    std::vector<Rect> boxes;
    for (const float away : {4.0f, 8 + high})
      for (const float inwards : {0.0f, 0.2f, 0.4f, 0.6f})
        for (const float x : {reach.right() - wide - inwards * reach.w / 2, reach.x + inwards * reach.w / 2})
          for (const float y : {origin_.y + away, origin_.y - away - high}) boxes.push_back({x, y, wide, high});
    draw_name_in_one(name, boxes, words);
  }

  /// Likewise the name of the feature up: at an end of its axis, at the right or at the left of it.
  void draw_name_up(const std::string& name, const Rect& reach, const std::vector<Words>& words) const {
    constexpr float high = 18, beside = 6;
    const float wide = canvas_.width(name, TextStyle::caption);
    std::vector<Rect> boxes;
    for (const float inwards : {0.0f, 0.2f, 0.4f, 0.6f})
      for (const float y : {reach.y - 5 + inwards * reach.h / 2, reach.bottom() - high - inwards * reach.h / 2})
        for (const float x : {origin_.x + beside, origin_.x - beside - wide}) boxes.push_back({x, y, wide, high});
    draw_name_in_one(name, boxes, words);
  }

  /// In the first box where nothing is, or no words are; nowhere if there is none, as the other axis has its name.
  void draw_name_in_one(const std::string& name, const std::vector<Rect>& boxes,
                        const std::vector<Words>& words) const {
    const auto touches_words = [&](const Rect& box) {
      return std::ranges::any_of(words, [&](const Words& one) { return !one.box.intersected(box.outset(2)).empty(); });
    };
    auto place = std::ranges::find_if(boxes, [&](const Rect& box) { return is_free(box.outset(1), words); });
    if (place == boxes.end()) place = std::ranges::find_if_not(boxes, touches_words);
    if (place == boxes.end()) return;
    canvas_.text_in(*place, name, TextStyle::caption, theme_.text2);
  }

  void draw_plane(const std::vector<Words>& words) const {
    const Rect reach = plane_.outset(around_plane / 2);
    if (const float radius = common_length(); radius > 0)
      canvas_.circle(origin_, radius * unit_, theme_.line_strong, 1);
    canvas_.fill({reach.x, origin_.y, reach.w, 1}, theme_.line_strong);
    canvas_.fill({origin_.x, reach.y, 1, reach.h}, theme_.line_strong);
    const TensorId tensor = picture_.tensors.back();
    const auto name_of = [&](Index feature) {
      const std::string token = axis_label(tensor, true, feature, session_).token;
      return token.empty() ? fmt::format("feature {}", feature) : token;
    };
    draw_name_across(name_of(picture_.pair[0]), reach, words);
    draw_name_up(name_of(picture_.pair[1]), reach, words);
  }

  Color color_of(const Arrow& arrow) const { return theme_.identity(arrow.role, theme_.text2); }

  void draw_arrow(const Arrow& arrow) {
    if (arrow.hidden) return;
    const Point tip = at(arrow.to);
    const float length = std::hypot(tip.x - origin_.x, tip.y - origin_.y);
    const float width = arrow.is_query ? 3.5f : 2.0f;
    const Color color = color_of(arrow);
    if (length < 3) canvas_.disc(tip, 3, color);
    else {
      const Point direction{(tip.x - origin_.x) / length, (tip.y - origin_.y) / length};
      const float head = std::min(length / 2, arrow.is_query ? 13.0f : 10.0f);
      const Point back = tip - direction * head;
      const Point side{-direction.y * head * 0.45f, direction.x * head * 0.45f};
      canvas_.line(origin_, tip - direction * width, color, width);
      const Point left = back + side;
      const Point right = back - side;
      const std::vector<Point> point{left, tip, right};
      canvas_.polyline(point, color, width);
    }
    const Rect near{tip.x - tip_size / 2, tip.y - tip_size / 2, tip_size, tip_size};
    point_at_cell(context_, near, arrow.cell);
  }

  /// Arrows with the same tip share their words.
  std::vector<Words> words_at_tips() const {
    std::vector<Words> all;
    for (const Arrow& arrow : arrows_) {
      if (arrow.hidden) continue;
      const Point tip = at(arrow.to);
      const auto same = std::ranges::find_if(
          all, [&](const Words& one) { return std::hypot(one.tip.x - tip.x, one.tip.y - tip.y) < 14; });
      const std::string label = arrow.is_query ? fmt::format("query {}", arrow.label) : arrow.label;
      if (same == all.end()) all.push_back({tip, label, color_of(arrow), arrow.is_query});
      else {
        same->words += ", " + label;
        if (arrow.is_query) same->color = color_of(arrow);
        same->strong |= arrow.is_query;
      }
    }
    for (Words& one : all) {
      const TextStyle style = one.strong ? TextStyle::control_strong : TextStyle::control;
      one.box = place_at_tip(one.tip, canvas_.width(one.words, style), all);
    }
    return all;
  }

  /// Where words stand beyond their tip: in the direction of the arrow, or turned away from it as little as keeps them
  /// off other arrows and words.
  Rect place_at_tip(const Point& tip, float wide, const std::vector<Words>& others) const {
    const Point along = tip - origin_;
    const float own = std::atan2(along.y, along.x);
    std::vector<Rect> places;
    for (const float turn : {0.0f, 0.4f, -0.4f, 0.8f, -0.8f, 1.2f, -1.2f, 1.6f, -1.6f})
      places.push_back(box_beyond(tip, {std::cos(own + turn), std::sin(own + turn)}, wide));
    const auto free = std::ranges::find_if(places, [&](const Rect& box) { return is_free(box, others); });
    return free == places.end() ? places.front() : *free;
  }

  /// A box for words beyond a tip. One that would leave the picture is above or below the tip.
  Rect box_beyond(const Point& tip, const Point& direction, float wide) const {
    const Point middle{tip.x + direction.x * (10 + wide / 2), tip.y + direction.y * 14};
    Rect box{middle.x - wide / 2, middle.y - 9, wide + 1, 18};
    const Rect room = plane_.outset(around_plane);
    if (box.x >= room.x && box.right() <= room.right()) return box;
    box.x = std::clamp(box.x, room.x, std::max(room.x, room.right() - box.w));
    box.y = tip.y - 9 + (direction.y > 0 ? 20 : -20);
    return box;
  }

  /// The dot products of the query with the keys that have an arrow, below each other or in a row.
  void draw_list() {
    const auto count = static_cast<float>(std::max<std::size_t>(1, rows_.size()));
    const float pitch = std::min(highest_item, (list_.h - list_head) / count);
    const float top = lists_below_ ? list_.y : list_.y + std::max(0.0f, list_.h - list_head - pitch * count) / 3;
    const float numbers = 74;
    const Rect head{list_.x, top, list_.w, list_head};
    canvas_.text_in(head, "dot product", TextStyle::control, theme_.text2, lists_below_ ? Align::left : Align::right);
    const ColorScale scale = color_scale_of(context_, TensorId::dot_products, row_.head);
    const TensorPicture all = picture_in(
        context_, session_.trace(), {.tensor = TensorId::dot_products, .batch = row_.batch, .head = row_.head}, scale);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto place = static_cast<float>(i);
      Rect label{list_.x, top + list_head + pitch * place, list_.w - numbers - 8, pitch};
      Rect cell{list_.right() - numbers, label.y + 2, numbers, pitch - 4};
      if (lists_below_) {
        label = {list_.x + list_.w / count * place, top + list_head, list_.w / count - 4, 18};
        cell = {label.x, label.bottom(), label.w, list_.bottom() - label.bottom()};
      }
      const TensorPicture one = part_of(all, {IndexRange::one(row_.query), IndexRange::one(rows_[i])});
      canvas_.text_in(label, axis_label(picture_.tensors.back(), false, rows_[i], session_).main(), TextStyle::body,
                      theme_.identity(Role::key), lists_below_ ? Align::center : Align::right);
      TensorPicture flat = one;
      flat.transposed = false;
      PictureLight light = light_of(context_, flat);
      if (!session_.state().pinned && session_.state().hovered != session_.cell()) light.ring.reset();
      draw_cells(context_, fmt::format("dot product {}", rows_[i]), flat, flat.heatmap(cell, canvas_.scale()), light,
                 {.glides = false});
    }
  }

  const ArrowsPicture& picture_;
  QueryRow row_;
  std::vector<Index> rows_;
  std::vector<Arrow> arrows_;
  Rect plane_, list_;
  bool lists_below_ = false;
  Point origin_;
  float unit_ = 1;
};

}  // namespace

PictureFit fit_of(const ViewContext& context, const ArrowsPicture& picture, const Rect& area) {
  const bool lists = picture.tensors.size() > 1;
  const float side = side_of_plane(area, lists, lists && has_list_below(context, area));
  return {.cells = side >= least_plane ? Cells::comfortable : Cells::missing, .pitch = side / 6};
}

void draw_picture(ViewContext& context, const ArrowsPicture& picture, const Rect& area) {
  ArrowsDrawing(context, picture, area).draw();
}

}  // namespace headlight
