#include "app/views/map/layer_tiles.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/heatmap/heatmap_renderer.hpp"
#include "app/session/actions/actions.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/frame_memory.hpp"
#include "app/views/base/frame_tools.hpp"
#include "app/views/base/layout.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/equation/equation.hpp"
#include "app/views/tensors/asked_cells.hpp"
#include "app/views/tensors/tensor_picture.hpp"
#include "app/views/tensors/tensor_scale.hpp"
#include "core/model/shapes.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

constexpr float least_thumb = 5;          ///< smaller pictures of all heads give way to one of the selected head
constexpr Index most_in_end = 1'000'000;  ///< numbers of a tensor at an end that are read for its picture
constexpr float tile_inset = 3;

class LayerTiles : FrameTools {
 public:
  LayerTiles(ViewContext& context, const Accordion& accordion, const PipelineLayout& block)
      : FrameTools(context),
        accordion_(accordion),
        block_(block),
        backward_(is_gradient(context.session.selection().tensor)) {}

  void draw() {
    ui_.push_id("layers");
    if (block_.rail) {
      draw_rail();
      draw_ends();
      for (const LayerTile& tile : accordion_.tiles) draw_tile(tile);
      if (accordion_.before) draw_more(*accordion_.before, "before");
      if (accordion_.after) draw_more(*accordion_.after, "after");
    }
    draw_stepper();
    ui_.pop_id();
  }

 private:
  /// The rest of the frame is still about the layer that was open when it began.
  void after_frame(std::function<void(Session&)> act) {
    context_.memory.get<FrameMemory>().after_frame = std::move(act);
  }
  void open(Index layer) {
    after_frame([layer](Session& session) { session.look_at_layer(layer); });
  }

  const Trace& trace_of(Index layer) const { return session_.model_trace().at(layer); }
  bool is_high() const { return block_.shape_baseline > 0; }

  // --- The rail, from the first end to the last ----------------------------------------------------------------------

  void draw_rail() {
    const Rect& block = accordion_.block;
    const float from = accordion_.first.empty() ? accordion_.stepper.right() : accordion_.first.center().x;
    const float to = accordion_.last.empty() ? block.right() : accordion_.last.center().x;
    if (!session_.setup().is_first()) draw_piece(from, block.x);
    if (!session_.setup().is_last()) draw_piece(block.right(), to);
  }

  void draw_piece(float from, float to) { draw_rail_piece(canvas_, {from, to}, block_.rail->y, backward_); }

  // --- The layers ----------------------------------------------------------------------------------------------------

  void draw_tile(const LayerTile& tile) {
    const Trace& trace = trace_of(tile.layer);
    const std::string number = fmt::format("{}", tile.layer);
    ui_.push_id(static_cast<int>(tile.layer));
    const Item item = ui_.item("tile", tile.rect);
    ui_.say_control(item, fmt::format("layer {}", tile.layer), "button");
    const Rect card = below_rail(tile.rect);
    if (item.hovered)
      canvas_.fill({tile.rect.x - 2, tile.rect.y + 4, tile.rect.w + 4, tile.rect.h - 8}, theme_.hover, 6);
    canvas_.text({tile.rect.center().x, block_.heading_baseline}, number, TextStyle::code,
                 item.hovered ? theme_.text : theme_.text3, Align::center);
    canvas_.fill(card, theme_.raised, 4);
    draw_heads(card.inset(tile_inset, tile_inset), trace);
    canvas_.stroke(card, item.hovered ? theme_.text : theme_.outline, 1, 4);
    if (item.focused) canvas_.focus_ring(card);
    draw_joints(tile.rect, trace.setup);
    const Index heads = trace.setup.sizes.heads;
    const std::string holds = counted(heads, "head", "heads");
    const Index layers = trace.setup.sizes.layers;
    ui_.tooltip(
        item,
        trace.setup.has_mlp()
            ? fmt::format("Layer {} of {}, counted from 0: {} and an MLP. A click opens it", tile.layer, layers, holds)
            : fmt::format("Layer {} of {}, counted from 0: {}. A click opens it", tile.layer, layers, holds));
    if (item.clicked) open(tile.layer);
    ui_.pop_id();
  }

  Rect below_rail(Rect r) const {
    r.cut_top(block_.rail->y + (is_high() ? 9.0f : 6.0f) - r.y);
    r.cut_bottom(is_high() ? 12 : 6);
    return r;
  }

  /// Where the layer adds to the stream: its heads, and its MLP.
  void draw_joints(const Rect& tile, const Setup& setup) {
    const float radius = std::min(3.5f, block_.rail->joint);
    const float end = tile.right() - 2;
    if (setup.has_mlp()) draw_joint(canvas_, {tile.center().x, block_.rail->y}, radius);
    draw_joint(canvas_, {end, block_.rail->y}, radius);
  }

