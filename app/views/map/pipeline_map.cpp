#include "app/views/map/pipeline_map.hpp"
#include "app/views/base/frame_tools.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/heatmap/heatmap_renderer.hpp"
#include "app/session/actions/actions.hpp"
#include "app/session/edits/own_numbers.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/session/studies/learning.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/layout.hpp"
#include "app/views/base/perform.hpp"
#include "app/views/map/layer_tiles.hpp"
#include "app/views/map/pipeline_layout.hpp"
#include "app/views/map/pipeline_words.hpp"
#include "app/views/menus/context_menu.hpp"
#include "app/views/tensors/asked_cells.hpp"
#include "app/views/tensors/tensor_picture.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/edits.hpp"
#include "core/stages/explain.hpp"

namespace headlight {
namespace {

/// The room taken by labels on one line, so that none overlap.
class TakenRoom {
 public:
  bool take(float left, float right) {
    const auto overlaps = [&](const std::array<float, 2>& o) { return left < o[1] && o[0] < right; };
    if (std::any_of(taken_.begin(), taken_.end(), overlaps)) return false;
    taken_.push_back({left, right});
    return true;
  }

 private:
  std::vector<std::array<float, 2>> taken_;
};

class Map : FrameTools {
 public:
  /// `area`: of the layer's block.
  Map(ViewContext& context, const Rect& area)
      : FrameTools(context),
        area_(area),
        backward_(is_gradient(context.session.selection().tensor)),
        layout_(pipeline_layout(area, context.session.setup(), context.session.selection().head)) {}

  const PipelineLayout& layout() const { return layout_; }

  void draw() {
    draw_phases();
    if (layout_.tensors.empty()) return;
    if (layout_.rail) draw_rail(*layout_.rail);
    for (const MapWire& wire : layout_.wires) draw_wire(wire);
    if (layout_.rail)
      for (const float x : layout_.rail->joints) draw_joint(canvas_, {x, layout_.rail->y}, layout_.rail->joint);
    draw_letters();
    context_.ui.begin_list("tensors");
    for (const MapTensor& tensor : layout_.tensors) draw_tensor(tensor);
    context_.ui.end_list();
    draw_operations();
    draw_shapes();
    if (session_.setup().has_attention_alone()) say_what_is_missing();
  }

 private:
  /// The tensor that the view below shows.
  TensorId shown() const { return shown_in(session_.display().view, session_.selection().tensor); }
  /// The tensor that the map shows at a tensor's position: backward its gradient.
  TensorId there(TensorId id) const { return backward_ ? gradient_of(id) : id; }
  bool selected(TensorId id) const { return without_gradient(shown()) == id; }
  /// Nothing is marked that a question asks for.
  bool marked(TensorId id) const { return selected(id) && !points_at_answer(session_); }

  void draw_phases() {
    const TextStyle number_style = TextStyle::code;
    for (std::size_t i = 0; i < layout_.phases.size(); ++i) {
      const MapPhase& phase = layout_.phases[i];
      const bool lit = phase.holds(without_gradient(shown()));
      const Rect heading{phase.area.x, phase.area.y, phase.area.w, layout_.heading_baseline - phase.area.y + 6};
      context_.ui.push_id(static_cast<int>(i));
      const Item item = context_.ui.item("stage", heading, {.focusable = false});
      if (lit) {
        canvas_.fill(phase.area, theme_.raised, 8);
        canvas_.fill({phase.area.x, phase.area.y, phase.area.w, 3}, theme_.lamp, 1.5f);
      }
      const float x = phase.text_x;
      const std::string number = std::to_string(i + 1);
      const float width =
          canvas_.text({x, layout_.heading_baseline}, number, number_style, lit ? theme_.lamp : theme_.text3);
      const TextStyle style = lit ? TextStyle::control_strong : TextStyle::control;
      const float next = i + 1 < layout_.phases.size() ? layout_.phases[i + 1].text_x : area_.right();
      if (x + width + 7 + canvas_.width(phase.about.title, style) <= next - 8) {
        const Color color = lit || item.hovered ? theme_.text : theme_.text2;
        canvas_.text({x + width + 7, layout_.heading_baseline}, phase.about.title, style, color);
      }
      if (item.clicked) Selecting(session_).look_at(there(phase.tensors.back()));
      context_.ui.tooltip(item, fmt::format("{}: {}", phase.about.title, phase.about.sentence));
      context_.ui.pop_id();
    }
  }

