#include "app/views/map/pipeline_layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "app/session/selection.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

constexpr Index most_heads_shown = 16;
constexpr float letter_room = 16;  ///< left of Q, K and V, for their letters

/// Heights, measured from the top of the strip.
struct Rows {
  float heading;
  float operation;  ///< 0: none
  float shape;
  float query;  ///< middle of the query row
  float pitch;  ///< to the key row, and to the value row
  float thumb;  ///< height of a thumbnail in a row
  float tall;   ///< height of a thumbnail on the main line
};
constexpr Rows roomy{27, 110, 150, 55, 34, 25, 44};
constexpr Rows tight{19, 0, 106, 40, 23, 16, 30};
constexpr Rows names_only{21, 0, 0, 0, 0, 0, 0};

/// The tensors of one column, as wide as `width` before everything is fitted.
struct Column {
  std::vector<TensorId> tensors;
  float width;
  std::size_t stage;
  Rect box = {};  ///< only x and w count
};

std::vector<Column> columns_of(const Setup& setup) {
  using enum TensorId;
  std::vector<Column> columns{
      {{X, Y}, 60, 0},
      {{W_q, b_q, W_k, b_k, W_v, b_v}, 26, 1},
      {{Q, K, V}, 56 + letter_room, 1},
      {{Q_heads, K_heads, V_heads}, 66, 2},
      {{dot_products}, 86, 3},
      {{scores}, 86, 3},
      {{masked_scores}, 86, 3},
      {{weights}, 86, 4},
      {{dropped_weights}, 86, 4},
      {{context}, 84, 5},
      {{concat}, 64, 6},
      {{W_o, b_o}, 32, 7},
      {{output}, 64, 7},
  };
  for (Column& column : columns) std::erase_if(column.tensors, [&](TensorId id) { return !exists(id, setup); });
  std::erase_if(columns, [](const Column& column) { return column.tensors.empty(); });
  return columns;
}

/// Spreads the columns over the width: thumbnails shrink only when the gaps are as small as they may get.
float spread(std::vector<Column>& columns, const Rect& area) {
  const float margin = area.w < 800 ? 14 : 24;
  const float smallest_gap = area.w < 800 ? 10 : 15;
  const auto gaps = static_cast<float>(columns.size() - 1);
  float natural = 0;
  for (const Column& column : columns) natural += column.width;
  const float room = area.w - 2 * margin;
  const float shrink = std::clamp((room - gaps * smallest_gap) / natural, 0.2f, 1.0f);
  const float gap = std::max(2.0f, (room - natural * shrink) / gaps);
  float x = area.x + margin;
  for (Column& column : columns) {
    column.box = {x, 0, column.width * shrink, 0};
    x += column.box.w + gap;
  }
  return gap;
}

/// Width over height of the picture, within what still looks like a thumbnail.
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

/// `count` pictures of one aspect in a box, in as many columns as make them largest.
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
  for (const MapThumb& thumb : thumbs) {
    const float right = std::max(all.right(), thumb.rect.right());
    const float bottom = std::max(all.bottom(), thumb.rect.bottom());
    all.x = std::min(all.x, thumb.rect.x);
    all.y = std::min(all.y, thumb.rect.y);
    all.w = right - all.x;
    all.h = bottom - all.y;
  }
  return all;
}

MapTensor placed(TensorId id, const Rect& box, const Setup& setup, Index head) {
  MapTensor tensor{.id = id};
  const float aspect = aspect_of(id, setup);
  const Shape s = shape(id, setup);
  const Index heads = info(id).has_heads() ? s[1] : 1;
  if (heads > most_heads_shown) {
    tensor.stacked = true;
    tensor.thumbs.push_back({head, fitted(box.inset(4, 2), aspect)});
  } else {
    const Index group = setup.sizes.heads / heads;  // query heads that share one
    const auto cells = grid(box, heads, aspect);
    for (Index i = 0; i < heads; ++i)
      tensor.thumbs.push_back({info(id).has_heads() ? i * group : 0, cells[static_cast<std::size_t>(i)]});
  }
  tensor.bounds = around(tensor.thumbs);
  return tensor;
}

