#include "app/views/base/views.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/display/display_entries.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/views/base/panels.hpp"
#include "app/views/base/view_header.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/heads/head_card.hpp"
#include "app/views/heads/head_study.hpp"
#include "app/views/heads/heads_layout.hpp"
#include "app/views/heads/similarity_matrix.hpp"
#include "app/views/story/arrangement.hpp"
#include "app/views/tensors/axis_labels.hpp"
#include "app/views/tensors/picture_cells.hpp"
#include "app/views/tensors/picture_fit.hpp"
#include "app/views/tensors/range_bar.hpp"
#include "app/views/tensors/tensor_picture.hpp"
#include "app/views/tensors/zoom.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/explain.hpp"

namespace headlight {
namespace {

constexpr float margin = 24;
constexpr float header_row = 44;
constexpr float one_row = 900;  ///< from this width on, title and controls fit side by side
constexpr float two_digits = 22;
constexpr float three_digits = 32;
constexpr float four_digits = 40;

std::vector<TensorId> tensors_with_heads(const Setup& setup) {
  std::vector<TensorId> tensors;
  for (const TensorInfo& tensor : all_tensors())
    if (tensor.has_heads() && exists(tensor.id, setup)) tensors.push_back(tensor.id);
  return tensors;
}

// --- The first line --------------------------------------------------------------------------------------------------

/// Cuts one row off the area, or two if the controls need a row of their own.
void draw_header(ViewContext& context, Rect& area, TensorId tensor) {
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  const Setup& setup = context.session.setup();
  const bool several_heads = setup.sizes.heads > 1;
  // A lecture's step has its own title above.
  const bool titled = context.still || context.session.lesson().lecture() == nullptr;
  Rect title = titled ? area.cut_top(header_row).inset(0, 8) : Rect{};
  const bool together = titled && area.w >= one_row;
  const auto tensors = tensors_with_heads(setup);
  Rect order = together ? title.cut_right(several_heads ? 424 : 0) : Rect{};
  if (titled) {
    const std::string words(info(named_after(tensor, setup)).title);
    canvas.text({title.x, title.y + 21}, words, TextStyle::title, theme.text);
    title.cut_left(canvas.width(words, TextStyle::title) + 20);
  }
  const std::string layer = setup.sizes.layers > 1 ? fmt::format("layer {}  ", setup.layer) : std::string();
  const std::string shape = layer + context.session.trace()[tensor].shape().to_string();
  if (title.w > canvas.width(shape, TextStyle::code) + 24)
    canvas.text({title.x, title.y + 20}, shape, TextStyle::code, theme.text2);
  if (context.still) return;
  if (together && several_heads) draw_order_choice(context, order);
  Rect row = area.cut_top(38).inset(0, 5);
  draw_tensor_choice(context, row.cut_left(156), tensors, tensor);
  row.cut_left(20);
  if (setup.sizes.batch > 1 && row.w > batch_choice_width) draw_batch_choice(context, row.cut_left(batch_choice_width));
  if (together || !several_heads) return;
  row.cut_left(20);
  if (row.w >= 340) draw_order_choice(context, row.cut_right(std::min(row.w, 424.0f)));
  else draw_order_choice(context, area.cut_top(38).inset(0, 5));
}

/// Draws a chip for each hidden head, which shows the head again.
void draw_hidden(ViewContext& context, Rect& area) {
  Session& session = context.session;
  const std::vector<Index> hidden = session.display().heads.hidden;
  if (hidden.empty() || context.still) return;
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  Rect row = area.cut_top(38).inset(0, 5);
  canvas.text_in(row.cut_left(60), "Hidden", TextStyle::control, ui.theme().text2);
  if (button(ui, "show all", row.cut_right(84), "Show all", {.kind = ButtonKind::quiet, .keys = "Shift+H"})) {
    session.edit_display([](Display& d) { d.heads.hidden.clear(); });
  }
  for (Index head : hidden) {
    const std::string label = head_words(head, session.setup());
    const float wide = chip_width(canvas, label);
    if (row.w < wide + 40) {
      canvas.text_in(row, "…", TextStyle::control, ui.theme().text2);
      break;
    }
    ui.push_id(static_cast<int>(head));
    if (chip(ui, "hidden", row.cut_left(wide), label).clicked)
      session.set_display(with_head_hidden(session.display(), head, false, session.setup().sizes.heads));
    ui.pop_id();
    row.cut_left(6);
  }
}

// --- The cards -------------------------------------------------------------------------------------------------------

/// Names and indices of the rows on screen, once for each row of cards.
struct Gutter {
  AxisLabels names;
  AxisLabels indices;
  bool named = false;
  float names_width = 0;
  float index_width = two_digits;

