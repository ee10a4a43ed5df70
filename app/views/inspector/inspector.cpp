#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
#include "app/views/inspector/inspector_parts.hpp"
#include "app/views/inspector/known_explanation.hpp"
#include "app/views/tensors/asked_cells.hpp"
#include "app/views/tensors/axis_labels.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/edits.hpp"
#include "core/stages/explain.hpp"

namespace headlight {
namespace {

constexpr float button_size = 24;

bool is_masked(const Session& session, const Cell& cell) {
  const Selection selection = at_cell(session.selection(), cell, session.setup());
  return slice_of(session.trace(), cell.tensor, selection.batch, selection.head)
             .kind(selection.row, selection.column) == CellKind::masked;
}

Box icon_button_box(std::string id, Icon icon, const ButtonOptions& options, std::function<void()> act) {
  return drawn({button_size, button_size}, button_size,
               [id = std::move(id), icon, options, act = std::move(act)](Ui& ui, const Rect& r) {
                 if (icon_button(ui, id, r, icon, options)) act();
               });
}

/// Back, forward and pin.
Box buttons(ViewContext& context) {
  if (context.still || context.ui.serves_finger()) return nothing();
  Session& session = context.session;
  const bool pinned = session.state().pinned;
  return row({icon_button_box("back", Icon::chevron_left,
                              {.kind = ButtonKind::quiet,
                               .enabled = session.pins().can_go_back(),
                               .tooltip = "Back to the previous cell"},
                              [&session] { Selecting(session).go_back(); }),
              icon_button_box(
                  "forward", Icon::chevron_right,
                  {.kind = ButtonKind::quiet, .enabled = session.pins().can_go_forward(), .tooltip = "Forward"},
                  [&session] { Selecting(session).go_forward(); }),
              icon_button_box("pin", Icon::pin,
                              {.kind = ButtonKind::quiet,
                               .selected = pinned,
                               .tooltip = pinned ? "Unpin this cell" : "Pin this cell",
                               .keys = pinned ? "Esc" : "P"},
                              [&session, pinned] {
                                if (pinned) Selecting(session).release();
                                else Selecting(session).pin();
                              })},
             0)
      .unbroken()
      .ended();
}

/// "sat · The" for a cell between a query and a key; one token for a cell of a position.
Box tokens_of(ViewContext& context, const Cell& cell) {
  const Theme& theme = context.ui.theme();
  Boxes tokens;
  for (const bool last : {false, true}) {
    const int from_end = last ? 0 : 1;
    if (cell.index.rank() <= from_end) continue;
    const AxisLabel label = axis_label(cell.tensor, last, cell.index.back(from_end), context.session);
    if (label.token.empty()) continue;
    if (!tokens.empty()) tokens.push_back(words("·", TextStyle::body, theme.text3));
    tokens.push_back(words(std::string(label.token), TextStyle::body_strong,
                           theme.identity(axis_role(cell.tensor, last), theme.text2))
                         .ending(100));
  }
  return row(std::move(tokens)).unbroken().ended();
}

std::string number_text(double value) { return format_that_fits(std::abs(value), value < 0, 9, 4)(value); }

/// All digits. A click copies them.
Box exact(ViewContext& context, const Cell& cell, double value) {
  const std::string text = exact_text(value, context.session.trace()[cell.tensor].precision());
  const float width = context.ui.canvas().width(text, TextStyle::code) + 20;
  return drawn({width, width}, context.ui.reach(20), [&context, cell, text](Ui& ui, const Rect& r) {
    const Canvas canvas = ui.canvas();
    const float digits = canvas.width(text, TextStyle::code);
    const Item item = ui.item("exact", {r.x, r.y, digits + 20, r.h});
    const bool lit = item.hovered || item.focused;
    if (item.focused) canvas.focus_ring({r.x, r.y + 2, digits + 20, r.h - 4}, 4);
    canvas.text_in(r, text, TextStyle::code, lit ? canvas.theme().text : canvas.theme().text3);
    if (lit) canvas.icon(Icon::copy, {r.x + digits + 6, r.center().y - 6}, canvas.theme().text2, 1.5f, 12);
    ui.tooltip(item, "Every digit. Click to copy");
    ui.say_focused(item, "Every digit, button: " + text);
    if (!item.clicked) return;
    context.session.request(CopyText{text});
    context.session.notify(fmt::format("Copied {}", text_of(cell, context.session.setup())));
  });
}

/// If the user has given the number by hand, says so and has a button that resets it.
Box given(ViewContext& context, const Cell& cell) {
  Session& session = context.session;
  if (!takes_numbers(cell.tensor, session.setup()) || context.still) return nothing();
  const Values& from = original_values(session);
  if (!is_changed(session.setup(), from, cell)) return nothing();
  Box reset = drawn({84, 84}, context.ui.reach(28), [&session, cell](Ui& ui, const Rect& r) {
    if (!button(ui, "reset number", r, "Reset",
                {.kind = ButtonKind::quiet, .tooltip = "Reset to the number before your change"}))
      return;
    session.end_gesture();
    session.edit(with_cell_of(original_values(session), session.wanted(), cell));
  });
  Box dot = drawn({8, 8}, 8, [](Ui& ui, const Rect& r) { changed_dot(ui.canvas(), r.center()); });
  return row(
      {std::move(dot), words("given by hand", TextStyle::control, context.ui.theme().text2), std::move(reset).ended()});
}

Box::Draw frame() {
  return [](Ui& ui, const Rect& r) { ui.canvas().stroke(r, ui.theme().line_strong, 1, 6); };
}

/// For a gradient: the meaning of its sign, and its number.
Box value_itself(ViewContext& context, const Explanation& explanation) {
  const Cell& cell = explanation.cell;
  if (!is_gradient(cell.tensor)) return nothing();
  const Theme& theme = context.ui.theme();
  const Cell value{without_gradient(cell.tensor), cell.index, cell.layer};
  const std::string_view sign = explanation.value < 0   ? "negative: a little more here, less loss"
                                : explanation.value > 0 ? "positive: a little more here, more loss"
                                                        : "zero: a little more here changes nothing";
  return column(
      {space(6), words(std::string(sign), TextStyle::control, theme.text2),
       row({words("the value", TextStyle::control, theme.text2), cell_link(context, "value itself", value),
            words(number_text(context.session.model_trace().value(value)), TextStyle::mono_strong, theme.text).ended()})
           .inset(10, 1)
           .on(frame())});
}

Box note(const Theme& theme, std::string_view text, bool masked) {
  if (text.empty()) return nothing();
  Box mark = drawn({16, 16}, 16, [masked](Ui& ui, const Rect& r) {
    if (masked) ui.canvas().hatch(r, 4, 3);
    else ui.canvas().icon(Icon::help, {r.x + 1, r.y + 1}, ui.theme().text3, 1.5f, 14);
  });
  return column({space(8), row({std::move(mark), words(std::string(text), TextStyle::control, theme.text2).high(18)})
                               .inset(8, 6)
                               .on(frame())});
}

Box head(ViewContext& context, const Explanation& explanation) {
  const Theme& theme = context.ui.theme();
  const Cell cell = explanation.cell;
  const bool masked = is_masked(context.session, cell);
  const std::string value = masked && std::isinf(explanation.value) ? "−∞" : number_text(explanation.value);
  Box name = column({row({cell_name(theme, cell, context.session.setup(), TextStyle::mono), buttons(context)}),
                     row({words(value, TextStyle::big_value, theme.text).high(44), tokens_of(context, cell)}, 12)})
                 .under([&context, cell](Ui&, const Rect& r) { offer_cell_menu(context, r, cell); });
  return column({std::move(name), exact(context, cell, explanation.value), given(context, cell),
                 value_itself(context, explanation), note(theme, explanation.note, masked)});
}

/// Tries a gradient, to make it believable: nudges the number, and compares the change of the loss with the prediction.
Box try_it(ViewContext& context, const Cell& cell) {
  const auto trial = is_gradient(cell.tensor) ? trial_of(context.session.model_trace(), cell) : std::nullopt;
  if (!trial) return nothing();
  const std::string value = text_of({without_gradient(cell.tensor), cell.index, cell.layer}, context.session.setup());
  return section(
      context, "Try it", "nudge the value",
      {words(fmt::format("{} + {:g}", value, trial->nudge), TextStyle::code, context.ui.theme().text2).high(22),
       number_row(context, "loss", fmt::format("{:.5f} → {:.5f}", trial->before, trial->after)),
       number_row(context, "measured", fmt::format("{:+.3g}", trial->measured())),
       number_row(context, fmt::format("gradient · {:g}", trial->nudge), fmt::format("{:+.3g}", trial->predicted))});
}

/// In place of the explanation of a number that the lecture asks about, or of one that is computed from it.
Box hidden(ViewContext& context, std::string_view why) {
  const Theme& theme = context.ui.theme();
  return column({cell_name(theme, context.session.cell(), context.session.setup(), TextStyle::mono),
                 words("?", TextStyle::big_value, theme.text).high(44),
                 words(std::string(why), TextStyle::control, theme.text2).high(18)},
                4);
}

Box inspector(ViewContext& context) {
  const Session& session = context.session;
  if (points_at_answer(session))
    return words(std::string(words_on_asked), TextStyle::control, context.ui.theme().text2).high(18);
  const auto shown =
      context.memory.get<InspectorExplanations>().number.of(session.trace_of(session.cell()), session.cell());
  const Explanation& explanation = *shown;
  if (const std::string_view why = words_instead_of(session, explanation); !why.empty()) return hidden(context, why);
  const Cell& cell = explanation.cell;
  Boxes parts{head(context, explanation)};
  if (!context.still) parts.push_back(effects_part(context, cell));
  parts.push_back(terms_part(context, shown));
  parts.push_back(sources_part(context, cell));
  parts.push_back(try_it(context, cell));
  // In a lesson it is there for where the number comes from, and has room for no more.
  if (context.wordless) return column(std::move(parts));
  parts.push_back(destinations_part(context, explanation));
  if (!context.still) parts.push_back(path_back_part(context, explanation));
  if (!context.still && !context.ui.serves_finger() && !asks_about(session, cell.tensor))
    parts.push_back(range_part(context, cell));
  return column(std::move(parts));
}

}  // namespace

void draw_inspector(ViewContext& context, Rect area) {
  draw_scrolled(context.ui, "inspector", area, inspector(context).inset(panel_padding, 15), context.ui.theme().panel);
}

}  // namespace headlight
