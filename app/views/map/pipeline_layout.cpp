#include "app/views/map/pipeline_layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "app/session/display/selection.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/graph.hpp"

namespace headlight {
namespace {

constexpr Index most_heads_shown = 16;
constexpr float letter_room = 16;  ///< to the left of the inputs and of Q, K and V, for their letters

/// Vertical positions in the strip, in design pixels from its top.
struct Rows {
  float heading;
  float operation;  ///< 0: none
  float shape;      ///< 0: none
  float query;      ///< middle of the query row
  float pitch;      ///< between the query, key and value rows
  float thumb;      ///< height of a thumbnail in a row
  float tall;       ///< height of a thumbnail on the main line
  float rail;       ///< of the residual stream, where there are several layers
  float joint;      ///< radius of a ⊕ on it
};
constexpr Rows roomy{27, 110, 150, 55, 34, 25, 44, 37, 5.5f};
constexpr Rows tight{19, 0, 106, 40, 23, 16, 30, 28, 4.5f};
constexpr Rows compact{20, 0, 0, 33, 12, 10, 20, 26, 3};
constexpr Rows names_only{21, 0, 0, 0, 0, 0, 0, 0, 0};

/// The tensors of one column of the map. `width` is its preferred width, before the columns are fitted into the strip.
struct MapColumn {
  std::vector<TensorId> tensors;
  float width;
  Phase phase;
  Rect box = {};  ///< the column's final area; only x and w are used
};

/// The lane of a tensor: queries, keys and values have one each until they meet. nullopt for tensors on the main line.
std::optional<int> lane_of(TensorId id) {
  switch (info(id).role) {
    case Role::query: return 0;
    case Role::key: return 1;
    case Role::value: return 2;
    default: return std::nullopt;
  }
}

bool is_parameter(TensorId id) { return info(id).kind == TensorKind::weight || info(id).kind == TensorKind::bias; }

/// The gain or the shift of a norm.
bool is_of_norm(TensorId id) { return info(id).kind == TensorKind::gain || info(id).kind == TensorKind::shift; }

/// Whether the tensor is neither an input nor computed from other tensors: a weight, a bias, or a table from the setup.
/// The map draws it on the wire to the tensor that reads it.
bool is_on_wire(TensorId id) { return info(id).kind != TensorKind::input && stage_of(id).operands.empty(); }

/// Whether the tensor is projected, or becomes the projected one when positions are added or its rows are normalised.
/// It is drawn beside the lanes.
bool is_input(TensorId id) { return is_before_projection(id) && !is_on_wire(id); }

/// Whether the tensor is the table of positions below X. In cross-attention it is on the wires of both inputs.
bool is_below_input(TensorId id, const Setup& setup) {
  return info(id).kind == TensorKind::encoding && is_before_projection(id) && !setup.is_cross();
}

/// Whether the tensor's letter is written beside it, because nothing else on the map names it.
bool has_letter(TensorId id, const Setup& setup) {
  if (is_input(id)) return info(id).kind == TensorKind::input || stage_of(id).phase == Phase::norm;
  return is_below_input(id, setup) || (lane_of(id) && !is_on_wire(id) && !info(id).has_heads());
}

/// Whether the stage adds to the residual stream.
bool joins_stream(const Stage& stage, const Setup& setup) {
  return stage.phase == Phase::block && stage.kind == StageKind::elementwise &&
         operand_at(stage, Operand::Slot::added, setup) != nullptr;
}

/// Whether the stream is from there on what the stage makes of it: a norm after the addition.
bool replaces_stream(const Stage& stage, const Setup& setup) {
  if (stage.kind != StageKind::norm || !setup.norms(NormPlacement::after)) return false;
  return joins_stream(stage_of(operand_at(stage, Operand::Slot::left, setup)->tensor), setup);
}

/// The number of columns to the left of each tensor's column.
using Depths = std::array<int, tensor_count>;

/// A tensor is to the right of all tensors that it is computed from. A tensor on a wire is one column before the first
/// tensor that reads it.
Depths depths_of(const Setup& setup) {
  Depths depths{};
  const auto depth = [&](TensorId id) -> int& { return depths[index_of(id)]; };
  for (const Stage& stage : stages()) {  // in this order operands are before results
    if (stage.operands.empty() || !exists(stage.result, setup)) continue;
    const auto operands = operands_of(stage, setup);
    const auto on_wire = [&](const Operand& operand) {
      return is_on_wire(operand.tensor) && !is_below_input(operand.tensor, setup);
    };
    const int step = std::ranges::any_of(operands, on_wire) ? 2 : 1;
    for (const Operand& operand : operands)
      if (!on_wire(operand)) depth(stage.result) = std::max(depth(stage.result), depth(operand.tensor) + step);
    for (const Operand& operand : operands)
      if (on_wire(operand) && depth(operand.tensor) == 0) depth(operand.tensor) = depth(stage.result) - 1;
  }
  return depths;
}

float natural_width(TensorId id) {
  const TensorInfo& tensor = info(id);
  const bool in_lane = lane_of(id).has_value();
  if (is_parameter(id) || is_of_norm(id)) return in_lane ? 26 : 32;
  if (is_input(id)) return 60;
  if (tensor.kind == TensorKind::encoding) return 44;
  if (tensor.has_heads()) return tensor.is_query_by_key() ? 86.0f : in_lane ? 66.0f : 84.0f;
  return in_lane ? 56 + letter_room : 64;
}

int depth_of(TensorId id, const Depths& depths) { return depths[index_of(id)]; }

/// The phase of a tensor's column: a gain and a shift are where their norm is, before or after attention.
Phase phase_of(TensorId id, const Setup& setup) {
  const auto readers = is_of_norm(id) ? consumers(id, setup) : std::vector<TensorId>{};
  return stage_of(readers.empty() ? id : readers.front()).phase;
}

std::vector<MapColumn> columns_of(const Setup& setup, const Depths& depths) {
  std::map<int, MapColumn> columns;
  for (const Stage& stage : stages()) {
    if (!exists(stage.result, setup)) continue;
    const auto [column, added] = columns.try_emplace(
        depth_of(stage.result, depths), MapColumn{{}, natural_width(stage.result), phase_of(stage.result, setup)});
    column->second.tensors.push_back(stage.result);
  }
  std::vector<MapColumn> in_order;
  for (auto& [depth, column] : columns) in_order.push_back(std::move(column));
  return in_order;
}

/// Spreads the columns over the width. Thumbnails shrink only when the gaps have their least width.
float spread(std::vector<MapColumn>& columns, const Rect& area) {
  const float margin = area.w < 800 ? 14 : 24;
  const float smallest_gap = area.w < 800 ? 10 : 15;
  const auto gaps = static_cast<float>(columns.size() - 1);
  float natural = 0;
  for (const MapColumn& column : columns) natural += column.width;
  const float room = area.w - 2 * margin;
  const float shrink = std::clamp((room - gaps * smallest_gap) / natural, 0.2f, 1.0f);
  const float gap = std::max(2.0f, (room - natural * shrink) / gaps);
  float x = area.x + margin;
  for (MapColumn& column : columns) {
    column.box = {x, 0, column.width * shrink, 0};
    x += column.box.w + gap;
  }
  return gap;
}

/// Width over height of the picture, limited so that it still looks like a thumbnail.
float aspect_of(TensorId id, const Setup& setup) {
  const Shape s = shape(id, setup);
  if (s.rank() == 1) return 6;
  auto columns = static_cast<float>(s.back(0));
  auto rows = static_cast<float>(s.back(1));
  if (shown_turned(id, setup)) std::swap(columns, rows);
  return std::clamp(columns / rows, 0.5f, 2.3f);
}

Rect fitted(const Rect& box, float aspect) {
  const float w = std::min(box.w, box.h * aspect);
  const float h = std::min(box.h, box.w / aspect);
  return {box.x + (box.w - w) / 2, box.y + (box.h - h) / 2, w, h};
}

/// Arranges `count` pictures of one aspect in a box, in as many columns as make them largest.
std::vector<Rect> grid(const Rect& box, Index count, float aspect) {
  const auto gap_of = [&](Index across) { return across <= 2 ? 5.0f : 3.0f; };
  const auto cell_of = [&](Index across) {
    const Index down = (count + across - 1) / across;
    const float gap = gap_of(across);
    return fitted({0, 0, (box.w - gap * static_cast<float>(across - 1)) / static_cast<float>(across),
                   (box.h - gap * static_cast<float>(down - 1)) / static_cast<float>(down)},
                  aspect);
  };
  Index across = 1;
  for (Index candidate = 2; candidate <= count; ++candidate) {
    // Full rows look better than a slightly larger picture.
    const float bonus = count % candidate == 0 ? 1.0f : 0.8f;
    const float best = cell_of(across).w * (count % across == 0 ? 1.0f : 0.8f);
    if (cell_of(candidate).w * bonus > best) across = candidate;
  }
  const Rect cell = cell_of(across);
  const float gap = gap_of(across);
  const Index down = (count + across - 1) / across;
  const float left = box.center().x - (static_cast<float>(across) * (cell.w + gap) - gap) / 2;
  const float top = box.center().y - (static_cast<float>(down) * (cell.h + gap) - gap) / 2;
  std::vector<Rect> cells;
  for (Index i = 0; i < count; ++i)
    cells.push_back({left + static_cast<float>(i % across) * (cell.w + gap),
                     top + static_cast<float>(i / across) * (cell.h + gap), cell.w, cell.h});
  return cells;
}

Rect around(const std::vector<MapThumb>& thumbs) {
  Rect all = thumbs.front().rect;
  for (const MapThumb& thumb : thumbs) all = all.joined(thumb.rect);
  return all;
}

MapTensor placed(TensorId id, const Rect& box, const Setup& setup, Index head) {
  MapTensor tensor{.id = id, .has_letter = has_letter(id, setup)};
  const float aspect = aspect_of(id, setup);
  const Shape s = shape(id, setup);
  const auto head_axis = info(id).head_axis();
  const Index heads = head_axis ? s[*head_axis] : 1;
  if (heads > most_heads_shown) {
    tensor.stacked = true;
    tensor.thumbs.push_back({head, fitted(box.inset(4, 2), aspect)});
  } else {
    const Index group = setup.sizes.heads / heads;  // query heads that share one key and value head
    const auto cells = grid(box, heads, aspect);
    for (Index i = 0; i < heads; ++i)
      tensor.thumbs.push_back({head_axis ? i * group : 0, cells[static_cast<std::size_t>(i)]});
  }
  tensor.bounds = around(tensor.thumbs);
  return tensor;
}

/// A weight with its bias, if it has one, as a thin strip below it.
void place_weight(std::vector<MapTensor>& tensors, TensorId weight, TensorId bias, Rect box, const Setup& setup) {
  const float strip = std::min(5.0f, 0.3f * box.h);
  if (!exists(bias, setup)) {
    tensors.push_back(placed(weight, box, setup, 0));
    return;
  }
  const Rect below = box.cut_bottom(strip);
  box.cut_bottom(std::min(3.0f, 0.2f * box.h));
  tensors.push_back(placed(weight, box, setup, 0));
  tensors.push_back({.id = bias, .thumbs = {{0, below}}, .bounds = below});
}

class Builder {
 public:
  Builder(const Rect& area, const Setup& setup, Index head)
      : area_(area),
        setup_(setup),
        head_(head),
        rows_(area.h < 60    ? names_only
              : area.h < 100 ? compact
              : area.h < 140 ? tight
                             : roomy),
        depths_(depths_of(setup)),
        columns_(columns_of(setup, depths_)) {
    gap_ = spread(columns_, area);
  }

