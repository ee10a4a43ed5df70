#include "app/views/compare/check_view.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/actions/actions.hpp"
#include "app/session/checking.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/ui/controls/value_controls.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/compare/check_study.hpp"
#include "app/words.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

constexpr float padding = 16;

/// The panel's rows, from the top down.
struct Rows {
  ViewContext& context;
  Rect rest;
  float top = 0;

  Rect row(float height) { return rest.cut_top(height); }
  /// A row of controls: as high as a finger needs it, where one works them.
  Rect control_row(float height) { return row(context.ui.reach(height)); }
  void space(float height) { rest.cut_top(height); }
  Canvas canvas() const { return context.ui.canvas(); }
  const Theme& theme() const { return context.ui.theme(); }
};

void section(Rows& rows, std::string_view title, std::string_view right = {}) {
  rows.space(10);
  const Rect row = rows.row(36);
  section_header(rows.canvas(), {row.x - padding, row.y, row.w + 2 * padding, row.h}, title, right);
}

void draw_action(Rows& rows, const char* id, const Rect& r, std::string_view label) {
  const Action& action = *action_named(id);
  const std::string keys = action.chords.empty() ? std::string() : to_string(action.chords.front());
  if (button(rows.context.ui, id, r, label,
             {.enabled = action.enabled(rows.context.session), .tooltip = action.title, .keys = keys}))
    run(action, rows.context.session);
}

void draw_file(Rows& rows) {
  const CheckedWork& work = rows.context.session.state().checking.work();
  const Canvas canvas = rows.canvas();
  const Theme& theme = rows.theme();
  if (work.given) {
    const Rect card = rows.row(54);
    canvas.fill(card, theme.raised, 8);
    canvas.stroke(card, theme.line, 1, 8);
    canvas.icon(work.given->file.empty() ? Icon::copy : Icon::file, {card.x + 12, card.y + 19}, theme.text2);
    canvas.text_in({card.x + 38, card.y + 7, card.w - 46, 20}, work.given->title, TextStyle::body, theme.text);
    canvas.text_in({card.x + 38, card.y + 28, card.w - 46, 18}, words_of(*work.given), TextStyle::caption, theme.text3);
    rows.space(8);
  }
  Rect buttons = rows.control_row(28);
  const float width = (buttons.w - 16) / 3;
  draw_action(rows, "check.open", buttons.cut_left(width), "Open…");
  buttons.cut_left(8);
  draw_action(rows, "check.paste", buttons.cut_left(width), "Paste");
  buttons.cut_left(8);
  draw_action(rows, "check.template", buttons, "Template");
  if (!work.given || work.given->file.empty()) return;
  rows.space(8);
  const Rect line = rows.control_row(26);
  canvas.text_in(line, "Re-check when the file changes", TextStyle::control, theme.text2);
  bool follows = work.follows;
  if (toggle(rows.context.ui, "follows", {line.right() - toggle_width, line.center().y - toggle_height / 2}, follows)) {
    CheckedWork next = work;
    next.follows = follows;
    Checking(rows.context.session).set_work(std::move(next));
    if (follows) rows.context.session.request(OpenWork{work.given->file});
  }
}

std::string setup_words(const Setup& setup) {
  std::vector<std::string> masks;
  for (const MaskKind kind : setup.mask.kinds) masks.emplace_back(to_string(kind));
  return fmt::format("{} {}, d_model {}, {} head{}, {}", setup.sizes.query_length,
                     setup.is_cross() ? "queries" : "tokens", setup.sizes.d_model, setup.sizes.heads,
                     setup.sizes.heads == 1 ? "" : "s",
                     masks.empty() ? "no mask" : fmt::format("{} mask", listed(masks, " and ")));
}

void draw_setup(Rows& rows) {
  const Session& session = rows.context.session;
  const Canvas canvas = rows.canvas();
  section(rows, "Compared with");
  const std::string title = session.lesson().lecture()      ? session.lesson().lecture()->title
                            : session.setup().title.empty() ? std::string("Your own setup")
                                                            : session.setup().title;
  canvas.text_in(rows.row(21), title, TextStyle::control, rows.theme().text);
  const std::string words = setup_words(session.setup());
  for (std::string_view line : canvas.wrapped(words, TextStyle::control, rows.rest.w))
    canvas.text_in(rows.row(20), line, TextStyle::control, rows.theme().text2);
}

/// The tensors that an array can be matched with, listed after "none".
std::vector<TensorId> candidates(const Setup& setup) {
  std::vector<TensorId> all;
  for (const TensorInfo& tensor : all_tensors())
    if (exists(tensor.id, setup)) all.push_back(tensor.id);
  return all;
}

