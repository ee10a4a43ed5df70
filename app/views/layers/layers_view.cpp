// All heads of all layers of a model, as small pictures on one scale.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/heatmap/heatmap_renderer.hpp"
#include "app/session/model/open_layer.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/views/base/frame_tools.hpp"
#include "app/views/base/later.hpp"
#include "app/views/base/view_header.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/base/views.hpp"
#include "app/views/layers/layers_study.hpp"
#include "app/views/tensors/asked_cells.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

constexpr float margin = 24;
constexpr float header_row = 48;
constexpr float heads_row = 20;
constexpr double clear_share = 0.5;  ///< from which on a caption is bold

// --- How large the pictures of all heads of all layers are, and where they are ---------------------------------------

constexpr float labels_width = 76;
constexpr float narrow_labels = 60;
constexpr Index many_heads = 20;  ///< more need all the width, and some of the margin too
constexpr float least_picture = 16;
constexpr float largest_picture = 200;
constexpr float good_picture = 72;  ///< below it, rows that don't fit scroll
constexpr float row_padding = 4;    ///< between the rows' pictures and captions
constexpr float good_gap = 40;      ///< between pictures, where the width allows
constexpr float good_caption = 112;
constexpr float head_caption = 19;     ///< below each picture
constexpr float least_captioned = 64;  ///< pictures that are smaller have no captions

/// A row of squares for each layer, a square for each head. All pictures have the same size.
struct LayersGrid {
  std::size_t layers = 0;
  Index heads = 1;
  float labels = 0;   ///< the width of the layers' names, left of each row
  float picture = 0;  ///< the side of the square that holds a picture
  float across = 0;   ///< from one square to the next
  float down = 0;

  bool captioned() const { return picture >= least_captioned; }
  float height() const { return down * static_cast<float>(layers); }
  Rect row(Point origin, float width, std::size_t layer) const {
    return {origin.x, origin.y + down * static_cast<float>(layer), width, down};
  }
  /// The square of a head; `column` counts from the left.
  Rect square(Point origin, std::size_t layer, Index column) const {
    return {origin.x + labels + across * static_cast<float>(column),
            origin.y + down * static_cast<float>(layer) + row_padding / 2, picture, picture};
  }
};

/// As wide that each cell takes a whole number of device pixels, if there is one for each.
float whole_cells(float picture, Index cells, float canvas_scale) {
  const float pixels = std::floor(picture * canvas_scale / static_cast<float>(cells));
  return pixels < 1 ? picture : pixels * static_cast<float>(cells) / canvas_scale;
}

/// The largest grid of pictures with up to `cells` cells on a side that fits into the width, and into the height if the
/// pictures then have room for captions. If a cell can take a whole number of device pixels, it does.
LayersGrid layers_grid(float width, float height, std::size_t layers, Index heads, Index cells, float canvas_scale) {
  LayersGrid grid{.layers = layers, .heads = heads};
  grid.labels = heads > many_heads ? narrow_labels : labels_width;
  const float column_width = (width - grid.labels) / static_cast<float>(heads);
  const float gap = heads > many_heads ? 1 : std::clamp(column_width * 0.12f, 2.0f, 24.0f);
  const float by_width = std::clamp(column_width - gap, least_picture, largest_picture);
  const float of_row = height / static_cast<float>(std::max<std::size_t>(layers, 1));
  const float by_height = std::max(of_row - head_caption - row_padding, std::min(good_picture, by_width));
  grid.picture = whole_cells(std::min(by_width, by_height), cells, canvas_scale);
  grid.across = std::min(std::max(column_width, grid.picture + gap), std::max(grid.picture + good_gap, good_caption));
  grid.down = grid.picture + row_padding + (grid.captioned() ? head_caption : 0);
  return grid;
}

// --- The view --------------------------------------------------------------------------------------------------------

struct LayersScroll {
  float top = 0;                        ///< how far the rows were scrolled in the last frame
  std::optional<std::size_t> revealed;  ///< the shown layer that was scrolled to last
};

class LayersView : FrameTools {
 public:
  LayersView(ViewContext& context, const Rect& area)
      : FrameTools(context),
        study_(context.memory.get<LayersStudy>()),
        area_(area),
        layers_(layer_count(session_)),
        shown_(layer_at_hand(session_)) {}