  PipelineLayout build() {
    map_.heading_baseline = area_.y + rows_.heading;
    if (&rows_ == &names_only) {
      name_phases();
      return std::move(map_);
    }
    map_.operation_baseline = rows_.operation > 0 ? area_.y + rows_.operation : 0;
    map_.shape_baseline = rows_.shape > 0 ? area_.y + rows_.shape : 0;
    for (const MapColumn& column : columns_) place_column(column);
    place_phases();
    place_slots();
    if (setup_.sizes.layers > 1) begin_rail();
    connect();
    if (map_.rail) end_rail();
    return std::move(map_);
  }

 private:
  float row(int index) const { return area_.y + rows_.query + rows_.pitch * static_cast<float>(index); }
  float main_line() const { return (row(0) + row(1)) / 2; }
  Rect box(const MapColumn& column, float middle, float height) const {
    return {column.box.x, middle - height / 2, column.box.w, height};
  }
  void add(TensorId id, const Rect& box) { map_.tensors.push_back(placed(id, box, setup_, head_)); }

  void place_column(const MapColumn& column) {
    std::vector<TensorId> inputs;
    for (TensorId id : column.tensors) {
      if (is_input(id) || is_below_input(id, setup_)) inputs.push_back(id);
      else if (info(id).kind == TensorKind::weight) place_weight_in(column, id);
      else if (const auto shift = shift_of(id)) place_weight(map_.tensors, id, *shift, room_of(id, column), setup_);
      else if (info(id).kind == TensorKind::shift) continue;  // below the gain
      else if (!is_parameter(id)) add(id, room_of(id, column));
    }
    if (inputs.empty()) return;
    // Inputs are beside their lanes. X alone: the middle lane; with Y: X at the queries, Y at the keys and values; with
    // positions: X and P above and below the middle, where they are added.
    const bool upper = inputs.size() > 1 || (setup_.is_cross() && info(inputs.front()).has(Axis::token));
    const float higher = setup_.is_cross() ? row(0) : main_line();
    add(inputs.front(), without_letter(inputs.front(), box(column, upper ? higher : row(1), rows_.thumb)));
    if (inputs.size() > 1)
      add(inputs.back(), without_letter(inputs.back(), box(column, (row(1) + row(2)) / 2, rows_.thumb)));
  }