  /// Beside weights that are all there is.
  void say_what_is_missing() {
    Rect room = area_;
    room.cut_left(layout_.tensors.front().bounds.right() + 40 - area_.x);
    canvas_.text_in(room.inset(0, 8), "Only the weights of this layer are known: nothing before them, nothing after.",
                    TextStyle::control, theme_.text2);
  }

  void draw_rail(const MapRail& rail) {
    canvas_.stroke(area_.inset(2, 3), theme_.line_strong, 1, 8);
    for (const MapRail::Piece& piece : rail.pieces) draw_rail_piece(canvas_, piece, rail.y, backward_);
  }

  void draw_wire(const MapWire& wire) {
    const Color color = theme_.identity(wire.role);
    if (wire.path == MapWire::Path::upright) return draw_upright(wire);
    if (wire.path == MapWire::Path::to_rail) return draw_to_rail(wire, color);
    if (backward_) return draw_wire_back(wire, color);
    const Point tip{wire.to.x - 1, wire.to.y};
    if (wire.path == MapWire::Path::direct) {
      canvas_.wire(wire.from, {tip.x - 3, tip.y}, color);
    } else {
      const Point bend{wire.to.x - 26, wire.from.y};
      canvas_.line(wire.from, bend, color, 1.5f);
      canvas_.bezier(bend, {bend.x + 16, bend.y}, {tip.x - 15, tip.y}, {tip.x - 3, tip.y}, color);
    }
    canvas_.triangle(tip, Pointing::right, color, 3.5f);
  }

  void draw_upright(const MapWire& wire) {
    const Color color = theme_.text3;
    if (backward_) draw_dashes({wire.from, wire.from, wire.to, wire.to}, color);
    else canvas_.line(wire.from, wire.to, color, 1.5f);
    const Point& tip = backward_ ? wire.from : wire.to;
    const bool up = backward_ != (wire.to.y < wire.from.y);
    canvas_.triangle({tip.x, tip.y + (up ? 2.0f : -2.0f)}, up ? Pointing::up : Pointing::down, color, 3.5f);
  }

  /// To the right, then up.
  void draw_to_rail(const MapWire& wire, Color color) {
    const std::array<Point, 4> path{wire.from, {wire.to.x, wire.from.y}, {wire.to.x, wire.from.y}, wire.to};
    if (!backward_) return canvas_.bezier(path[0], path[1], path[2], path[3], color, 1.5f);
    draw_dashes(path, color);
    canvas_.triangle({wire.from.x + 3, wire.from.y}, Pointing::left, color, 3.5f);
  }

  /// Dashed, with the arrowhead at the start of the forward wire.
  void draw_wire_back(const MapWire& wire, Color color) {
    const Point tip{wire.from.x + 3, wire.from.y};
    const Point from{tip.x + 3, tip.y};
    if (wire.path == MapWire::Path::direct) {
      const float reach = std::abs(wire.to.x - from.x) / 2;
      draw_dashes({from, {from.x + reach, from.y}, {wire.to.x - reach, wire.to.y}, wire.to}, color);
    } else {
      const Point bend{wire.to.x - 26, wire.from.y};
      draw_dashes({from, from, bend, bend}, color);
      draw_dashes({bend, {bend.x + 16, bend.y}, {wire.to.x - 15, wire.to.y}, wire.to}, color);
    }
    canvas_.triangle(tip, Pointing::left, color, 3.5f);
  }

  /// A cubic curve in dashes of 4 with gaps of 3.
  void draw_dashes(const std::array<Point, 4>& p, Color color) {
    constexpr float dash = 4, gap = 3;
    const int pieces = 8 + static_cast<int>(std::abs(p[3].x - p[0].x) + std::abs(p[3].y - p[0].y));
    const auto at = [&](float t) {
      const float s = 1 - t;
      return p[0] * (s * s * s) + p[1] * (3 * s * s * t) + p[2] * (3 * s * t * t) + p[3] * (t * t * t);
    };
    float length = 0;  // since the last dash began
    std::vector<Point> points{p[0]};
    for (int i = 1; i <= pieces; ++i) {
      const Point next = at(static_cast<float>(i) / static_cast<float>(pieces));
      const Point last = at(static_cast<float>(i - 1) / static_cast<float>(pieces));
      length += std::hypot(next.x - last.x, next.y - last.y);
      if (length < dash && !points.empty()) points.push_back(next);
      if (length >= dash && points.size() > 1) canvas_.polyline(points, color, 1.5f);
      if (length >= dash) points.clear();
      if (length < dash + gap) continue;
      length = 0;
      points = {next};
    }
    if (points.size() > 1) canvas_.polyline(points, color, 1.5f);
  }