  void draw() {
    Rect rest = area_.inset(margin, 0);
    rest.h -= 8;
    draw_header(rest.cut_top(header_row));
    if (most_heads() > many_heads) rest = rest.inset(-margin / 2, 0);
    const Rect names = rest.cut_top(heads_row);
    grid_ = layers_grid(rest.w, rest.h, layers_, most_heads(), most_cells(), canvas_.scale());
    study_.advance(session_, wanted(rest));
    if (!study_.complete() && !study_.stopped()) ui_.request_frame_in(look_again);
    if (study_.at_work() && ui_.take_key(Key::escape)) study_.stop();
    scale_ = scale_of_layers(context_, study_);
    if (!is_ordered()) draw_head_names(names);
    draw_rows(rest);
  }

 private:
  bool is_ordered() const { return session_.display().heads.order != HeadOrder::index; }

  Index most_heads() const {
    Index most = 1;
    for (std::size_t layer = 0; layer < layers_; ++layer) most = std::max(most, heads_of_layer(session_, layer));
    return most;
  }

  Index most_cells() const {
    const Setup& setup = session_.setup();
    Index most = std::max(setup.sizes.query_length, setup.key_length());
    for (std::size_t layer = 0; layer < study_.count(); ++layer)
      if (const LayerGlance* const glance = study_.glance(layer); glance != nullptr && glance->heads() > 0)
        most = std::max({most, glance->weights.shape()[1], glance->weights.shape()[2]});
    return most;
  }

  void draw_header(Rect row) {
    row.cut_top(8);
    const float wide = canvas_.text({row.x, row.y + 24}, "Layers", TextStyle::title, theme_.text);
    Rect order = row;
    order.y += 4;
    order.h = 28;
    draw_order_choice(context_, order.cut_right(std::min(424.0f, order.w * 0.6f)));
    const float room = order.w - wide - 24;
    const std::string words = canvas_.ellipsized(summary(), TextStyle::control, room);
    canvas_.text({row.x + wide + 14, row.y + 24}, words, TextStyle::control, theme_.text2);
  }

  std::string summary() const {
    const std::string done = study_.complete() ? "" : fmt::format("{} of ", study_.done());
    const std::string stopped = study_.stopped() ? ", stopped" : "";
    if (const auto opened = shown_layer(session_); opened && study_.complete())
      if (const auto remarks = session_.state().model->layers[*opened].layer.remarks(); !remarks.empty())
        return remarks.front();
    return fmt::format("{}{} of {}, {}{}", done, counted(static_cast<Index>(layers_), "layer", "layers"),
                       counted(most_heads(), "head", "heads"), counted(session_.setup().key_length(), "key", "keys"),
                       stopped);
  }

  void draw_head_names(const Rect& row) {
    for (Index head = 0; head < grid_.heads; ++head) {
      const Rect square = grid_.square({row.x, row.y}, 0, head);
      const bool own = head == session_.selection().head;
      const std::string words = grid_.captioned() ? fmt::format("head {}", head) : fmt::format("{}", head);
      canvas_.text_in({square.x - 12, row.y, square.w + 24, row.h}, words,
                      own ? TextStyle::control_strong : TextStyle::control, own ? theme_.text : theme_.text2,
                      Align::center);
    }
  }

  /// The layers in sight, first the shown one.
  std::vector<std::size_t> wanted(const Rect& viewport) const {
    std::vector<std::size_t> layers;
    if (shown_) layers.push_back(*shown_);
    const float top = context_.memory.get<LayersScroll>().top;
    for (std::size_t layer = 0; layer < layers_; ++layer) {
      const float y = grid_.down * static_cast<float>(layer);
      if (y + grid_.down > top && y < top + viewport.h) layers.push_back(layer);
    }
    return layers;
  }

