#include "app/views/equation/equation_pictures.hpp"

#include <algorithm>

#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/motion.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/equation/equation_parts.hpp"
#include "app/views/heads/head_card.hpp"
#include "app/views/tensors/axis_labels.hpp"
#include "app/views/tensors/zoom.hpp"

namespace headlight {
namespace {

constexpr float widest_wires = 64;
constexpr float narrowest_wires = 46;  ///< with the names of the heads in them
constexpr float narrowest_below_heads = 58;
constexpr float wires_beside_names = 92;
constexpr float below_title = 6;
constexpr float gap_share = 0.3f;  ///< between heads, of a head's share of the length
constexpr float low_cell = 30;     ///< lower cells need the room more than the wires do
constexpr float room_for_head = 64;
constexpr float name_beside = 54;  ///< "head 1" between a head and its wire

/// The joined tensor and its heads. With tokens in rows the heads are side by side below or above it; with tokens in
/// columns they are under each other beside it. "Along" is the direction in which the heads follow each other.
struct Pieces {
  const TensorPicture& joined;
  const std::vector<TensorPicture>& heads;
  Index width = 1;  ///< features of a head
  bool split = true;
  bool turned = false;  ///< with tokens in columns
};

struct PiecesCells {
  Rect joined;
  std::vector<Rect> heads;
  float wires = 0;  ///< between the joined tensor and its heads
};

Pieces pieces_of(const EquationPictures& pictures, const Setup& setup) {
  const bool split = info(pictures.result.tensor).has_heads();
  return {split ? pictures.before : pictures.result, pictures.heads, setup.d_head(), split, pictures.result.transposed};
}

/// `count`: of the positions.
PiecesCells cells_of(const Rect& area, const Pieces& pieces, Index count) {
  const bool turned = pieces.turned;
  const auto heads = static_cast<float>(pieces.heads.size());
  const float length = turned ? area.h : area.w;
  const float gap = std::clamp(gap_share * length / heads, 4.0f, 22.0f);
  const auto features = static_cast<float>(pieces.width) * heads;
  const auto positions = static_cast<float>(count);
  const float across = turned ? area.w : area.h;
  const float named = turned ? wires_beside_names : narrowest_below_heads;
  const float least = !pieces.split ? named : turned ? room_for_head : narrowest_wires;
  const float wires = std::clamp(across / 2 - positions * low_cell, least, std::max(least, widest_wires));
  const float along = std::min((length - gap * (heads - 1)) / features, turned ? highest_cell : widest_cell);
  const float room = (across - wires) / 2;
  const float thick = std::min(room, positions * (turned ? widest_cell : highest_cell));
  const float start = gap * (heads - 1) / 2;
  const auto rect_of = [&](float from, float size, bool first) {
    const float cross = first ? 0 : thick + wires;
    return turned ? Rect{area.x + cross, area.y + from, thick, size} : Rect{area.x + from, area.y + cross, size, thick};
  };
  PiecesCells cells;
  cells.wires = wires;
  cells.joined = rect_of(start, along * features, pieces.split);
  const float each = along * static_cast<float>(pieces.width);
  for (std::size_t h = 0; h < pieces.heads.size(); ++h)
    cells.heads.push_back(rect_of(static_cast<float>(h) * (each + gap), each, !pieces.split));
  return cells;
}

/// The block of the joined tensor that is a head, as far as it is on screen.
Rect block_of(const Pieces& pieces, const HeatmapLayout& layout, std::size_t head) {
  const Index first = static_cast<Index>(head) * pieces.width;
  return layout.rect_of(GridBlock{{0, pieces.joined.slice.rows()}, {first, first + pieces.width}})
      .intersected(layout.area());
}

void draw_wire(const Canvas& canvas, const Rect& block, const Rect& head, const Pieces& pieces, Color ink) {
  const bool turned = pieces.turned;
  const auto facing = [&](const Rect& r, bool first) {
    if (turned) return Point{first ? r.right() + 6 : r.x - 6, r.center().y};
    return Point{r.center().x, first ? r.bottom() + 6 : r.y - 24};
  };
  const Rect& upper = pieces.split ? block : head;
  const Rect& lower = pieces.split ? head : block;
  Point from = facing(upper, true);
  Point to = facing(lower, false);
  if (turned && !pieces.split) from.x += name_beside;
  if (!turned) {
    if (!pieces.split) from.y += 18;
    if (!pieces.split) to.y += 4;
    const float bend = (to.y - from.y) / 2;
    canvas.bezier(from, {from.x, from.y + bend}, {to.x, to.y - bend}, to, ink, 1.5f);
  } else {
    canvas.wire(from, to, ink, 1.5f);
  }
}

struct Lit {
  bool any = true;  ///< false where lights would point at what the lecture's step asks for
  Index row = 0;
  Index feature = 0;
  std::size_t head = 0;
};

Lit lit_of(const ViewContext& context, const Pieces& pieces) {
  const TensorId parts = pieces.heads.front().tensor;
  const Focus focus = focus_of(context, {pieces.joined.tensor, parts}, context.session.selection().tensor);
  if (focus.tensor == pieces.joined.tensor)
    return {focus.lit, focus.row, focus.column % pieces.width, static_cast<std::size_t>(focus.column / pieces.width)};
  const Session& session = context.session;
  const Cell cell = session.cell();
  const Shape index = cell.tensor == parts ? cell.index : cell_of(session.selection(), session.setup()).index;
  const Index own = index[*info(parts).head_axis()];
  return {focus.lit, focus.row, focus.column, static_cast<std::size_t>(own)};
}

/// The areas of a picture's parts.
struct PiecesAreas {
  Rect title;
  float token_strip = 0;
  PiecesCells cells;
};

PiecesAreas areas_of(const ViewContext& context, const Rect& area, const Pieces& pieces, const Rung& rung) {
  const bool turned = pieces.turned;
  Rect rest = area;
  const Canvas canvas = context.ui.canvas();
  PiecesAreas areas;
  areas.title = rest.cut_top(title_row);
  areas.token_strip =
      turned ? labels_above(canvas, pieces.joined, context.session,
                            {pieces.joined.slice.rows(), area.w / static_cast<float>(2 * pieces.joined.slice.rows())})
                   .height
             : labels_width(canvas, pieces.joined, context.session);
  if (turned) rest.cut_top(areas.token_strip);
  else rest.cut_left(areas.token_strip);
  rest.cut_bottom(title_row + below_title);
  if (turned) rest.cut_right(room_for_head);
  const TensorPicture& result = pieces.split ? pieces.heads.front() : pieces.joined;
  const CellsAtFirst shown = shown_cells(context.session, result, rung, row_axis(turned));
  PiecesCells& cells = areas.cells = cells_of(rest, pieces, turned ? shown.columns : shown.rows);
  const Rect& last = cells.heads.back();
  const Point offset = to_the_middle(area, {std::max(cells.joined.right(), last.right()) + (turned ? room_for_head : 0),
                                            std::max(cells.joined.bottom(), last.bottom()) + title_row + below_title});
  areas.title = areas.title.moved(offset.x, offset.y);
  cells.joined = cells.joined.moved(offset.x, offset.y);
  for (Rect& head : cells.heads) head = head.moved(offset.x, offset.y);
  return areas;
}

/// The pictures share the zoom along positions. The features of one head and of the joined tensor zoom separately.
ZoomAxes joined_axes(bool turned) {
  return turned ? ZoomAxes{ZoomAxis::rows, ZoomAxis::inner} : ZoomAxes{ZoomAxis::inner, ZoomAxis::rows};
}
ZoomAxes head_axes(bool turned) { return turned ? ZoomAxes{ZoomAxis::rows, ZoomAxis::columns} : ZoomAxes{}; }

}  // namespace

PictureFit fit_pieces(const ViewContext& context, const EquationPictures& pictures, const Arrangement& arrangement) {
  const Rung& rung = arrangement.rung;
  const Canvas canvas = context.ui.canvas();
  const Pieces pieces = pieces_of(pictures, context.session.setup());
  const bool turned = pieces.turned;
  const PiecesCells cells = areas_of(context, arrangement.picture, pieces, rung).cells;
  const Zoom first = first_zoom(context.session, pictures.result.tensor, ZoomAxis::rows);
  const Zoom zoom = shown_zoom(first, rung, ZoomAxis::rows, 0);
  PictureFit fit;
  fit.add(canvas, zoomed_heatmap(pieces.joined, cells.joined, canvas.scale(), zoom, joined_axes(turned)));
  fit.add(canvas, zoomed_heatmap(pieces.heads.front(), cells.heads.front(), canvas.scale(), zoom, head_axes(turned)));
  return fit;
}

void draw_pieces(ViewContext& context, const EquationPictures& pictures, const Arrangement& arrangement) {
  const Rung& rung = arrangement.rung;
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Theme& theme = canvas.theme();
  const Setup& setup = context.session.setup();
  const Pieces pieces = pieces_of(pictures, setup);
  const bool turned = pieces.turned;
  const auto [title, token_strip, cells] = areas_of(context, arrangement.picture, pieces, rung);
  const float wires = cells.wires;
  if (cells.joined.w < 8 || cells.joined.h < 8) return;

  const Lit lit = lit_of(context, pieces);
  const bool quiet = focused(context);
  Zoom& kept = zoom_for(context, View::pipeline, pictures.result.tensor, turned, ZoomAxis::rows);
  const Zoom zoom = shown_zoom(kept, rung, ZoomAxis::rows, lit.row);
  const PlacedPicture joined = placed(
      canvas, pieces.joined, zoomed_heatmap(pieces.joined, cells.joined, canvas.scale(), zoom, joined_axes(turned)),
      joined_axes(turned));
  const Index joined_column = static_cast<Index>(lit.head) * pieces.width + lit.feature;
  PictureLight on_joined;
  if (lit.any) on_joined = {lit.row, joined_column, GridCell{lit.row, joined_column}, quiet};
  // The heads are blocks of the joined tensor, so its power of ten is theirs.
  std::vector<PlacedPicture> heads;
  for (std::size_t h = 0; h < pieces.heads.size(); ++h)
    heads.push_back({pieces.heads[h],
                     zoomed_heatmap(pieces.heads[h], cells.heads[h], canvas.scale(), zoom, head_axes(turned)),
                     head_axes(turned), joined.power});
  const double built = eased_out(context.memory.get<Motion>().built());
  // What is joined is not there before its heads have arrived.
  const Item joined_item =
      pieces.split || built == 1 ? draw_cells(context, "joined", joined, on_joined, {.glides = pieces.split}) : Item{};
  if (!rung.gives(Concession::one_row)) zoom_with_mouse(context, joined_item, joined, kept);

  for (std::size_t h = 0; h < heads.size(); ++h) {
    const bool own = lit.any && h == lit.head;
    const Rect block = block_of(pieces, joined.layout(), h);
    if (!block.empty()) draw_wire(canvas, block, cells.heads[h], pieces, own ? theme.lamp : theme.line_strong);
    ui.push_id(static_cast<int>(h));
    PictureLight light;
    light.quiet = quiet;
    if (own) light = {lit.row, lit.feature, GridCell{lit.row, lit.feature}, quiet};
    else if (lit.any) light.row = lit.row;
    const Rect between =
        rect_between(pieces.split ? block : cells.heads[h], pieces.split ? cells.heads[h] : block, built);
    PlacedPicture moving = heads[h];
    moving.heatmap.layout = moving.layout().over(between);
    // A head that splits off is on its way itself; one that is joined stays, and its numbers move.
    const bool splits = pieces.split && built < 1;
    const Item item =
        draw_cells(context, "head", splits ? moving : heads[h], light, {.glides = built == 1 || !pieces.split});
    if (!pieces.split && built < 1)
      draw_cells(context, "joining", moving, light, {.interactive = false, .ring = false});
    if (!rung.gives(Concession::one_row)) zoom_with_mouse(context, item, heads[h], kept);
    ui.pop_id();
    if (own) canvas.stroke(cells.heads[h].outset(4).moved(-joined.layout().gap() / 2, 0), theme.lamp, 1.5f, 6);
    const Rect& r = cells.heads[h];
    const Rect words = turned         ? Rect{r.right() + 8, r.center().y - 9, 64, 18}
                       : pieces.split ? Rect{r.x, r.y - 22, r.w, 18}
                                      : Rect{r.x, r.bottom() + 4, r.w, 18};
    const TextStyle style_of_name = own ? TextStyle::body_strong : TextStyle::body;
    canvas.text_in(words, head_name(canvas, static_cast<Index>(h), style_of_name, words.w), style_of_name,
                   own ? theme.text : theme.text2, turned ? Align::left : Align::center);
  }

  for (const Rect& picture : {cells.joined, cells.heads.front()}) {
    const LabelStrip strip = turned ? strip_above(picture, token_strip - 4, 4)
                                    : LabelStrip{{title.x, picture.y, token_strip, picture.h}, false};
    draw_labels(context, pieces.joined, joined.layout().over(picture), on_joined, strip);
  }
  const float wide = turned ? cells.joined.w : std::max(cells.joined.w, 200.0f);
  const Rect first{title.x + (turned ? 0 : token_strip), title.y, wide, title.h};
  const auto draw_title = [&](const Rect& row, bool is_joined) {
    draw_operand_title(canvas, row, is_joined ? joined : heads[lit.head], setup);
  };
  if (turned) {
    // The left one may reach over the wires, the right one over the names of the heads beside it.
    const auto row_over = [&](const Rect& picture, bool left) {
      return Rect{picture.x, title.y, wide + (left ? wires - 12 : room_for_head - 6), title.h};
    };
    draw_title(row_over(cells.joined, pieces.split), true);
    draw_title(row_over(cells.heads.front(), !pieces.split), false);
  } else {
    const float bottom = std::max(cells.joined.bottom(), cells.heads.front().bottom());
    const Rect last{first.x, bottom + (pieces.split ? 4 : 6), wide, title_row};
    // The title names one of the heads, and stands where that one is.
    const auto at_head = [&](Rect row) {
      const Rect& head = cells.heads[lit.head];
      row.w = std::min(std::max(head.w, 200.0f), wide);
      row.x = std::clamp(head.x, first.x, first.x + wide - row.w);
      return row;
    };
    draw_title(pieces.split ? first : last, true);
    draw_title(at_head(pieces.split ? last : first), false);
  }
}

}  // namespace headlight