  void draw_heads(const Rect& room, const Trace& trace) {
    if (asks_about(session_, TensorId::weights, trace.setup))
      return canvas_.text_in(room, "?", TextStyle::body_strong, theme_.text2, Align::center);
    const Setup& setup = trace.setup;
    const std::vector<Rect> squares = thumbs_in(room, setup.sizes.heads);
    if (squares.front().w < least_thumb) return draw_head(thumbs_in(room, 1).front(), trace, session_.selection().head);
    for (Index head = 0; head < setup.sizes.heads; ++head)
      draw_head(squares[static_cast<std::size_t>(head)], trace, head);
  }

  /// Squares in as many columns as make them largest.
  static std::vector<Rect> thumbs_in(const Rect& room, Index count) {
    constexpr float between = 2;
    float side = 0;
    Index across = 1;
    for (Index columns = 1; columns <= count; ++columns) {
      const auto wide = static_cast<float>(columns), high = static_cast<float>((count + columns - 1) / columns);
      const float fits = std::min((room.w - between * (wide - 1)) / wide, (room.h - between * (high - 1)) / high);
      if (fits <= side) continue;
      side = fits;
      across = columns;
    }
    side = std::floor(side);
    const Index down = (count + across - 1) / across;
    const Point start{room.center().x - (static_cast<float>(across) * (side + between) - between) / 2,
                      room.center().y - (static_cast<float>(down) * (side + between) - between) / 2};
    std::vector<Rect> squares;
    for (Index i = 0; i < count; ++i)
      squares.push_back({start.x + static_cast<float>(i % across) * (side + between),
                         start.y + static_cast<float>(i / across) * (side + between), side, side});
    return squares;
  }

  /// In the colours of the open layer, so that pictures compare.
  void draw_head(const Rect& square, const Trace& trace, Index head) {
    const Selection at{.tensor = TensorId::weights, .batch = session_.selection().batch, .head = head};
    const TensorPicture picture = picture_in(context_, trace, at, color_scale_of(context_, TensorId::weights, head));
    draw_picture(square, picture);
    if (trace.setup.is_ablated(head)) canvas_.fill(square, faded(theme_.raised, 0.72f));
  }

  void draw_picture(const Rect& r, const TensorPicture& picture) {
    const HeatmapShape cells{picture.slice.rows(), picture.slice.columns(), picture.transposed};
    context_.heatmaps.draw(
        canvas_, {picture.slice, picture.scale, HeatmapLayout(r, cells, canvas_.scale(), 0.0f), picture.reduction});
  }

  void draw_more(const MoreLayers& more, std::string_view id) {
    const Item item = ui_.item(id, more.rect.inset(2, 6));
    ui_.say_control(item, "More layers", "button");
    const Color ink = item.hovered ? theme_.text : theme_.text2;
    if (item.hovered) canvas_.fill(more.rect.inset(2, 6), theme_.hover, 6);
    const float middle = (block_.rail->y + more.rect.bottom()) / 2;
    canvas_.text({more.rect.center().x, middle}, "…", TextStyle::body_strong, ink, Align::center);
    if (is_high())
      canvas_.text({more.rect.center().x, middle + 18}, fmt::format("{} more", more.count), TextStyle::caption, ink,
                   Align::center);
    if (item.focused) canvas_.focus_ring(more.rect.inset(2, 6));
    ui_.tooltip(item, fmt::format("{} more layers. A click opens layer {}", more.count, more.next));
    if (item.clicked) open(more.next);
  }

  // --- The ends: what the model reads, and what makes scores of what leaves the last layer ---------------------------

  void draw_ends() {
    const bool embeds = exists(TensorId::W_E, trace_of(0).setup);
    if (!accordion_.first.empty()) draw_end(accordion_.first, 0, embeds ? TensorId::W_E : TensorId::X, true);
    if (!accordion_.last.empty()) draw_end(accordion_.last, session_.setup().sizes.layers - 1, TensorId::W_U, false);
  }