  void place_weight_in(const MapColumn& column, TensorId weight) {
    const auto lane = lane_of(weight);
    const Rect room = lane ? box(column, row(*lane), rows_.thumb) : box(column, main_line(), rows_.tall * 0.75f);
    place_weight(map_.tensors, weight, *bias_of(weight), room, setup_);
  }

  Rect room_of(TensorId id, const MapColumn& column) const {
    // On the wire of the inputs, or between their two wires. In cross-attention a norm is that of the queries' input.
    if (is_before_projection(id) && setup_.is_cross() && is_of_norm(id)) return box(column, row(0), rows_.thumb);
    if (is_before_projection(id))
      return box(column, setup_.is_cross() ? (main_line() + row(1)) / 2 : row(1), rows_.thumb);
    const auto lane = lane_of(id);
    if (!lane) return box(column, main_line(), rows_.tall);
    return without_letter(id, box(column, row(*lane), rows_.thumb));
  }

  Rect without_letter(TensorId id, Rect room) const {
    // The letters of the first column have the strip's margin.
    if (has_letter(id, setup_) && depth_of(id, depths_) > 0) room.cut_left(letter_room);
    return room;
  }

  void place_phases() {
    for (std::size_t i = 0; i < phases().size(); ++i) {
      MapPhase phase{.about = phases()[i]};
      float left = 0;
      float right = 0;
      for (const MapColumn& column : columns_) {
        if (column.phase != static_cast<Phase>(i)) continue;
        if (phase.tensors.empty()) left = column.box.x;
        right = column.box.right();
        phase.tensors.insert(phase.tensors.end(), column.tensors.begin(), column.tensors.end());
      }
      if (phase.tensors.empty()) continue;
      const float reach = std::min(gap_ / 2, 14.0f);
      phase.text_x = left;
      phase.area = {left - reach, area_.y + 6, right - left + 2 * reach, area_.h - 12};
      map_.phases.push_back(std::move(phase));
    }
  }