  float width() const { return (named ? names_width : 0) + index_width + 8 + card_padding; }
};

Gutter gutter_of(const Canvas& canvas, const TensorPicture& picture, const PictureLight& light,
                 const Session& session) {
  const bool last = picture.transposed;
  Gutter gutter{
      axis_labels(canvas.theme(), picture.tensor, last, session, last ? light.column : light.row), {}, false, 0};
  const auto both = gutter.names.label;
  gutter.indices = {[](Index index) { return AxisLabel{"", fmt::format("{}", index)}; }, gutter.names.identity,
                    gutter.names.lit};
  gutter.names.label = [both](Index index) { return AxisLabel{both(index).token, ""}; };
  gutter.named = !both(0).token.empty();
  const Index rows = picture.rows_on_screen();
  gutter.index_width = rows > 1000 ? four_digits : rows > 100 ? three_digits : two_digits;
  if (gutter.names.repeats) {  // one column is enough for repeated symbols: "c3"
    gutter.named = false;
    gutter.indices.label = [both](Index index) { return AxisLabel{"", fmt::format("{}{}", both(index).token, index)}; };
    gutter.index_width = std::max(two_digits, labels_width(canvas, gutter.indices, rows) - 8);
  }
  gutter.names_width = labels_width(canvas, gutter.names, picture.rows_on_screen(), 96);
  return gutter;
}

void draw_gutter(const Canvas& canvas, const Gutter& gutter, const HeatmapLayout& layout) {
  const Rect& cells = layout.area();
  const float right = cells.x - card_padding;
  draw_labels_down(canvas, layout, {right - gutter.index_width - 4, cells.y, gutter.index_width + 4, cells.h},
                   gutter.indices, Align::right);
  if (!gutter.named) return;
  // Names are drawn one by one here, so that each stays level with its index at every pitch.
  const AxisLabels& names = gutter.names;
  const float x = right - gutter.index_width - 4;
  const auto label_room = 17.0f;
  std::vector<Index> shown = thinned_labels(layout.down().visible(), layout.pitch_y(), label_room);
  if (names.lit && layout.down().visible().contains(*names.lit) && std::ranges::count(shown, *names.lit) == 0)
    shown.push_back(*names.lit);
  for (const Index index : shown) {
    const bool lit = names.lit == index;
    if (!lit && names.lit && static_cast<float>(std::abs(index - *names.lit)) * layout.pitch_y() < label_room) continue;
    const bool is_row = !layout.shape().transposed;
    const float middle = layout.rect_of(is_row ? GridCell{index, 0} : GridCell{0, index}).center().y;
    canvas.text_in({x - gutter.names_width, middle - 8, gutter.names_width, 16}, names.label(index).token,
                   lit ? TextStyle::control_strong : TextStyle::control, lit ? names.identity : canvas.theme().text2,
                   Align::right);
  }
}

/// The cards have bars below the cells, unless the numbers in all of them need the room; then they are close together.
/// A slide has no bars, because they would be a second idea.
CardContent content_of(const ViewContext& context, const TensorPicture& picture, std::size_t heads, const Rect& area,
                       float gutter) {
  const auto [rows, columns] = cells_at_first(context.session, picture);
  CardContent content{static_cast<Index>(heads), rows, columns, 0, context.presenting};
  const bool fits_loosely = card_grid(area.w, area.h, gutter, content).height() <= area.h + 1;
  content.tight = content.tight || !fits_loosely;
  if (context.presenting || !info(picture.tensor).is_attention()) return content;
  const auto grid_of = [&](const CardContent& one) { return card_grid(area.w, area.h, gutter, one); };
  CardContent measured = content;
  measured.tight = false;
  measured.measures = measure_count;
  CardContent in_a_line = measured;
  in_a_line.measures = 1;
  const CardGrid below_each_other = grid_of(measured);
  const CardGrid side_by_side = grid_of(in_a_line);
  if (side_by_side.cells_w >= width_of_line && side_by_side.cells_w > below_each_other.cells_w + 1) return in_a_line;
  const bool read = content.rows <= most_read && content.columns <= most_read;
  const bool fits = below_each_other.height() <= area.h + 1;
  return read && !fits && grid_of(content).height() <= area.h + 1 ? content : measured;
}

/// How well the cards can be read in an area if all of them have to be visible.
PictureFit fit_of_cards(const ViewContext& context, const Rect& area, const TensorPicture& picture,
                        const Gutter& gutter, std::size_t heads) {
  const CardContent content = content_of(context, picture, heads, area, gutter.width());
  const CardGrid grid = card_grid(area.w, area.h, gutter.width(), content);
  PictureFit fit;
  const Zoom first = first_zoom(context.session, picture.tensor, row_axis(picture.transposed));
  fit.add(context.ui.canvas(), zoomed_heatmap(picture, grid.cells({0, 0}, 0), context.ui.scale(), first));
  if (grid.height() > area.h + 1) fit.cells = Cells::missing;
  return fit;
}

void draw_cards(ViewContext& context, const Rect& viewport, Point origin, const CardGrid& grid, const Gutter& gutter,
                TensorId tensor, const std::vector<Index>& heads, const HeadStatistics& statistics,
                int rows_of_measures) {
  const HeadsOptions& options = context.session.display().heads;
  const Selection& selection = context.session.selection();
  for (std::size_t index = 0; index < heads.size(); ++index) {
    const Rect cells = grid.cells(origin, static_cast<Index>(index));
    if (cells.y - 80 > viewport.bottom() || cells.y + grid.card_height < viewport.y) continue;
    if (grid.begins_row(static_cast<Index>(index))) {
      const Heatmap heatmap = zoomed_heatmap(picture_of(context, tensor, selection.batch, heads[index]), cells,
                                             context.ui.scale(), context.memory.get<Zooms>().of(View::heads));
      draw_gutter(context.ui.canvas(), gutter, heatmap.layout);
      attend_to_tokens(context, tensor, heatmap.layout,
                       {cells.x - gutter.width(), cells.y, gutter.width() - card_padding, cells.h}, false);
    }
    const auto bars = measure_bars(statistics, heads[index]);
    const std::span<const MeasureBar> shown(bars.data(), rows_of_measures > 0 ? bars.size() : 0);
    draw_head_card(context, tensor, heads[index], cells,
                   {shown, rows_of_measures == 1, options.order, heads.size() > 1 && !context.presenting,
                    heads.size() == 1, statistics.patterns[static_cast<std::size_t>(heads[index])]});
  }
}

// --- One head and the others -----------------------------------------------------------------------------------------

constexpr float share_of_others = 0.36f;  ///< of the width, for the heads that are not selected
constexpr float name_of_other = 20;

/// Pictures of `count` heads side by side, with square cells as large as the area allows.
struct Others {
  std::size_t across = 1;
  float pitch = 0;  ///< of the cells
  float width = 0;  ///< of a head, including the gap after it
  float height = 0;
};

Others others_in(const Rect& area, std::size_t count, const TensorPicture& any) {
  Others best;
  for (std::size_t across = 1; across <= count; ++across) {
    const std::size_t down = (count + across - 1) / across;
    Others grid{across, 0, area.w / static_cast<float>(across), area.h / static_cast<float>(down)};
    grid.pitch = std::min((grid.width - 14) / static_cast<float>(any.columns_on_screen()),
                          (grid.height - 8 - name_of_other) / static_cast<float>(any.rows_on_screen()));
    if (grid.pitch > best.pitch) best = grid;
  }
  return best;
}

/// Heads as small pictures without numbers.
void draw_small(ViewContext& context, const Rect& area, const TensorPicture& any, const std::vector<Index>& heads) {
  const Canvas canvas = context.ui.canvas();
  const Selection selection = context.session.selection();
  const auto [across, pitch, width, height] = others_in(area, heads.size(), any);
  std::size_t index = 0;
  for (Index head : heads) {
    const Rect cell{area.x + width * static_cast<float>(index % across),
                    area.y + height * static_cast<float>(index / across), width - 14, height - 8};
    ++index;
    Rect cells = cell;
    const Rect name = cells.cut_top(name_of_other);
    cells.w = pitch * static_cast<float>(any.columns_on_screen());
    cells.h = pitch * static_cast<float>(any.rows_on_screen());
    const TensorPicture picture = picture_of(context, any.tensor, selection.batch, head);
    const PictureLight light = light_of(context, picture);
    context.ui.push_id(static_cast<int>(head));
    const Heatmap heatmap = picture.heatmap(cells, canvas.scale());
    draw_cells(context, "other", picture, heatmap, light, {.numbers = false, .interactive = false, .ring = false});
    const bool own = head == selection.head && !points_at_answer(context.session);
    if (own) draw_ring(context, heatmap.layout, light);
    const Item item = context.ui.item("head", cell, {.focusable = false});
    context.ui.pop_id();
    if (item.clicked) Selecting(context.session).select_head(head);
    canvas.text_in(name, head_name(canvas, head, TextStyle::control, name.w), TextStyle::control,
                   own || item.hovered ? canvas.theme().text : canvas.theme().text2);
  }
}

/// Whether all heads have room for numbers. If not, a slide shows the numbers of only one head.
bool all_are_read(const ViewContext& context, const Rect& area, const TensorPicture& picture, const Gutter& gutter,
                  std::size_t heads) {
  return fit_of_cards(context, area, picture, gutter, heads).cells >= Cells::readable;
}

Rect without_others(Rect area) {
  area.cut_right(share_of_others * area.w);
  return area;
}

/// The place of the selected head where it alone has numbers: beside the others, unless it can't be read there.
Rect room_of_one(const ViewContext& context, const Rect& area, const TensorPicture& picture, const Gutter& gutter) {
  const Rect beside = without_others(area);
  return all_are_read(context, beside, picture, gutter, 1) ? beside : area;
}

/// Whether a head with its labels, in its own place, would be smaller than all heads as small pictures: on a phone.
bool is_smaller_alone(const ViewContext& context, const Rect& own, const Rect& area, const TensorPicture& any,
                      const Gutter& gutter, std::size_t heads) {
  const CardContent content = content_of(context, any, 1, own, gutter.width());
  return card_grid(own.w, own.h, gutter.width(), content).cells_w <
         others_in(area.inset(0, 6), heads, any).pitch * static_cast<float>(any.columns_on_screen());
}

/// How well a slide can be read in an area, with the numbers of all heads or else of one. Heads without numbers are
/// there to be compared.
PictureFit fit_of_slide(const ViewContext& context, const Rect& area, const TensorPicture& picture,
                        const Gutter& gutter, std::size_t heads) {
  PictureFit all = fit_of_cards(context, area, picture, gutter, heads);
  if (all.cells >= Cells::readable) all.cells = Cells::comfortable;
  if (all.cells >= Cells::readable || heads < 2) return all;
  PictureFit one = fit_of_cards(context, room_of_one(context, area, picture, gutter), picture, gutter, 1);
  const bool has_numbers = picture.rows_on_screen() <= most_read && picture.columns_on_screen() <= most_read;
  one.cells = std::min(one.cells, has_numbers ? Cells::readable : Cells::unreadable);
  return one;
}

// --- The legend ------------------------------------------------------------------------------------------------------

/// Explanations side by side, as many as there is room for.
class LegendRow {
 public:
  LegendRow(const Canvas& canvas, const Rect& room) : canvas_(canvas), room_(room) {}