  void draw_end(const Rect& area, Index layer, TensorId tensor, bool begins) {
    const Trace& trace = trace_of(layer);
    const Rect under = below_rail(area);
    const float height = std::min(under.h - 6, 40.0f);
    const Rect frame{area.x + 6, under.y + (under.h - height) / 2 + 3, area.w - 12, height};
    ui_.push_id(name(tensor));
    const Item item = ui_.item("end", frame.outset(2));
    ui_.say_control(item, name(tensor), "button");
    if (trace[tensor].elements() <= most_in_end) {
      const Selection at{.tensor = tensor, .batch = session_.selection().batch};
      const TensorStatistics numbers = statistics_of(context_, trace, tensor);
      draw_picture(frame, picture_in(context_, trace, at, ColorScale::around_zero(numbers.min, numbers.max)));
    }
    canvas_.stroke(frame.outset(1), item.hovered ? theme_.text : theme_.identity(info(tensor).role, theme_.line_strong),
                   1.5f, 3);
    const Color line = theme_.text3;
    const Point top{frame.center().x, frame.y - 3}, rail{frame.center().x, block_.rail->y + 2};
    canvas_.line(top, rail, line, 1.5f);
    const bool up = begins != backward_;
    canvas_.triangle(up ? Point{rail.x, rail.y + 2} : Point{top.x, top.y - 1}, up ? Pointing::up : Pointing::down, line,
                     3.5f);
    const Symbol symbol = symbol_of(tensor);
    const Color ink = item.hovered ? theme_.text : theme_.text2;
    const Run runs[] = {{symbol.base, TextStyle::caption_strong, ink},
                        {symbol.subscript, TextStyle::caption_strong, ink, Script::sub}};
    canvas_.rich({area.center().x, block_.heading_baseline}, runs, Align::center);
    if (item.focused) canvas_.focus_ring(frame.outset(3));
    ui_.tooltip(item,
                fmt::format("{}  {}\n{}", name(tensor), shape(tensor, trace.setup).to_string(), info(tensor).about));
    if (item.clicked)
      after_frame([layer, tensor](Session& session) {
        session.look_at_layer(layer);
        session.when_shown([tensor](Session& shown) { Selecting(shown).look_at(tensor); });
      });
    ui_.pop_id();
  }

  // --- Which layer is open -------------------------------------------------------------------------------------------

  void draw_stepper() {
    const Setup& setup = session_.setup();
    const Rect& area = accordion_.stepper;
    const std::string which = fmt::format("layer {}", setup.layer), of = fmt::format("of {}", setup.sizes.layers);
    if (!block_.rail) {  // in one line with the names of the phases
      const float side = std::min(28.0f, area.h - 4);
      const Rect row{area.x + 4, area.center().y - side / 2, area.w - 8, side};
      step_button("model.previous", Icon::chevron_left, {row.x, row.y, side, side});
      step_button("model.next", Icon::chevron_right, {row.right() - side, row.y, side, side});
      canvas_.text_in(row, which, TextStyle::control_strong, theme_.text, Align::center);
      return;
    }
    canvas_.text({area.center().x, block_.heading_baseline}, which, TextStyle::control_strong, theme_.text,
                 Align::center);
    const float side = is_high() ? 28 : 24;
    const float top = is_high() ? area.center().y - side / 2 : block_.heading_baseline + 8;
    if (is_high())
      canvas_.text({area.center().x, block_.heading_baseline + 18}, of, TextStyle::caption, theme_.text2,
                   Align::center);
    step_button("model.previous", Icon::chevron_left, {area.center().x - side - 1, top, side, side});
    step_button("model.next", Icon::chevron_right, {area.center().x + 1, top, side, side});
  }

  void step_button(std::string_view id, Icon icon, const Rect& r) {
    const Action& action = *action_named(id);
    const bool next = icon == Icon::chevron_right;
    const std::string keys = action.keys();
    if (icon_button(ui_, id, r, icon,
                    {.kind = ButtonKind::quiet,
                     .enabled = action.enabled(session_),
                     .tooltip = next ? "The layer above" : "The layer below",
                     .keys = keys}))
      after_frame(action.run);
  }

  const Accordion& accordion_;
  const PipelineLayout& block_;
  bool backward_;
};

}  // namespace

void draw_rail_piece(const Canvas& canvas, const MapRail::Piece& piece, float y, bool backward) {
  constexpr float dash = 6, space = 4;
  const Color ink = canvas.theme().control;
  if (!backward) return canvas.fill({piece.from, y - 1.5f, piece.to - piece.from, 3}, ink, 1.5f);
  for (float x = piece.from; x < piece.to; x += dash + space)
    canvas.fill({x, y - 1.5f, std::min(dash, piece.to - x), 3}, ink, 1.5f);
}

void draw_joint(const Canvas& canvas, Point middle, float radius) {
  const Theme& theme = canvas.theme();
  const Color ink = theme.identity(Role::output);
  canvas.disc(middle, radius + 1, theme.panel);
  canvas.circle(middle, radius, ink, 1.2f);
  const float arm = radius - 1.5f;
  canvas.line({middle.x - arm, middle.y}, {middle.x + arm, middle.y}, ink, 1.2f);
  canvas.line({middle.x, middle.y - arm}, {middle.x, middle.y + arm}, ink, 1.2f);
}

void draw_layer_tiles(ViewContext& context, const Accordion& accordion, const PipelineLayout& block) {
  LayerTiles(context, accordion, block).draw();
}

}  // namespace headlight
