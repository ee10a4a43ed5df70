#include "app/views/heads/head_column.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "app/heatmap/numbers.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/menus/context_menu.hpp"
#include "app/views/tensors/picture_cells.hpp"
#include "app/views/tensors/tensor_picture.hpp"
#include "core/stages/explain.hpp"

namespace headlight {
namespace {

constexpr float label_height = 30;
constexpr float column_gap = 12;
constexpr float before_value = 8;
constexpr std::string_view widest_value = "masked";

struct Grid {
  int columns = 1;
  float thumb_w = 0;
  float thumb_h = 0;
};

/// One column with thumbnails as large as possible, or two columns if one would have to scroll.
Grid grid_of(const Rect& area, Index heads, float aspect) {
  const auto of = [&](int columns) {
    const float width = (area.w - 8 - column_gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
    return Grid{columns, width, std::clamp(width * aspect, std::min(24.0f, width), width)};
  };
  const Grid one = of(1);
  return (one.thumb_h + label_height) * static_cast<float>(heads) <= area.h ? one : of(2);
}

std::string value_text(double value) {
  constexpr int characters = static_cast<int>(widest_value.size());
  const NumberFormat format = format_that_fits(std::abs(value), value < 0, characters, 3);
  return format(value);
}

/// The number in the ringed cell of a picture.
std::string value_under(const Session& session, const TensorPicture& picture, const GridCell& ring) {
  if (session.lesson().hides(picture.cell_at(ring, session.setup()), session.setup())) return "?";
  if (picture.slice.kind(ring.row, ring.column) == CellKind::masked) return "masked";
  return value_text(picture.slice.value(ring.row, ring.column));
}

void draw_head(ViewContext& context, const Rect& thumb, TensorId tensor, Index head, const std::string& name) {
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Theme& theme = canvas.theme();
  const Session& session = context.session;
  const bool own = session.selection().head == head;
  const TensorPicture picture = picture_of(context, tensor, session.selection().batch, head);
  const PictureLight light = light_of(context, picture);
  ui.push_id(static_cast<int>(head));
  draw_cells(context, "thumb", picture, picture.heatmap(thumb, ui.scale()), light,
             {.numbers = false, .interactive = false});
  const Rect row{thumb.x, thumb.bottom() + 5, thumb.w, 20};
  const Item item = ui.item("head", {thumb.x, thumb.y, thumb.w, thumb.h + label_height - 4});
  ui.say_control(item, session.setup().head_label(head), "head", own ? "shown" : "");
  if (item.clicked) Selecting(context.session).select_head(head);
  offer_menu(context, thumb.outset(4), item, head_target(session, head));
  ui.pop_id();
  if (own) canvas.stroke(thumb.outset(5), theme.lamp, 2, 6);
  else if (item.hovered) canvas.stroke(thumb.outset(5), theme.outline, 1, 6);
  if (item.focused) canvas.focus_ring(thumb.outset(4));
  const TextStyle style = own ? TextStyle::body_strong : TextStyle::body;
  const std::string words = head_words(head, session.setup());
  if (name != words || !session.setup().head_names.empty()) ui.tooltip(item, words);
  const Color ink = own ? theme.text : theme.text2;
  canvas.text_in(row, name, style, ink);
  const std::string value = light.ring ? value_under(session, picture, *light.ring) : "";
  if (canvas.width(name, style) + before_value + canvas.width(value, TextStyle::mono) <= row.w)
    canvas.text_in(row, value, TextStyle::mono, ink, Align::right);
}

}  // namespace

std::vector<std::string> head_column_names(const Canvas& canvas, const Setup& setup, float width) {
  using Form = std::string (*)(Index head, const Setup& setup);
  static constexpr std::array<Form, 3> forms{head_words,
                                             [](Index head, const Setup&) { return fmt::format("head {}", head); },
                                             [](Index head, const Setup&) { return fmt::format("{}", head); }};
  const float room = width - before_value - canvas.width(widest_value, TextStyle::mono);
  std::vector<std::string> names(static_cast<std::size_t>(setup.sizes.heads));
  for (const Form form : forms) {
    for (std::size_t head = 0; head < names.size(); ++head) names[head] = form(static_cast<Index>(head), setup);
    // Measured in the style of the selected head, which is the widest, so that the names do not change with the
    // selection.
    const auto fits = [&](const std::string& name) { return canvas.width(name, TextStyle::body_strong) <= room; };
    if (std::ranges::all_of(names, fits)) break;
  }
  return names;
}

void draw_head_column(ViewContext& context, const Rect& area, TensorId tensor) {
  const Canvas canvas = context.ui.canvas();
  const Session& session = context.session;
  Rect rest = area;
  canvas.text_in(rest.cut_top(26), "All heads", TextStyle::heading, canvas.theme().text);
  const Index heads = session.setup().sizes.heads;
  const TensorPicture any = picture_of(context, tensor, 0, 0);
  const float aspect = static_cast<float>(any.rows_on_screen()) / static_cast<float>(any.columns_on_screen());
  rest = rest.outset(6);
  const Grid grid = grid_of(rest.inset(6), heads, std::clamp(aspect, 0.25f, 1.0f));
  const Index rows = (heads + grid.columns - 1) / grid.columns;
  const float pitch = grid.thumb_h + label_height + 6;
  const auto names = head_column_names(canvas, session.setup(), grid.thumb_w);
  const ScrollArea scroll(context.ui, "heads", rest, pitch * static_cast<float>(rows) + 12, context.ui.theme().canvas);
  for (Index head = 0; head < heads; ++head) {
    const auto column = static_cast<float>(head % grid.columns);
    const auto row = static_cast<float>(head / grid.columns);
    const Rect thumb{scroll.content().x + 6 + column * (grid.thumb_w + column_gap),
                     scroll.content().y + 8 + row * pitch, grid.thumb_w, grid.thumb_h};
    if (thumb.bottom() + label_height < rest.y || thumb.y > rest.bottom()) continue;
    draw_head(context, thumb, tensor, head, names[static_cast<std::size_t>(head)]);
  }
}

}  // namespace headlight