void draw_name(Rows& rows, const GivenArray& array, const CheckFindings* findings, const std::vector<TensorId>& all) {
  Session& session = rows.context.session;
  const Canvas canvas = rows.canvas();
  const Theme& theme = rows.theme();
  const CheckedWork& work = session.state().checking.work();
  const std::string* const by_hand = named_by_hand(work, array.name);
  std::string ours = by_hand ? *by_hand : "";
  if (findings && !by_hand)
    for (const TensorVerdict& verdict : findings->report.tensors)
      if (verdict.yours == array.name) ours = name(verdict.tensor);
  const Rect row = rows.control_row(26);
  rows.space(5);
  const float button = rows.context.ui.reach(24);
  const Rect box{row.right() - 126, row.y, 126, row.h};
  const Rect label{row.x, row.y, row.w - 126 - (by_hand ? 22 + button : 26.0f), row.h};
  canvas.text_in(label, array.name, TextStyle::mono, theme.text);
  const float y = box.center().y;
  canvas.line({label.right() + 4, y}, {box.x - 9, y}, theme.outline, 1.5f);
  canvas.triangle({box.x - 5, y}, Pointing::right, theme.outline, 3.5f);
  if (by_hand) {
    const Rect reset{label.right() - 18, row.center().y - button / 2, button, button};
    if (icon_button(
            rows.context.ui, "by name", reset, Icon::reset,
            {.kind = ButtonKind::quiet, .tooltip = "Chosen by hand. Press to identify it by name, numbers and shape"}))
      return Checking(session).set_work(without_name(work, array.name));
  }
  std::vector<std::string> items{"none"};
  int index = 0;
  for (const TensorId id : all) {
    if (name(id) == ours) index = static_cast<int>(items.size());
    items.emplace_back(name(id));
  }
  const std::string tip = fmt::format("{} has shape {}", array.name, array.values.shape().to_string());
  if (select(rows.context.ui, "ours", box, items, index, {.mono = true, .changed = by_hand != nullptr, .tooltip = tip}))
    Checking(session).set_work(
        with_name(work, array.name, index == 0 ? std::string_view() : name(all[static_cast<std::size_t>(index - 1)])));
}

/// How an array was identified whose name does not tell.
void draw_known_by(Rows& rows, const GivenArray& array, const CheckFindings* findings) {
  if (!findings) return;
  const auto& tensors = findings->report.tensors;
  const auto verdict = std::ranges::find(tensors, array.name, &TensorVerdict::yours);
  if (verdict == tensors.end() || verdict->by == KnownBy::name || verdict->by == KnownBy::hand) return;
  const std::string_view by = verdict->by == KnownBy::value ? "numbers" : "shape";
  const std::string_view doubt = findings->report.doubt_about(array.name) ? ", but several tensors fit" : "";
  rows.canvas().text_in(rows.row(18), fmt::format("identified by its {}{}", by, doubt), TextStyle::caption,
                        rows.theme().text3);
}

void draw_names(Rows& rows, const CheckFindings* findings) {
  const auto given = rows.context.session.state().checking.work().given;
  section(rows, "Your names", "ours");
  const auto all = candidates(rows.context.session.setup());
  rows.context.ui.push_id("names");
  for (const GivenArray& array : given->arrays) {
    rows.context.ui.push_id(array.name);
    draw_name(rows, array, findings, all);
    draw_known_by(rows, array, findings);
    rows.context.ui.pop_id();
  }
  rows.context.ui.pop_id();
}

void draw_tolerance(Rows& rows, std::string_view label, double Tolerance::* field) {
  Session& session = rows.context.session;
  const Canvas canvas = rows.canvas();
  Rect row = rows.control_row(30);
  canvas.text_in(row.cut_left(72), label, TextStyle::control, rows.theme().text2);
  double value = session.state().checking.work().tolerance.*field;
  canvas.text_in(row.cut_right(64), value == 0 ? "0" : magnitude_text(value), TextStyle::mono, rows.theme().text,
                 Align::right);
  row.cut_right(8);
  if (!slider(rows.context.ui, label, row.inset(0, 1), value, 1e-9, 0.1,
              {.logarithmic = true, .step = 0, .mark = Tolerance{}.*field, .tooltip = "Ctrl+click to type it"}))
    return;
  CheckedWork work = session.state().checking.work();
  // Tolerances have steps of 1, 2 and 5.
  const double decade = std::pow(10.0, std::floor(std::log10(value)));
  const double lead = value / decade;
  work.tolerance.*field = decade * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
  Checking(session).set_work(std::move(work));
}

}  // namespace

void draw_check_panel(ViewContext& context, Rect area) {
  CheckMemory& memory = context.memory.get<CheckMemory>();
  const CheckFindings* const findings =
      context.session.state().checking.work().given ? memory.study.findings(context.session) : nullptr;
  area.w -= 1;
  const ScrollArea scroll(context.ui, "check scroll", area, memory.panel_height, context.ui.theme().panel);
  const Rect content = scroll.content();
  Rows rows{context, {content.x + padding, content.y, content.w - 2 * padding, 1e6f}, content.y};
  rows.canvas().text_in(rows.row(46), "Check my work", TextStyle::heading, rows.theme().text);
  draw_file(rows);
  draw_setup(rows);
  if (context.session.state().checking.work().given) {
    draw_names(rows, findings);
    section(rows, "Tolerance");
    draw_tolerance(rows, "absolute", &Tolerance::absolute);
    draw_tolerance(rows, "relative", &Tolerance::relative);
    rows.space(4);
    for (std::string_view line : rows.canvas().wrapped("Rounding by printing or by float32 never counts as an error.",
                                                       TextStyle::caption, rows.rest.w))
      rows.canvas().text_in(rows.row(17), line, TextStyle::caption, rows.theme().text3);
  }
  const float height = rows.rest.y - content.y + 16;
  if (std::abs(height - memory.panel_height) > 0.5f) context.ui.request_frame();
  memory.panel_height = height;
}

}  // namespace headlight
