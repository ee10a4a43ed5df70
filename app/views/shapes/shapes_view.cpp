// The shapes view: a table of every tensor's axes, their extents, its numbers and its memory. A click on a row selects
// its tensor.
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/views.hpp"
#include "app/views/story/arrangement.hpp"
#include "core/model/shapes.hpp"
#include "core/stages/code.hpp"
#include "core/stages/table.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

constexpr float margin = 24;
constexpr float title_height = 48;
constexpr float row_height = 26;

/// The columns behind the axes, from the right.
struct Column {
  std::string_view title;
  float width;
  std::string (*text)(TensorId id, const Setup& setup);
};

std::string memory_of(TensorId id, const Setup& setup) {
  if (is_window(id, setup)) return "a window";
  const auto bytes = static_cast<std::int64_t>(bytes_per_element(setup.attention.precision));
  return format_bytes(shape(id, setup).elements() * bytes);
}

constexpr std::array columns{
    Column{"memory", 100, memory_of},
    Column{"numbers", 110, [](TensorId id, const Setup& s) { return fmt::format("{}", shape(id, s).elements()); }},
    Column{"shape", 170, [](TensorId id, const Setup& s) { return shape(id, s).to_string(); }},
};

/// A line of the table: the tensor's name, its axes as far as there is room, and the columns.
void draw_line(const Canvas& canvas, Rect row, std::string_view name, std::string_view axes, TextStyle style,
               Color color, auto text) {
  for (const Column& column : columns)
    canvas.text_in(row.cut_right(column.width), text(column), style, color, Align::right);
  canvas.text_in(row.cut_left(150), name, style, color);
  if (canvas.width(axes, TextStyle::code) < row.w) canvas.text_in(row, axes, TextStyle::code, canvas.theme().text2);
}

void draw_row(ViewContext& context, const Rect& row, TensorId id) {
  Session& session = context.session;
  const Setup& setup = session.setup();
  const Canvas canvas = context.ui.canvas();
  const bool shown = session.selection().tensor == id;
  context.ui.push_id(static_cast<int>(id));
  const Item item = context.ui.item("row", row);
  if (item.clicked) Selecting(session).select_tensor(id);
  if (shown) canvas.fill(row, canvas.theme().raised, 4);
  else if (item.hovered) canvas.fill(row, canvas.theme().hover, 4);
  if (item.focused) canvas.focus_ring(row.inset(2));
  draw_line(canvas, row.inset(10, 0), name(id), shape_words(id, {setup}),
            shown ? TextStyle::mono_strong : TextStyle::mono, canvas.theme().text,
            [&](const Column& column) { return column.text(id, setup); });
  context.ui.pop_id();
}

}  // namespace

void draw_shapes_view(ViewContext& context, Rect area) {
  const Canvas canvas = context.ui.canvas();
  const Setup& setup = context.session.setup();
  std::vector<TensorId> tensors;
  for (const TensorInfo& tensor : all_tensors())
    if (exists(tensor.id, setup)) tensors.push_back(tensor.id);

  Rect rest = context.presenting ? area : area.inset(margin, 0);
  cut_lecture_story(context, rest, 0.34f);
  canvas.text_in(rest.cut_top(title_height), "Shapes", TextStyle::title, canvas.theme().text);
  draw_line(canvas, rest.cut_top(row_height).inset(10, 0), "tensor", "", TextStyle::control, canvas.theme().text3,
            [](const Column& column) { return column.title; });
  const ScrollArea scroll(context.ui, "table", rest, row_height * static_cast<float>(tensors.size()),
                          canvas.theme().canvas);
  Rect rows = scroll.content();
  for (TensorId id : tensors) draw_row(context, rows.cut_top(row_height), id);
}

}  // namespace headlight