  void draw_letters() {
    for (const MapTensor& tensor : layout_.tensors) {
      if (!tensor.has_letter) continue;
      const Rect& r = tensor.bounds;
      canvas_.text_in({r.x - 16, r.y, 12, r.h}, name(tensor.id), TextStyle::control_strong,
                      theme_.identity(info(tensor.id).role, theme_.text2), Align::center);
    }
  }

  void draw_tensor(const MapTensor& tensor) {
    if (tensor.id == TensorId::loss) return draw_loss(tensor);
    const Role role = info(tensor.id).role;
    const float smallest = std::min(tensor.thumbs.front().rect.w, tensor.thumbs.front().rect.h);
    const bool small = smallest < 15;
    if (tensor.stacked) draw_stack(tensor.thumbs.front().rect, frame_color(role));
    context_.ui.push_id(name(tensor.id));
    for (const MapThumb& thumb : tensor.thumbs) draw_thumb(tensor, thumb, role, small);
    context_.ui.pop_id();
    if (small && tensor.thumbs.size() > 1) canvas_.stroke(tensor.bounds.outset(3), frame_color(role), 1, 3);
  }

  /// The loss is one number, on a card.
  void draw_loss(const MapTensor& tensor) {
    const std::string text = fmt::format("{:.4f}", mean_of_loss());
    const bool high = layout_.shape_baseline > 0;
    const TextStyle style = high ? TextStyle::mono_strong : TextStyle::code_strong;
    const float width = canvas_.width(text, style) + 10;
    const Point middle = tensor.bounds.center();
    const float left = std::min(middle.x - width / 2, area_.right() - width - 4);
    const Rect card{left, middle.y - (high ? 14.0f : 10.0f), width, high ? 28.0f : 20.0f};
    canvas_.fill(card, theme_.raised, 5);
    const bool lit = marked(TensorId::loss);
    const Item item = context_.ui.item("loss", card);
    if (item.focused) canvas_.focus_ring(card);
    context_.ui.say_control(item, "loss", "button");
    const Color frame = lit ? theme_.lamp : item.hovered ? theme_.text : theme_.identity(Role::output);
    if (backward_ && !lit) canvas_.dashed(card, frame, 1.2f, 5);
    else canvas_.stroke(card, frame, lit ? 2 : 1.2f, 5);
    canvas_.text_in(card, text, style, theme_.text, Align::center);
    if (item.clicked) Selecting(session_).look_at(there(TensorId::loss));
    context_.ui.tooltip(item, fmt::format("The loss: the mean of −log p over everything that is asked\n{}",
                                          info(TensorId::loss).about));
  }

  double mean_of_loss() const { return verdict_of(session_.model_trace().last()).loss; }

  Color frame_color(Role role) const { return theme_.identity(role, theme_.line_strong); }

  /// The edges of further pictures behind the one that represents all heads.
  void draw_stack(const Rect& r, Color color) {
    for (float d : {4.0f, 2.0f}) {
      canvas_.fill(r.moved(d + 1, -d - 1), theme_.panel, 3);
      canvas_.stroke(r.moved(d + 1, -d - 1).outset(1), color, 1, 3);
    }
  }