  /// Adds a sample, drawn by `draw` in a rectangle 18 high, and words.
  template <class Draw>
  void add(float sample_width, std::string_view words, Draw&& draw) {
    const float gap = sample_width > 0 ? 10 : 0;
    const float wide = sample_width + gap + canvas_.width(std::string(words), TextStyle::control);
    if (wide > room_.w) return;
    draw(Rect{room_.x, room_.y, sample_width, 18});
    canvas_.text({room_.x + sample_width + gap, room_.y + 13}, std::string(words), TextStyle::control,
                 canvas_.theme().text2);
    room_.cut_left(wide + 32);
  }
  void add(std::string_view words) {
    add(0, words, [](const Rect&) {});
  }

 private:
  Canvas canvas_;
  Rect room_;
};

void draw_explanations(const Canvas& canvas, const Rect& room, const TensorPicture& picture, bool masked,
                       bool reduced) {
  LegendRow row(canvas, room);
  if (masked)
    row.add(28, "masked", [&](const Rect& sample) {
      canvas.hatch(sample, 8, 2);
      canvas.stroke(sample, canvas.theme().line_strong, 1, 2);
    });
  if (reduced) row.add(words_of(picture.reduction));
  if (picture.scale.multiples) row.add("×1: even attention over the visible keys");
  if (!info(picture.tensor).is_attention()) return;
  row.add(56, "tick: even attention", [&](const Rect& sample) {
    draw_measure_bar(canvas, {sample.x, sample.y + 5, sample.w, 7}, {HeadOrder::entropy, 0.6, 0.8, 1}, false);
  });
  row.add("entropy in bits, distance in positions");
}

}  // namespace

void draw_heads_view(ViewContext& context, Rect area) {
  Session& session = context.session;
  const Canvas canvas = context.ui.canvas();
  const TensorId tensor = tensor_with_heads(session);
  const Selection& selection = session.selection();
  const TensorId attention = attention_tensor(session);
  HeadStudies& studies = context.memory.get<HeadStudies>();
  const HeadStatistics& statistics = studies.statistics(session, selection.batch, attention);
  if (std::isnan(statistics.heads.front().entropy)) context.ui.request_frame_in(look_again);
  std::vector<Index> heads = ordered_heads(statistics, session.display().heads);
  const TensorPicture any = picture_of(context, tensor, selection.batch, heads.front());
  zoom_for(context, View::heads, tensor, any.transposed);
  const bool low = area.h < 640;

  Rect rest = context.presenting ? area : area.inset(margin, 0);
  const Gutter gutter = gutter_of(canvas, any, light_of(context, any), session);
  cut_lecture_story(
      context, rest, 0.34f,
      {.fit = [&](const Arrangement& tried,
                  const Story&) { return fit_of_slide(context, tried.picture, any, gutter, heads.size()); },
       .depends_on = {static_cast<Index>(heads.size())}});
  if (!context.presenting) {
    rest.cut_top(low ? 6 : 14);
    draw_header(context, rest, tensor);
    draw_hidden(context, rest);
  }
  const Rect legend = rest.cut_bottom(context.presenting ? 0 : low ? low_legend : high_legend);

  if (context.presenting && heads.size() > 1 && !all_are_read(context, rest, any, gutter, heads.size())) {
    const Rect own = room_of_one(context, rest, any, gutter);
    if (is_smaller_alone(context, own, rest, any, gutter, heads.size())) {
      draw_small(context, rest.inset(0, 6), any, heads);
      return;
    }
    if (own.w < rest.w) {
      std::vector<Index> others = heads;
      std::erase(others, selection.head);
      draw_small(context, {own.right() + 24, rest.y, rest.right() - own.right() - 10, rest.h}, any, others);
    }
    rest = own;
    heads = {selection.head};
  }
  const CardContent content = content_of(context, any, heads.size(), rest, gutter.width());
  const CardGrid grid = card_grid(rest.w, rest.h, gutter.width(), content);
  const bool panel_is_away = !context.bare() && current_layout(context).inspector_folded;
  const float below = panel_is_away ? similarity_height(rest.w, session.setup().sizes.heads) + 16 : 0;
  {
    const Rect viewport{area.x, rest.y, area.w, rest.h};
    const float high = grid.height() <= rest.h + 1 ? std::min(grid.height(), rest.h) : grid.height();
    const ScrollArea scroll(context.ui, "cards", viewport, high + below, context.ui.theme().canvas);
    // The cards are centred.
    const Point origin{rest.x + std::max(0.0f, rest.w - grid.width()) / 2,
                       scroll.content().y + std::max(0.0f, rest.h - grid.height() - below) / 2};
    draw_cards(context, viewport, origin, grid, gutter, tensor, heads, statistics, content.measures);
    if (panel_is_away)
      draw_similarity(context, {origin.x, origin.y + grid.height(), rest.right() - origin.x, below},
                      studies.similarities(session, selection.batch, attention));
  }
  const bool reduced =
      zoomed_heatmap(any, grid.cells({0, 0}, 0), canvas.scale(), context.memory.get<Zooms>().of(View::heads))
          .layout.reduced();
  if (context.presenting) return;
  const bool masked = info(tensor).masked && !context.session.setup().mask.kinds.empty();
  draw_explanations(canvas, draw_legend(context, legend, tensor, any.scale), any, masked, reduced);
}

}  // namespace headlight