  /// Writes the names of the phases side by side, without pictures.
  void name_phases() {
    place_phases();
    const float width = (area_.w - 16) / static_cast<float>(map_.phases.size());
    float x = area_.x + 8;
    for (MapPhase& phase : map_.phases) {
      phase.area = {x, area_.y + 2, width, area_.h - 4};
      phase.text_x = x + 10;
      x += width;
    }
  }

  void place_slots() {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Rect& here = columns_[i].box;
      const float left = i == 0 ? area_.x + 4 : (columns_[i - 1].box.right() + here.x) / 2;
      const bool beside_climb = i + 1 < columns_.size() && climbs_to(columns_[i + 1].tensors.front());
      const float right = beside_climb               ? here.right() + gap_ / 2 - 6
                          : i + 1 == columns_.size() ? area_.right() - 4
                                                     : (here.right() + columns_[i + 1].box.x) / 2;
      for (MapTensor& tensor : map_.tensors) {
        if (std::find(columns_[i].tensors.begin(), columns_[i].tensors.end(), tensor.id) == columns_[i].tensors.end())
          continue;
        tensor.slot_left = left;
        tensor.slot_right = right;
      }
    }
  }

  Point out_of(TensorId id) const {
    const Rect& r = map_.find(id)->bounds;
    return {r.right() + 3, r.center().y};
  }
  Point into(TensorId id, float dy = 0) const {
    const Rect& r = map_.find(id)->bounds;
    return {r.x - (has_letter(id, setup_) ? letter_room + 2 : 4), r.center().y + dy};
  }
  void wire(Point from, Point to, Role role, MapWire::Path path = MapWire::Path::direct) {
    map_.wires.push_back({from, to, role, path});
  }