  void draw_rows(const Rect& viewport) {
    ScrollArea scroll(ui_, "rows", {area_.x, viewport.y, area_.w, viewport.h}, grid_.height(), theme_.canvas);
    const Point origin{viewport.x, scroll.content().y};
    context_.memory.get<LayersScroll>().top = viewport.y - origin.y;
    reveal_shown(scroll, origin, viewport);
    for (std::size_t layer = 0; layer < layers_; ++layer) {
      const Rect row = grid_.row(origin, viewport.w, layer);
      if (row.bottom() < viewport.y || row.y > viewport.bottom()) continue;
      ui_.push_id(static_cast<int>(layer));
      draw_row(row, origin, layer);
      ui_.pop_id();
    }
    if (frame_) canvas_.stroke(*frame_, theme_.lamp, 2, grid_.captioned() ? 6.0f : 3.0f);
  }

  /// Scrolls to a layer that the keys went to.
  void reveal_shown(ScrollArea& scroll, const Point& origin, const Rect& viewport) {
    auto& revealed = context_.memory.get<LayersScroll>().revealed;
    if (shown_ == revealed || !shown_) return;
    revealed = shown_;
    scroll.reveal(grid_.row(origin, viewport.w, *shown_));
  }

  void draw_row(const Rect& row, const Point& origin, std::size_t layer) {
    const bool own = shown_ == layer;
    if (own) canvas_.fill(Rect{row.x - 12, row.y, row.w + 24, row.h - 2}, theme_.panel, 8);
    const bool asked = is_asked(layer);
    const LayerGlance* const glance = asked ? nullptr : study_.glance(layer);
    draw_label({row.x, row.y + 8, grid_.labels - 8, row.h - 8}, layer, glance, own);
    if (glance != nullptr && !glance->problem.empty()) {
      const Rect words{row.x + grid_.labels, row.y, row.w - grid_.labels, row.h};
      return canvas_.text_in(words, canvas_.ellipsized(glance->problem, TextStyle::control, words.w),
                             TextStyle::control, theme_.error);
    }
    const std::vector<Index> heads = glance == nullptr ? all_heads(heads_of_layer(session_, layer))
                                                       : ordered_heads(glance->statistics, order_of_all());
    for (std::size_t column = 0; column < heads.size(); ++column) {
      const Rect square = grid_.square(origin, layer, static_cast<Index>(column));
      ui_.push_id(static_cast<int>(heads[column]));
      if (glance == nullptr) draw_missing(square, asked ? "?" : "");
      else draw_head(square, layer, *glance, heads[column]);
      ui_.pop_id();
    }
  }

  static std::vector<Index> all_heads(Index count) {
    std::vector<Index> heads(static_cast<std::size_t>(count));
    std::iota(heads.begin(), heads.end(), Index{0});
    return heads;
  }

  /// Hidden heads are hidden in one layer only.
  HeadsOptions order_of_all() const {
    HeadsOptions options = session_.display().heads;
    options.hidden.clear();
    return options;
  }

  void draw_label(Rect area, std::size_t layer, const LayerGlance* glance, bool own) {
    const Item item = ui_.item("layer", area);
    ui_.say_control(item, fmt::format("layer {}", layer), "button", own ? "shown" : "");
    if (const std::string name = layer_name(session_, layer); !name.empty()) ui_.tooltip(item, name);
    if (item.clicked) choose(layer, session_.selection().head);
    canvas_.text_in(area.cut_top(20), fmt::format("layer {}", layer),
                    own ? TextStyle::control_strong : TextStyle::control, own ? theme_.text : theme_.text2);
    if (area.h < 20) return;
    if (glance != nullptr && glance->problem.empty())
      canvas_.text_in(area.cut_top(18), fmt::format("{:.1f} bit", glance->mean_entropy()), TextStyle::code,
                      theme_.text3);
    else if (study_.at_work() == layer)
      canvas_.text_in(area.cut_top(18), "computing", TextStyle::caption, theme_.text3);
  }

  /// Whether the lecture's step asks about the weights of a layer, and the answer doesn't show yet.
  bool is_asked(std::size_t layer) const {
    const bool computed = session_.setup().sizes.layers > 1;
    return computed && asks_about(session_, TensorId::weights, session_.model_trace().layers[layer]->setup);
  }

  void draw_missing(const Rect& square, std::string_view word) {
    canvas_.stroke(square, theme_.line_strong, 1, 3);
    canvas_.text_in(square, word, TextStyle::body_strong, theme_.text2, Align::center);
  }

