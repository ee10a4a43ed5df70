#include "app/views/tensors/cell_edit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/session/edits/own_numbers.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/value_controls.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/frame_memory.hpp"
#include "app/views/base/panels.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/tensors/effect_study.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/edits.hpp"
#include "core/text/numbers.hpp"

namespace headlight {
namespace {

constexpr float step_pixels = 4;
constexpr double edit_step = 0.05;
constexpr double fine_step = 0.01;
constexpr float least_pitch = 16;
constexpr float marked_pitch = 12;
constexpr std::string_view gesture = "number by hand";

CellEditMemory& memory_of(const ViewContext& context) { return context.memory.get<CellEditMemory>(); }

/// "0.8", "0.5488": no more digits than tell it from its neighbours.
std::string number_text(double value) { return fmt::format("{:.4g}", value); }

/// Steps lead to numbers with two decimals.
double stepped(double number, int steps, bool fine) {
  return std::round((number + steps * (fine ? fine_step : edit_step)) * 100) / 100;
}

CellEdit begun(const ViewContext& context, const Cell& cell, const Rect& at) {
  const Session& session = context.session;
  CellEdit edit;
  edit.cell = cell;
  edit.was = edit.number = edit.shown = session.model_trace().value(cell);
  edit.before = session.wanted();
  edit.at = at;
  return edit;
}

void drag(ViewContext& context, const Item& item, CellEdit& edit) {
  Ui& ui = context.ui;
  edit.dragged_by += ui.drag_of(item).x;
  const int steps = static_cast<int>(edit.dragged_by / step_pixels);
  if (steps != 0) {
    edit.dragged_by -= static_cast<float>(steps) * step_pixels;
    edit.number = stepped(edit.number, steps, ui.shift());
  }
  if (item.released_now || !item.held) edit.over = true;
}

/// A dot at the corner of every visible cell for which this holds.
template <class Marked>
void draw_dots(const Canvas& canvas, const TensorPicture& picture, const HeatmapLayout& layout, const Setup& setup,
               Marked&& marked) {
  const GridBlock visible = layout.visible();
  for (Index row = visible.rows.begin; row < visible.rows.end; ++row) {
    for (Index column = visible.columns.begin; column < visible.columns.end; ++column) {
      const GridCell at{row, column};
      if (!marked(picture.cell_at(at, setup))) continue;
      const Rect r = layout.rect_of(at);
      canvas.disc({r.right() - 1, r.y + 1}, 4.5f, canvas.theme().canvas);
      canvas.disc({r.right() - 1, r.y + 1}, 3.5f, canvas.theme().changed);
    }
  }
}

/// Marks what was changed by hand; and where everything is about such a number, what it reaches.
void draw_marks(ViewContext& context, const TensorPicture& picture, const HeatmapLayout& layout) {
  if (std::min(layout.pitch_x(), layout.pitch_y()) < marked_pitch) return;
  Session& session = context.session;
  const Values from = original_values(session);
  const Canvas canvas = context.ui.canvas();
  if (!session.setup().values.same(picture.tensor, from))
    draw_dots(canvas, picture, layout, session.setup(),
              [&](const Cell& cell) { return is_changed(session.setup(), from, cell); });
  if (is_drawn(picture.tensor, session.setup()) || !is_changed(session.setup(), from, session.cell())) return;
  const NumberEffects* const effects = context.memory.get<EffectStudy>().of(session, session.cell());
  if (effects == nullptr) return context.ui.request_frame_in(look_again);
  draw_dots(canvas, picture, layout, session.setup(), [&](const Cell& cell) {
    return !session.lesson().hides(cell, session.setup()) &&
           effects->before->number(cell) != session.model_trace().value(cell);
  });
}

void restore(ViewContext& context, CellEdit& edit) {
  context.session.edit(edit.before, gesture);
  edit.number = edit.was;
  edit.over = true;
}

// --- The bubble ------------------------------------------------------------------------------------------------------

constexpr float bubble_height = 60;
constexpr float typing_width = 208;
constexpr float around_words = 12;
constexpr float refusal_line = 16;

/// Above the cell, or below it where there is no room.
Rect bubble_at(const ViewContext& context, const CellEdit& edit, float height) {
  const Rect surface = context.ui.surface();
  const float width = edit.typing ? typing_width : 148.0f;
  const float x = std::clamp(edit.at.center().x - width / 2, surface.x + 8, surface.right() - width - 8);
  const float above = edit.at.y - height - 12;
  return {x, above > 50 ? above : edit.at.bottom() + 12, width, height};
}

void draw_frame(const Canvas& canvas, const Rect& bubble, const CellEdit& edit) {
  const Theme& theme = canvas.theme();
  canvas.fill(bubble, theme.raised, 8);
  canvas.stroke(bubble, edit.refused ? theme.error : theme.control, 1.5f, 8);
}

/// The change from the old number to the new one, on an axis that holds both and zero.
void draw_change(const Canvas& canvas, const Rect& r, const CellEdit& edit) {
  const Theme& theme = canvas.theme();
  const double reach = std::max({1.0, std::abs(edit.was), std::abs(edit.number)}) * 1.1;
  const auto x = [&](double value) { return r.center().x + static_cast<float>(value / reach) * r.w / 2; };
  canvas.fill({r.x, r.center().y - 1.5f, r.w, 3}, theme.control, 1.5f);
  const float a = x(edit.was), b = x(edit.number);
  canvas.fill({std::min(a, b), r.center().y - 2, std::abs(b - a), 4}, theme.changed, 2);
  canvas.fill({a - 0.75f, r.center().y - 6, 1.5f, 12}, theme.changed);
  canvas.disc({b, r.center().y}, 5, theme.text);
}

/// The frame and the old number; returns the room for the new one, and `rest` below it.
Rect draw_frame_and_was(const Canvas& canvas, const Rect& bubble, const CellEdit& edit, Rect& rest) {
  draw_frame(canvas, bubble, edit);
  rest = bubble.inset(around_words, 6);
  Rect line = rest.cut_top(28);
  const std::string was = fmt::format("was {}", number_text(edit.was));
  const float wide = canvas.width(was, TextStyle::caption) + 8;
  canvas.text_in(line.cut_right(wide), was, TextStyle::caption, canvas.theme().text2, Align::right);
  return line;
}

/// While a cell is dragged: over everything, and in no layer of its own, which would take the mouse from the cell.
void draw_drag_bubble(const ViewContext& context, const CellEdit& edit) {
  const Canvas canvas = context.ui.overlay();
  Rect rest;
  const Rect line = draw_frame_and_was(canvas, bubble_at(context, edit, bubble_height), edit, rest);
  canvas.text_in(line, number_text(edit.number), TextStyle::formula, canvas.theme().text);
  draw_change(canvas, rest.inset(0, 2), edit);
}

/// Below the field: the keys, or why the text is refused. The keyboard of a phone has no Esc.
void draw_words_below_field(const Canvas& canvas, const Rect& rest, const CellEdit& edit,
                            const std::vector<std::string_view>& refusal, bool by_finger) {
  const std::string_view keys = by_finger ? "Enter keeps it" : "Enter keeps it, Esc undoes it";
  if (!edit.refused) return canvas.text_in(rest, keys, TextStyle::caption, canvas.theme().text3);
  Rect lines = rest;
  for (const std::string_view line : refusal)
    canvas.text_in(lines.cut_top(refusal_line), line, TextStyle::caption, canvas.theme().error);
}

void draw_typing_bubble(ViewContext& context, CellEdit& edit) {
  constexpr int frames_to_get_the_keyboard = 3;
  const bool is_entered = !edit.text.empty() && edit.text == edit.entered;
  edit.refused = !typed_number(edit.text) && (is_entered || !begins_number(edit.text));
  const std::string why = edit.refused ? why_not_a_number(edit.text) : std::string();
  const auto refusal = context.ui.canvas().wrapped(why, TextStyle::caption, typing_width - 2 * around_words);
  const float more = edit.refused ? refusal_line * static_cast<float>(refusal.size() - 1) : 0;
  const Rect bubble = bubble_at(context, edit, bubble_height + more);
  const Layer layer(context.ui, "cell edit", bubble.outset(2));
  const Canvas canvas = context.ui.canvas();
  Rect rest;
  const Rect line = draw_frame_and_was(canvas, bubble, edit, rest);
  draw_words_below_field(canvas, rest, edit, refusal, context.ui.input().by_finger);
  const bool entered =
      std::ranges::any_of(context.ui.keys(), [](const KeyPress& press) { return press.chord == Chord{Key::enter}; });
  const TextEdit field = text_field(context.ui, "number", line.inset(0, 1), edit.text,
                                    {.style = TextStyle::number,
                                     .invalid = edit.refused,
                                     .focus_now = edit.age == 0,
                                     .caret_at_end = edit.offered.empty() && edit.age < frames_to_get_the_keyboard});
  const bool as_offered = !edit.offered.empty() && edit.text == edit.offered;
  const auto number = typed_number(edit.text);
  edit.number = as_offered ? edit.was : number.value_or(edit.was);  // never just the beginning of what was typed
  const bool waits = edit.age++ < frames_to_get_the_keyboard;
  if (entered) edit.entered = edit.text;
  if (entered && !number && !edit.text.empty()) edit.age = 0;  // to be mended
  else if (entered || field.committed || (!field.active && !waits)) edit.over = true;
  if (waits || field.changed) context.ui.request_frame();
}

/// Whether a picture's cells can be changed: its numbers can be given, and read.
bool can_edit(const ViewContext& context, const TensorPicture& picture, const HeatmapLayout& layout) {
  return !context.still && takes_numbers(picture.tensor, context.session.setup()) &&
         !context.session.state().computing && std::min(layout.pitch_x(), layout.pitch_y()) >= least_pitch;
}

}  // namespace

bool drags_cell(const ViewContext& context, const Item& item) {
  const auto& edit = memory_of(context).edit;
  return edit && edit->dragged && item.held;
}

void edit_cells(ViewContext& context, const Item& item, const TensorPicture& picture, const Heatmap& heatmap) {
  draw_marks(context, picture, heatmap.layout);
  CellEditMemory& memory = memory_of(context);
  const Setup& setup = context.session.setup();
  const auto rect_of = [&](const Cell& cell) {
    const Selection at = at_cell(context.session.selection(), cell, setup);
    return heatmap.layout.rect_of(GridCell{at.row, at.column});
  };
  if (memory.edit) {
    if (memory.edit_item == 0 && memory.edit->cell.tensor == picture.tensor) memory.edit_item = item.id;
    if (memory.edit->dragged && item.id == memory.edit_item) drag(context, item, *memory.edit);
    if (memory.edit->cell.tensor == picture.tensor && item.id == memory.edit_item)
      memory.edit->at = rect_of(memory.edit->cell);
    return;
  }
  const bool editable = can_edit(context, picture, heatmap.layout);
  // A finger that moves over numbers scrolls: its long press has a menu, which types them.
  const bool drags = editable && heatmap.layout.shows_all() && !context.ui.input().by_finger;
  if (drags && heatmap.at(context.ui.mouse())) context.ui.claim_drag(item);
  if (item.pressed_now) {
    const auto under = editable ? heatmap.at(context.ui.mouse()) : std::nullopt;
    memory.pressed = under ? std::optional(picture.cell_at(under->cell, setup)) : std::nullopt;
  }
  if (item.held && item.dragged && heatmap.layout.shows_all() && memory.pressed &&
      memory.pressed->tensor == picture.tensor) {
    memory.edit = begun(context, *memory.pressed, rect_of(*memory.pressed));
    memory.edit->dragged = true;
    memory.edit_item = item.id;
    context.session.end_gesture();
    return;
  }
  const Session& session = context.session;
  if (!editable || !session.state().pinned || session.selection().tensor != picture.tensor) return;
  std::string typed = context.ui.take_typed_number();
  if (typed.empty()) return;
  const Cell cell = cell_of(session.selection(), setup);
  memory.edit = begun(context, cell, rect_of(cell));
  memory.edit->typing = true;
  memory.edit->text = std::move(typed);
  memory.edit_item = item.id;
  context.session.end_gesture();
}

void type_over_cell(ViewContext& context, const Cell& cell) {
  Session& session = context.session;
  if (session.state().computing || !takes_numbers(cell.tensor, session.setup())) return;
  const Rect centre = current_layout(context).centre;
  const Rect at = context.memory.get<FrameMemory>().lit_cell.value_or(Rect{centre.center().x, centre.center().y, 0, 0});
  CellEdit edit = begun(context, cell, at);
  edit.typing = true;
  if (!session.lesson().hides(cell, session.setup()))
    edit.text = edit.offered = exact_text(edit.was, session.setup().attention.precision);
  CellEditMemory& memory = memory_of(context);
  memory.edit = std::move(edit);
  memory.edit_item = 0;  // the picture that draws the cell
  session.end_gesture();
  context.ui.request_frame();
}

void finish_cell_edit(ViewContext& context) {
  CellEditMemory& memory = memory_of(context);
  if (!memory.edit) return;
  Session& session = context.session;
  CellEdit& edit = *memory.edit;
  if (context.ui.take_key(Key::escape)) {
    restore(context, edit);
  } else {
    if (edit.dragged) draw_drag_bubble(context, edit);
    else draw_typing_bubble(context, edit);
    const bool changed = edit.number != edit.was || session.wanted() != edit.before;
    if (changed) {
      // What has been learnt stays as it is but for this number, and training goes on from there.
      const Setup from =
          session.wanted() == edit.before ? going_on_from(edit.before, session.model_trace()) : session.wanted();
      const auto problems =
          session.edit(edit.number == edit.was ? edit.before : with_number(from, edit.cell, edit.number), gesture);
      if (!problems.empty()) session.notify(problems.front().message());
    }
  }
  if (edit.dragged && !context.ui.mouse_down()) edit.over = true;
  if (edit.over || edit.number != std::exchange(edit.shown, edit.number)) context.ui.request_frame();
  if (!edit.over) return;
  session.end_gesture();
  memory.edit.reset();
  memory.pressed.reset();
}

}  // namespace headlight