  float middle_of(TensorId id) const { return map_.find(id)->bounds.center().x; }
  /// Upright between the rail and the picture of a tensor.
  void hang(TensorId id, bool reads) {
    const Point above{middle_of(id), map_.rail->y}, below{above.x, map_.find(id)->bounds.y - 3};
    if (reads) wire(above, below, Role::neutral, MapWire::Path::upright);
    else wire(below, above, Role::neutral, MapWire::Path::upright);
  }

  /// The stream comes from the layer below, or begins with what the first layer reads.
  void begin_rail() {
    map_.rail = MapRail{.y = area_.y + rows_.rail, .joint = rows_.joint, .pieces = {}, .joints = {}};
    const TensorId first = setup_.is_first() ? TensorId::resid_pre : TensorId::X;
    hang(first, !setup_.is_first());
    map_.rail->pieces.push_back({setup_.is_first() ? middle_of(first) : area_.x, 0});
  }

  /// It goes on to the layer above, or ends at the last that hangs from it.
  void end_rail() {
    if (!setup_.is_last()) map_.rail->pieces.back().to = area_.right();
    else if (map_.rail->pieces.back().to == 0) map_.rail->pieces.pop_back();  // the last norm makes what leaves
  }

  /// What is added climbs to a ⊕ before the picture of the sum, which hangs from the rail.
  void join_stream(const Stage& stage) {
    const TensorId added = operand_at(stage, Operand::Slot::added, setup_)->tensor;
    const Point out = out_of(added);
    const float joint = (out.x + map_.find(stage.result)->bounds.x) / 2;
    map_.rail->joints.push_back(joint);
    wire(out, {joint, map_.rail->y + map_.rail->joint}, info(added).role, MapWire::Path::to_rail);
    hang(stage.result, true);
    map_.rail->pieces.back().to = middle_of(stage.result);
  }