  void draw_thumb(const MapTensor& tensor, const MapThumb& thumb, Role role, bool small) {
    const TensorId id = tensor.id;
    const TensorPicture picture = picture_of(context_, there(id), session_.selection().batch, thumb.head);
    const HeatmapShape cells{picture.slice.rows(), picture.slice.columns(), picture.transposed};
    const HeatmapLayout layout(thumb.rect, cells, canvas_.scale(), 0.0f);
    context_.heatmaps.draw(canvas_, {picture.slice, picture.scale, layout, picture.reduction});
    draw_asked_cells(context_, {.tensor = picture.tensor, .batch = picture.batch, .head = picture.head}, {}, layout);

    context_.ui.push_id(static_cast<int>(thumb.head));
    const Item item = context_.ui.item("thumb", thumb.rect.outset(2));
    if (item.focused) {
      canvas_.focus_ring(thumb.rect.outset(2), 4);
      context_.ui.say(tooltip_of(tensor, thumb));
    }
    const bool lit = marked(id) && shows_selected_head(tensor, thumb);
    const bool neutral = role == Role::neutral;
    const float pad = small ? 1 : neutral ? 1 : 2;
    if (lit) canvas_.stroke(thumb.rect.outset(pad + 2), theme_.lamp, 2, 4);
    else if (backward_ && !item.hovered && (!small || tensor.thumbs.size() == 1))
      canvas_.dashed(thumb.rect.outset(pad + 1), neutral ? theme_.outline : frame_color(role), 1.2f, 3);
    else if (item.hovered) canvas_.stroke(thumb.rect.outset(pad), theme_.text, 1.5f, 3);
    else if (!small || tensor.thumbs.size() == 1)
      canvas_.stroke(thumb.rect.outset(pad), frame_color(role), neutral ? 1 : 1.5f, 3);
    if (reached_[index_of(id)]) {
      canvas_.disc({thumb.rect.right() + 1, thumb.rect.y - 1}, small ? 3.0f : 4.5f, theme_.panel);
      canvas_.disc({thumb.rect.right() + 1, thumb.rect.y - 1}, small ? 2.0f : 3.5f, theme_.changed);
    }
    if (item.clicked) {
      if (info(id).has_heads() && !tensor.stacked) Selecting(session_).select_head(thumb.head);
      Selecting(session_).look_at(there(id));
    }
    offer_menu(context_, thumb.rect.outset(2),
               tensor_target(session_, there(id), tensor.stacked ? session_.selection().head : thumb.head));
    context_.ui.tooltip(item, item.hovered ? tooltip_of(tensor, thumb) : std::string());
    context_.ui.pop_id();
  }

  bool shows_selected_head(const MapTensor& tensor, const MapThumb& thumb) const {
    if (!info(tensor.id).has_heads() || tensor.stacked) return true;
    const Setup& setup = session_.setup();
    if (!info(tensor.id).has_kv_heads()) return thumb.head == session_.selection().head;
    return setup.kv_head_of(thumb.head) == setup.kv_head_of(session_.selection().head);
  }

  std::string tooltip_of(const MapTensor& tensor, const MapThumb& thumb) const {
    const TensorInfo& about = info(there(tensor.id));
    std::string title(about.name);
    if (about.has_heads()) {
      const Setup& setup = session_.setup();
      const bool shared = about.has_kv_heads() && setup.kv_heads() != setup.sizes.heads;
      title +=
          ", " + (shared ? fmt::format("kv head {}", setup.kv_head_of(thumb.head)) : head_words(thumb.head, setup));
    }
    return fmt::format("{}  {}\n{}", title, shape(tensor.id, session_.setup()).to_string(),
                       words_about(about.id, session_.setup()));
  }

  void draw_operations() {
    if (layout_.operation_baseline <= 0) return;
    for (const MapTensor& tensor : layout_.tensors)
      if (!draw_operation(tensor, false)) draw_operation(tensor, true);
  }

  /// Writes the operation below its tensor. Returns false if there is no room for it.
  bool draw_operation(const MapTensor& tensor, bool brief) {
    const auto words = backward_ ? backward_operation_of(tensor.id, session_.setup())
                                 : operation_of(tensor.id, session_.setup(), session_.selection().batch, brief);
    const bool said = tensor.has_letter && stage_of(tensor.id).kind == StageKind::given;  // by its letter
    if (words.empty() || said) return true;
    std::vector<Run> runs;
    const bool lit = marked(tensor.id);
    for (const OperationWord& word : words) {
      const Color color = theme_.identity(word.role, lit ? theme_.text : theme_.text2);
      runs.push_back(
          {word.text, word.strong || lit ? TextStyle::caption_strong : TextStyle::caption, color, word.script});
    }
    const float width = canvas_.width(runs);
    if (width + 6 > tensor.slot_right - tensor.slot_left) return false;
    const float left = std::clamp(tensor.bounds.center().x - width / 2, tensor.slot_left, tensor.slot_right - width);
    // The input may be lower than the main line; its words are below it.
    const float below = tensor.bounds.bottom() + 16;
    canvas_.rich({left, std::max(layout_.operation_baseline, below)}, runs);
    return true;
  }

  /// The line of shapes, without blanks if all shapes would not fit otherwise: "(32,8,10,64)".
  void draw_shapes() {
    if (layout_.shape_baseline <= 0) return;
    const bool close = !write_shapes(false, false);
    write_shapes(close, true);
  }

