#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/heatmap/numbers.hpp"
#include "app/session/edits/own_numbers.hpp"
#include "app/session/lesson.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/session/studies/learning.hpp"
#include "app/slices/slice.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/base/views.hpp"
#include "app/views/inspector/inspector_column.hpp"
#include "app/views/inspector/known_explanation.hpp"
#include "app/views/tensors/asked_cells.hpp"
#include "app/views/tensors/axis_labels.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/edits.hpp"
#include "core/stages/explain.hpp"

namespace headlight {
namespace {

struct InspectorMemory {
  float height = 0;  ///< of the inspector's whole content in the last frame
};

constexpr float padding = 20;
constexpr float button_size = 24;

bool is_masked(const Session& session, const Cell& cell) {
  const Selection selection = at_cell(session.selection(), cell, session.setup());
  return slice_of(session.trace(), cell.tensor, selection.batch, selection.head)
             .kind(selection.row, selection.column) == CellKind::masked;
}

/// Back, forward and pin, to the right of the name.
void draw_buttons(Column& column, const Rect& row) {
  if (column.context.still || column.context.ui.serves_finger()) return;
  Ui& ui = column.context.ui;
  Session& session = column.context.session;
  const auto button_area = [&](int from_right) {
    return Rect{row.right() - button_size * static_cast<float>(from_right + 1) + 4, row.y, button_size, button_size};
  };
  const bool pinned = session.state().pinned;
  const ButtonOptions quiet{.kind = ButtonKind::quiet};
  ButtonOptions back = quiet;
  back.enabled = session.pins().can_go_back();
  back.tooltip = "Back to the previous cell";
  if (icon_button(ui, "back", button_area(2), Icon::chevron_left, back)) Selecting(session).go_back();
  ButtonOptions forward = quiet;
  forward.enabled = session.pins().can_go_forward();
  forward.tooltip = "Forward";
  if (icon_button(ui, "forward", button_area(1), Icon::chevron_right, forward)) Selecting(session).go_forward();
  ButtonOptions pin = quiet;
  pin.selected = pinned;
  pin.tooltip = pinned ? "Unpin this cell" : "Pin this cell";
  pin.keys = pinned ? "Esc" : "P";
  if (icon_button(ui, "pin", button_area(0), Icon::pin, pin)) {
    if (pinned) Selecting(session).release();
    else Selecting(session).pin();
  }
}

/// "sat · The" for a cell between a query and a key; one token for a cell of a position. Two fit into `room`.
std::vector<Run> token_runs(const Canvas& canvas, const Cell& cell, const Session& session, float room,
                            std::vector<std::string>& storage) {
  const Theme& theme = canvas.theme();
  storage.clear();
  storage.reserve(3);
  std::vector<Run> runs;
  for (const bool last : {false, true}) {
    const int from_end = last ? 0 : 1;
    if (cell.index.rank() <= from_end) continue;
    const AxisLabel label = axis_label(cell.tensor, last, cell.index.back(from_end), session);
    if (label.token.empty()) continue;
    if (!runs.empty()) runs.push_back({"  ·  ", TextStyle::body, theme.text3});
    storage.push_back(canvas.ellipsized(label.token, TextStyle::body_strong, 0.45f * room));
    runs.push_back({storage.back(), TextStyle::body_strong, theme.identity(axis_role(cell.tensor, last), theme.text2)});
  }
  return runs;
}

std::string big_text(double value, bool masked) {
  if (masked && std::isinf(value)) return "−∞";
  return format_that_fits(std::abs(value), value < 0, 9, 4)(value);
}

void draw_exact(Column& column, const Cell& cell, double value) {
  ViewContext& context = column.context;
  const Canvas canvas = context.ui.canvas();
  const std::string text = exact_text(value, context.session.trace()[cell.tensor].precision());
  const Rect row = column.row(context.ui.reach(20));
  const Item item =
      context.ui.item("exact", {row.x, row.y, canvas.width(text, TextStyle::code) + 20, row.h}, {.focusable = false});
  canvas.text_in(row, text, TextStyle::code, item.hovered ? canvas.theme().text : canvas.theme().text3);
  if (item.hovered)
    canvas.icon(Icon::copy, {row.x + canvas.width(text, TextStyle::code) + 6, row.y + 4}, canvas.theme().text2, 1.5f,
                12);
  context.ui.tooltip(item, "Every digit. Click to copy");
  if (!item.clicked) return;
  context.session.request(CopyText{text});
  context.session.notify(fmt::format("Copied {}", text_of(cell, context.session.setup())));
}

/// If the user has given the number by hand, says so and draws a button that resets it.
void draw_given(Column& column, const Cell& cell) {
  Session& session = column.context.session;
  if (!takes_numbers(cell.tensor, session.setup()) || column.context.still) return;
  const Values& from = original_values(session);
  if (!is_changed(session.setup(), from, cell)) return;
  const Canvas canvas = column.context.ui.canvas();
  Rect row = column.row(column.context.ui.reach(28));
  changed_dot(canvas, {row.x + 4, row.center().y});
  canvas.text_in({row.x + 16, row.y, row.w - 110, row.h}, "given by hand", TextStyle::control, canvas.theme().text2);
  if (button(column.context.ui, "reset number", row.cut_right(84), "Reset",
             {.kind = ButtonKind::quiet, .tooltip = "Reset to the number before your change"})) {
    session.end_gesture();
    session.edit(with_cell_of(from, session.wanted(), cell));
  }
}

/// For a gradient: the meaning of its sign, and its number.
void draw_value_itself(Column& column, const Explanation& explanation) {
  const Cell& cell = explanation.cell;
  if (!is_gradient(cell.tensor)) return;
  const Session& session = column.context.session;
  const Canvas canvas = column.context.ui.canvas();
  const Theme& theme = canvas.theme();
  const Cell value{without_gradient(cell.tensor), cell.index, cell.layer};
  column.space(6);
  const Rect says = column.row(20);
  const std::string_view sign = explanation.value < 0   ? "negative: a little more here, less loss"
                                : explanation.value > 0 ? "positive: a little more here, more loss"
                                                        : "zero: a little more here changes nothing";
  canvas.text_in(says, sign, TextStyle::control, theme.text2);
  Rect row = column.row(column.context.ui.reach(26));
  canvas.stroke(row, theme.line_strong, 1, 6);
  row = row.inset(10, 0);
  const double number = session.model_trace().value(value);
  canvas.text_in(row, format_that_fits(std::abs(number), number < 0, 9, 4)(number), TextStyle::mono_strong, theme.text,
                 Align::right);
  const float words = canvas.width("the value ", TextStyle::control) + 6;
  canvas.text_in(row.cut_left(words), "the value", TextStyle::control, theme.text2);
  cell_link(column, "value itself", {row.x, row.y, row.w - 70, row.h},
            canvas.ellipsized(text_of(value, session.setup()), TextStyle::code, row.w - 70), TextStyle::code,
            theme.identity(info(value.tensor).role, theme.text2), value);
}

void draw_note(Column& column, std::string_view note, bool masked) {
  if (note.empty()) return;
  const Canvas canvas = column.context.ui.canvas();
  const float room = column.width - 40;
  const auto lines = canvas.wrapped(note, TextStyle::control, room);
  column.space(8);
  const Rect box = column.row(18 * static_cast<float>(lines.size()) + 12);
  canvas.stroke(box, canvas.theme().line_strong, 1, 6);
  const Rect mark{box.x + 8, box.y + 8, 16, 16};
  if (masked) canvas.hatch(mark, 4, 3);
  else canvas.icon(Icon::help, {mark.x + 1, mark.y + 1}, canvas.theme().text3, 1.5f, 14);
  canvas.paragraph({box.x + 32, box.y + 19}, note, TextStyle::control, canvas.theme().text2, room, 18);
}

void draw_head(Column& column, const Explanation& explanation) {
  const Session& session = column.context.session;
  const Canvas canvas = column.context.ui.canvas();
  const Theme& theme = canvas.theme();
  const bool masked = is_masked(session, explanation.cell);
  std::vector<std::string> storage;
  const Rect title = column.row(button_size);
  const auto runs = cell_runs(theme, explanation.cell, session.setup(), TextStyle::mono, storage);
  canvas.push_clip({title.x, title.y, title.w - 3 * button_size, title.h});
  canvas.rich({title.x, canvas.centered_baseline(title, TextStyle::mono)}, runs);
  canvas.pop_clip();
  draw_buttons(column, title);
  const Rect big = column.row(44);
  const std::string value = big_text(explanation.value, masked);
  canvas.text({big.x, big.y + 34}, value, TextStyle::big_value, theme.text);
  std::vector<std::string> tokens;
  const auto pair = token_runs(canvas, explanation.cell, session, big.w, tokens);
  if (canvas.width(pair) + canvas.width(value, TextStyle::big_value) + 12 < big.w)
    canvas.rich({big.right(), big.y + 34}, pair, Align::right);
  else if (!pair.empty()) canvas.rich({column.x, column.row(22).y + 15}, pair);
  offer_cell_menu(column, {column.x, title.y, column.width, column.y - title.y}, explanation.cell);
  draw_exact(column, explanation.cell, explanation.value);
  draw_given(column, explanation.cell);
  draw_value_itself(column, explanation);
  draw_note(column, explanation.note, masked);
}

/// Tries a gradient, to make it believable: nudges the number, and compares the change of the loss with the prediction.
void draw_try_it(Column& column, const Cell& cell) {
  if (!is_gradient(cell.tensor)) return;
  const auto trial = trial_of(column.context.session.model_trace(), cell);
  if (!trial) return;
  draw_section(column, "Try it", "nudge the value");
  const Canvas canvas = column.context.ui.canvas();
  const Theme& theme = canvas.theme();
  const auto row = [&](std::string_view words, const std::string& number, TextStyle style) {
    const Rect r = column.row(22);
    canvas.text_in(r, words, style, theme.text2);
    canvas.text_in(r, number, TextStyle::mono, theme.text, Align::right);
  };
  const std::string value =
      text_of({without_gradient(cell.tensor), cell.index, cell.layer}, column.context.session.setup());
  row(fmt::format("{} + {:g}", value, trial->nudge), "", TextStyle::code);
  row("loss", fmt::format("{:.5f} → {:.5f}", trial->before, trial->after), TextStyle::control);
  row("measured", fmt::format("{:+.3g}", trial->measured()), TextStyle::control);
  row(fmt::format("gradient · {:g}", trial->nudge), fmt::format("{:+.3g}", trial->predicted), TextStyle::control);
}

/// Replaces the explanation of a number that the lecture asks about, or of one that is computed from it.
void draw_hidden(ViewContext& context, const Rect& area, std::string_view why) {
  const Canvas canvas = context.ui.canvas();
  const Cell cell = context.session.cell();
  canvas.text({area.x + padding, area.y + 32}, text_of(cell, context.session.setup()), TextStyle::mono,
              canvas.theme().text2);
  canvas.text({area.x + padding, area.y + 76}, "?", TextStyle::big_value, canvas.theme().text);
  canvas.paragraph({area.x + padding, area.y + 108}, why, TextStyle::control, canvas.theme().text2,
                   area.w - 2 * padding, 18);
}

}  // namespace

void draw_inspector(ViewContext& context, Rect area) {
  const Session& session = context.session;
  if (points_at_answer(session)) {
    context.ui.canvas().paragraph({area.x + padding, area.y + 32}, words_on_asked, TextStyle::control,
                                  context.ui.theme().text2, area.w - 2 * padding, 18);
    return;
  }
  const auto shown =
      context.memory.get<InspectorExplanations>().number.of(session.trace_of(session.cell()), session.cell());
  const Explanation& explanation = *shown;
  if (const std::string_view why = words_instead_of(session, explanation); !why.empty())
    return draw_hidden(context, area, why);
  InspectorMemory& memory = context.memory.get<InspectorMemory>();
  const ScrollArea scroll(context.ui, "inspector", area, memory.height, context.ui.theme().panel);
  Column column{context, area.x + padding, area.w - 2 * padding, scroll.content().y + 14};
  const float top = scroll.content().y;
  draw_head(column, explanation);
  if (!context.still) draw_effects(column, explanation.cell);
  draw_terms(column, shown);
  draw_sources(column, explanation.cell);
  draw_try_it(column, explanation.cell);
  draw_destinations(column, explanation);
  if (!context.still) draw_path_back(column, explanation);
  if (!context.still && !context.ui.serves_finger() && !asks_about(session, explanation.cell.tensor))
    draw_range(column, explanation.cell);
  const float height = column.y + 16 - top;
  if (std::abs(height - memory.height) > 0.5f) context.ui.request_frame();
  memory.height = height;
}

}  // namespace headlight