  /// A norm reads the sum, and what it makes of it is the stream from there on.
  void replace_stream(const Stage& stage) {
    hang(stage.result, false);
    map_.rail->pieces.push_back({middle_of(stage.result), 0});
  }

  void connect() {
    for (const Stage& stage : stages()) {
      if (stage.operands.empty() || map_.find(stage.result) == nullptr) continue;
      if (map_.rail && joins_stream(stage, setup_)) {
        join_stream(stage);
        continue;
      }
      if (map_.rail && replaces_stream(stage, setup_)) replace_stream(stage);
      const auto operands = operands_of(stage, setup_);
      const auto between = std::ranges::find_if(
          operands, [&](const Operand& o) { return is_on_wire(o.tensor) && !is_below_input(o.tensor, setup_); });
      // A table that is looked up is all that the rows are made of.
      const bool alone =
          between != operands.end() && between != operands.begin() && consumers(between->tensor, setup_).size() == 1;
      if (alone) connect_through(operands.front().tensor, between->tensor, stage.result);
      else connect_all(operands, stage.result);
    }
  }

  /// Wires an operand to the result through the picture of a tensor on the wire, such as a weight. Both wires are
  /// level, even if the pictures are not.
  void connect_through(TensorId from, TensorId between, TensorId to) {
    const bool in_lane = lane_of(to).has_value() || is_input(to);
    const float y = in_lane ? map_.find(to)->bounds.center().y : main_line();
    const auto level = [&](Point p) { return Point{p.x, y}; };
    const Point start = in_lane ? out_of(from) : level(out_of(from));
    wire(start, level(into(between)), in_lane ? info(to).role : Role::neutral);
    wire(level(out_of(between)), level(into(to)), info(to).role);
  }

  /// Two lanes meet a little above and below the tensor's middle. A wire that has to pass other columns arrives from
  /// below.
  void connect_all(const std::vector<Operand>& operands, TensorId to) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const TensorId from = operands[i].tensor;
      const Role role = info(from).role;
      if (lane_of(to)) {
        wire(out_of(from), {into(to).x, map_.find(from)->bounds.center().y}, role);
      } else if (climbs(from, to)) {
        wire(out_of(from), into(to, rows_.tall * 0.36f), role, MapWire::Path::underneath);
      } else {
        const bool meets_another = operands.size() > 1 && (lane_of(from) || is_before_projection(to));
        wire(out_of(from), into(to, !meets_another ? 0 : i == 0 ? -6.0f : 6.0f), role);
      }
    }
  }

  /// Whether a wire leaves its lane with other columns in between. Then it passes underneath them and climbs.
  bool climbs(TensorId from, TensorId to) const {
    return lane_of(from) && !lane_of(to) && depth_of(to, depths_) - depth_of(from, depths_) > 1;
  }
  bool climbs_to(TensorId to) const {
    return std::ranges::any_of(operands_of(stage_of(to), setup_),
                               [&](const Operand& operand) { return climbs(operand.tensor, to); });
  }

  Rect area_;
  const Setup& setup_;
  Index head_;
  const Rows& rows_;
  Depths depths_;
  std::vector<MapColumn> columns_;
  float gap_ = 0;
  PipelineLayout map_;
};

}  // namespace

bool MapPhase::holds(TensorId id) const { return std::find(tensors.begin(), tensors.end(), id) != tensors.end(); }

const MapTensor* PipelineLayout::find(TensorId id) const {
  const auto found = std::find_if(tensors.begin(), tensors.end(), [&](const MapTensor& t) { return t.id == id; });
  return found == tensors.end() ? nullptr : &*found;
}

Index map_columns(const Setup& setup) { return static_cast<Index>(columns_of(setup, depths_of(setup)).size()); }

PipelineLayout pipeline_layout(const Rect& area, const Setup& setup, Index head) {
  return Builder(area, setup, head).build();
}

}  // namespace headlight