/// A weight with its bias, if it has one, as a thin strip below it.
void place_weight(std::vector<MapTensor>& tensors, TensorId weight, TensorId bias, Rect box, const Setup& setup) {
  constexpr float strip = 5;
  if (!exists(bias, setup)) {
    tensors.push_back(placed(weight, box, setup, 0));
    return;
  }
  const Rect below = box.cut_bottom(strip);
  box.cut_bottom(3);
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
              : area.h < 140 ? tight
                             : roomy),
        columns_(columns_of(setup)) {
    gap_ = spread(columns_, area);
  }

  PipelineLayout build() {
    map_.heading_baseline = area_.y + rows_.heading;
    if (&rows_ == &names_only) {
      name_stages();
      return std::move(map_);
    }
    map_.operation_baseline = rows_.operation > 0 ? area_.y + rows_.operation : 0;
    map_.shape_baseline = area_.y + rows_.shape;
    for (const Column& column : columns_) place_column(column);
    place_stages();
    place_slots();
    connect();
    return std::move(map_);
  }

 private:
  float row(int index) const { return area_.y + rows_.query + rows_.pitch * static_cast<float>(index); }
  float main_line() const { return (row(0) + row(1)) / 2; }
  Rect box(const Column& column, float middle, float height) const {
    return {column.box.x, middle - height / 2, column.box.w, height};
  }
  void add(TensorId id, const Rect& box) { map_.tensors.push_back(placed(id, box, setup_, head_)); }

  void place_column(const Column& column) {
    using enum TensorId;
    switch (column.tensors.front()) {
      case X:
        add(X, box(column, setup_.is_cross() ? row(0) : row(1), rows_.thumb));
        if (setup_.is_cross()) add(Y, box(column, (row(1) + row(2)) / 2, rows_.thumb));
        return;
      case W_q:
        place_weight(map_.tensors, W_q, b_q, box(column, row(0), rows_.thumb), setup_);
        place_weight(map_.tensors, W_k, b_k, box(column, row(1), rows_.thumb), setup_);
        place_weight(map_.tensors, W_v, b_v, box(column, row(2), rows_.thumb), setup_);
        return;
      case Q:
      case Q_heads:
        for (int i = 0; i < 3; ++i) {
          Rect room = box(column, row(i), rows_.thumb);
          if (column.tensors.front() == Q) room.cut_left(letter_room);
          add(column.tensors[static_cast<std::size_t>(i)], room);
        }
        return;
      case W_o: place_weight(map_.tensors, W_o, b_o, box(column, main_line(), rows_.tall * 0.75f), setup_); return;
      default: add(column.tensors.front(), box(column, main_line(), rows_.tall)); return;
    }
  }

  void place_stages() {
    constexpr std::array<std::string_view, 8> titles{"Input",   "Project", "Split",  "Scores",
                                                     "Weights", "Context", "Concat", "Output"};
    for (std::size_t i = 0; i < titles.size(); ++i) {
      MapStage stage{.title = titles[i]};
      float left = 0;
      float right = 0;
      for (const Column& column : columns_) {
        if (column.stage != i) continue;
        if (stage.tensors.empty()) left = column.box.x;
        right = column.box.right();
        stage.tensors.insert(stage.tensors.end(), column.tensors.begin(), column.tensors.end());
      }
      const float reach = std::min(gap_ / 2, 14.0f);
      stage.text_x = left;
      stage.area = {left - reach, area_.y + 6, right - left + 2 * reach, area_.h - 12};
      map_.stages.push_back(std::move(stage));
    }
  }

  /// The stages side by side, without pictures.
  void name_stages() {
    place_stages();
    const float width = (area_.w - 16) / static_cast<float>(map_.stages.size());
    float x = area_.x + 8;
    for (MapStage& stage : map_.stages) {
      stage.area = {x, area_.y + 2, width, area_.h - 4};
      stage.text_x = x + 10;
      x += width;
    }
  }

  void place_slots() {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Rect& here = columns_[i].box;
      const float left = i == 0 ? area_.x + 4 : (columns_[i - 1].box.right() + here.x) / 2;
      // The value wire climbs just before the context.
      const bool beside_climb = i + 1 < columns_.size() && columns_[i + 1].tensors.front() == TensorId::context;
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
    const bool letter = id == TensorId::Q || id == TensorId::K || id == TensorId::V;
    return {r.x - (letter ? letter_room + 2 : 4), r.center().y + dy};
  }
  void wire(Point from, Point to, Role role) { map_.wires.push_back({from, to, role, MapWire::Path::direct}); }
  void wire(TensorId from, TensorId to) { wire(out_of(from), into(to), Role::neutral); }

  void connect() {
    using enum TensorId;
    struct Lane {
      TensorId weight, whole, heads;
      Role role;
      bool from_y;
    };
    for (const Lane& lane : {Lane{W_q, Q, Q_heads, Role::query, false}, Lane{W_k, K, K_heads, Role::key, true},
                             Lane{W_v, V, V_heads, Role::value, true}}) {
      const TensorId source = lane.from_y && setup_.is_cross() ? Y : X;
      // Lanes are level: what is a little smaller in one of them must not tilt its wire.
      const float y = map_.find(lane.whole)->bounds.center().y;
      const auto level = [&](Point p) { return Point{p.x, y}; };
      wire(out_of(source), level(into(lane.weight)), lane.role);
      wire(level(out_of(lane.weight)), level(into(lane.whole)), lane.role);
      wire(level(out_of(lane.whole)), level(into(lane.heads)), lane.role);
    }
    wire(out_of(Q_heads), into(dot_products, -6), Role::query);
    wire(out_of(K_heads), into(dot_products, 6), Role::key);
    const bool drops = map_.find(dropped_weights) != nullptr;
    wire(dot_products, scores);
    wire(scores, masked_scores);
    wire(masked_scores, weights);
    if (drops) wire(weights, dropped_weights);
    wire(drops ? dropped_weights : weights, context);
    map_.wires.push_back({out_of(V_heads), into(context, rows_.tall * 0.36f), Role::value, MapWire::Path::underneath});
    wire(context, concat);
    wire({out_of(concat).x, main_line()}, {into(W_o).x, main_line()}, Role::neutral);
    wire({out_of(W_o).x, main_line()}, {into(output).x, main_line()}, Role::output);
  }

  Rect area_;
  const Setup& setup_;
  Index head_;
  const Rows& rows_;
  std::vector<Column> columns_;
  float gap_ = 0;
  PipelineLayout map_;
};

}  // namespace

bool MapStage::holds(TensorId id) const { return std::find(tensors.begin(), tensors.end(), id) != tensors.end(); }

const MapTensor* PipelineLayout::find(TensorId id) const {
  const auto found = std::find_if(tensors.begin(), tensors.end(), [&](const MapTensor& t) { return t.id == id; });
  return found == tensors.end() ? nullptr : &*found;
}

PipelineLayout pipeline_layout(const Rect& area, const Setup& setup, Index head) {
  return Builder(area, setup, head).build();
}

}  // namespace headlight