  /// Writes the shapes, or only tries. Returns whether there is room for all. The selected tensor's is written first.
  bool write_shapes(bool close, bool draw) {
    const float gap = close ? 2 : 4;
    TakenRoom room;
    std::vector<float> written;  // the middles of columns with a shape: Q, K and V share one
    const auto write = [&](const MapTensor& tensor) {
      const bool lit = marked(tensor.id);
      std::string text = shape(tensor.id, session_.setup()).to_string();
      if (close) std::erase(text, ' ');
      const TextStyle style = lit ? TextStyle::code_strong : TextStyle::code;
      const float width = canvas_.width(text, style);
      const float left = std::clamp(tensor.bounds.center().x - width / 2, area_.x + 6, area_.right() - 6 - width);
      const float middle = tensor.bounds.center().x;
      const auto here = [&](float other) { return std::abs(other - middle) < 12; };
      if (std::ranges::any_of(written, here)) return true;
      if (!room.take(left - gap, left + width + gap)) return false;
      written.push_back(middle);
      if (draw) canvas_.text({left, layout_.shape_baseline}, text, style, lit ? theme_.text : theme_.text3);
      return true;
    };
    bool all = true;
    if (const MapTensor* tensor = layout_.find(without_gradient(shown()))) all = write(*tensor);
    // The shape of a bias is left out, because its weight's implies it.
    for (const MapTensor& tensor : layout_.tensors)
      if (!selected(tensor.id) && info(tensor.id).kind != TensorKind::bias) all = write(tensor) && all;
    return all;
  }

  Rect area_;
  bool backward_;
  PipelineLayout layout_;
  std::array<bool, tensor_count> reached_ =
      reached(session_.setup(), original_values(session_));  ///< by numbers that were given by hand
};

// --- The switch between forward and backward -------------------------------------------------------------------------

constexpr float with_words = 132;
constexpr float with_arrows = 66;
constexpr float least_for_words = 1180;  ///< of the map
constexpr float switch_margin = 16;

/// The width of the switch in a map of this size.
float direction_switch_width(const Rect& map) { return map.w >= least_for_words ? with_words : with_arrows; }

void draw_direction_switch(ViewContext& context, Rect area) {
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Theme& theme = canvas.theme();
  const bool words = area.w >= with_words;
  const bool back = is_gradient(context.session.selection().tensor);
  const float each = area.h < 100 ? 24 : 28;
  const Rect frame{area.x + switch_margin, area.center().y - each - 2 - (area.h > 140 ? 4.0f : 0.0f),
                   area.w - switch_margin - 4, 2 * each + 4};
  canvas.fill(frame, theme.field, 6);
  canvas.stroke(frame, theme.control, 1, 6);
  ui.push_id("direction");
  for (const bool backward : {false, true}) {
    const Rect half{frame.x + 2, frame.y + 2 + (backward ? each : 0), frame.w - 4, each};
    const Item item = ui.item(backward ? "backward" : "forward", half);
    const bool on = backward == back;
    ui.say_control(item, backward ? "Gradients" : "Numbers", "switch", on ? "on" : "off");
    if (on) canvas.fill(half, theme.hover, 4);
    if (on) canvas.stroke(half, theme.outline, 1, 4);
    const Color ink = on || item.hovered ? theme.text : theme.text3;
    const float x = words ? half.x + 8 : half.center().x - 8;
    canvas.icon(backward ? Icon::backward : Icon::forward, {x, half.center().y - 8}, ink);
    if (words)
      canvas.text_in({half.x + 30, half.y, half.w - 32, half.h}, backward ? "Backward" : "Forward",
                     on ? TextStyle::control_strong : TextStyle::control, ink);
    if (item.focused) canvas.focus_ring(half);
    ui.tooltip(item,
               backward ? "Backward: the gradient of each number, that is, how the loss changes with it"
                        : "Forward: the numbers",
               "G");
    if (item.clicked && !on) perform(context, *action_named("gradient.toggle"));
  }
  ui.pop_id();
  if (area.h <= 140) return;
  if (!words) canvas.text({frame.x, area.y + 27}, back ? "Backward" : "Forward", TextStyle::control, theme.text2);
  canvas.text({frame.x, area.y + 150}, back ? "gradients" : "values", TextStyle::caption, theme.text3);
}

}  // namespace

void draw_pipeline_map(ViewContext& context, Rect area) {
  const bool turns = context.session.setup().has_task() && area.h >= compact_map_height;
  if (turns) draw_direction_switch(context, area.cut_left(direction_switch_width(area)));
  const Setup& setup = context.session.setup();
  if (setup.sizes.layers == 1) return Map(context, area).draw();
  const Accordion accordion = accordion_of(area, setup, map_columns(setup));
  Map map(context, accordion.block);
  draw_layer_tiles(context, accordion, map.layout());
  map.draw();
}

}  // namespace headlight