  void draw_head(const Rect& square, std::size_t layer, const LayerGlance& glance, Index head) {
    const Shape& shape = glance.weights.shape();
    const Index rows = shape[1], columns = shape[2];
    const float pitch = square.w / static_cast<float>(std::max(rows, columns));
    const Rect cells{square.x, square.y, pitch * static_cast<float>(columns), pitch * static_cast<float>(rows)};
    const float around = grid_.captioned() ? std::max(5.0f, (grid_.across - square.w) / 2 - 2) : 1.0f;
    const Rect whole{square.x - around, square.y - 2, square.w + 2 * around, grid_.down - (grid_.captioned() ? 1 : 0)};
    const Item item = ui_.item("head", whole);
    const bool own = shown_ == layer && session_.selection().head == head;
    ui_.say_control(item, fmt::format("layer {}, head {}", layer, head), "button", own ? "shown" : "");
    if (item.hovered && !own) canvas_.fill(whole, theme_.hover, 6);
    const Tensor shown = (scale_.multiples ? glance.multiples : glance.weights).selected(0, head);
    Heatmap heatmap = make_heatmap(Slice{shown, glance.hidden}, scale_, cells, canvas_.scale());
    heatmap.reduction = Reduction::mean;
    context_.heatmaps.draw(canvas_, heatmap);
    canvas_.stroke(cells, theme_.line, 1);
    draw_same_cell(heatmap.layout, layer, head, rows, columns);
    if (grid_.captioned()) draw_caption(square, glance.captions[static_cast<std::size_t>(head)], head, own);
    if (own) frame_ = whole;
    if (item.focused) canvas_.focus_ring(whole);
    ui_.tooltip(item, tip(layer, glance.captions[static_cast<std::size_t>(head)], head));
    if (item.clicked) choose(layer, head);
    if (item.double_clicked) session_.when_shown([](Session& shown_session) { shown_session.show(View::heads); });
  }

  std::string tip(std::size_t layer, const HeadCaption& caption, Index head) const {
    return fmt::format("Layer {}, head {}: {}", layer, head,
                       caption.sentence.empty() ? caption.words : caption.sentence);
  }

  /// The selected cell is ringed in the same row and in the same column, so that the eye follows it.
  void draw_same_cell(const HeatmapLayout& layout, std::size_t layer, Index head, Index rows, Index columns) {
    const Selection& here = session_.selection();
    if (!grid_.captioned() || here.tensor != TensorId::weights || (shown_ != layer && here.head != head)) return;
    if (here.row >= rows || here.column >= columns) return;
    canvas_.stroke(layout.rect_of(GridCell{here.row, here.column}).outset(1.5f), theme_.lamp, 1.5f, 2);
  }

  void draw_caption(const Rect& square, const HeadCaption& caption, Index head, bool own) {
    const bool clear = caption.share >= clear_share;
    const std::string words = is_ordered() ? fmt::format("{}: {}", head, caption.words) : caption.words;
    const TextStyle style = clear ? TextStyle::control_strong : TextStyle::control;
    const Rect row{square.x - (grid_.across - square.w) / 2, square.bottom() + 1, grid_.across, head_caption - 2};
    canvas_.text_in(row, canvas_.ellipsized(words, style, row.w - 2), style, clear || own ? theme_.text : theme_.text3,
                    Align::center);
  }

  void choose(std::size_t layer, Index head) {
    if (shown_ != layer) {
      const auto problems = go_to_layer(session_, layer);
      if (!problems.empty()) return session_.notify(problems.front().message());
    }
    context_.memory.get<LayersScroll>().revealed = layer;
    session_.when_shown([head](Session& shown) { Selecting(shown).select_head(head); });
  }

  LayersStudy& study_;
  Rect area_;
  std::size_t layers_;
  std::optional<std::size_t> shown_;
  LayersGrid grid_;
  std::optional<Rect> frame_;  ///< of the selected head, drawn over its neighbours
  ColorScale scale_;
};

}  // namespace

void draw_layers_view(ViewContext& context, Rect area) {
  if (layer_count(context.session) > 0) LayersView(context, area).draw();
}

}  // namespace headlight
