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
#include "app/views/base/column.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/compare/check_study.hpp"
#include "app/words.hpp"
#include "core/model/cell.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

constexpr float padding = 16;

void section(Column& column, std::string_view title, std::string_view right = {}) {
  column.space(10);
  const Rect row = column.row(36);
  section_header(column.context.ui.canvas(), {row.x - padding, row.y, row.w + 2 * padding, row.h}, title, right);
}

void draw_file(Column& column) {
  const CheckedWork& work = column.context.session.state().checking.work();
  const Canvas canvas = column.context.ui.canvas();
  const Theme& theme = canvas.theme();
  if (work.given) {
    const Rect card = column.row(54);
    canvas.fill(card, theme.raised, 8);
    canvas.stroke(card, theme.line, 1, 8);
    canvas.icon(work.given->file.empty() ? Icon::copy : Icon::file, {card.x + 12, card.y + 19}, theme.text2);
    canvas.text_in({card.x + 38, card.y + 7, card.w - 46, 20}, work.given->title, TextStyle::body, theme.text);
    canvas.text_in({card.x + 38, card.y + 28, card.w - 46, 18}, words_of(*work.given), TextStyle::caption, theme.text3);
    column.space(8);
  }
  Rect buttons = column.row(column.context.ui.reach(28));
  const float width = (buttons.w - 16) / 3;
  draw_action(column.context, "check.open", buttons.cut_left(width), "Open…");
  buttons.cut_left(8);
  draw_action(column.context, "check.paste", buttons.cut_left(width), "Paste");
  buttons.cut_left(8);
  draw_action(column.context, "check.template", buttons, "Template");
  if (!work.given || work.given->file.empty()) return;
  column.space(8);
  const Rect line = column.row(column.context.ui.reach(26));
  canvas.text_in(line, "Re-check when the file changes", TextStyle::control, theme.text2);
  bool follows = work.follows;
  if (toggle(column.context.ui, "follows", {line.right() - toggle_width, line.center().y - toggle_height / 2},
             follows)) {
    CheckedWork next = work;
    next.follows = follows;
    Checking(column.context.session).set_work(std::move(next));
    if (follows) column.context.session.request(OpenWork{work.given->file});
  }
}

std::string setup_words(const Setup& setup) {
  std::vector<std::string> masks;
  for (const MaskKind kind : setup.mask.kinds) masks.emplace_back(to_string(kind));
  const std::string layers = setup.sizes.layers > 1 ? fmt::format("{} layers, ", setup.sizes.layers) : "";
  return fmt::format("{}{} {}, d_model {}, {} head{}, {}", layers, setup.token_count(),
                     setup.is_cross() ? "queries" : "tokens", setup.sizes.d_model, setup.sizes.heads,
                     setup.sizes.heads == 1 ? "" : "s",
                     masks.empty() ? "no mask" : fmt::format("{} mask", listed(masks, " and ")));
}

void draw_setup(Column& column) {
  const Session& session = column.context.session;
  const Canvas canvas = column.context.ui.canvas();
  section(column, "Compared with");
  const std::string title = session.lesson().lecture()      ? session.lesson().lecture()->title
                            : session.setup().title.empty() ? std::string("Your own setup")
                                                            : session.setup().title;
  canvas.text_in(column.row(21), title, TextStyle::control, canvas.theme().text);
  const std::string words = setup_words(session.setup());
  draw_paragraph(column, words, TextStyle::control, canvas.theme().text2, 20);
}

/// What was found about an array, and of which layer it is; null if it is no tensor.
std::pair<const TensorVerdict*, Index> verdict_on(const GivenArray& array, const CheckFindings& findings) {
  const auto in = [&](const CheckReport& report) -> const TensorVerdict* {
    const auto found = std::ranges::find(report.tensors, array.name, &TensorVerdict::yours);
    return found == report.tensors.end() ? nullptr : &*found;
  };
  if (!findings.model) return {in(findings.report), findings.layer};
  for (const LayerReport& layer : findings.model->layers)
    if (const TensorVerdict* const found = in(layer.report)) return {found, layer.layer};
  return {nullptr, 0};
}

/// The tensors that an array may be: those of all layers where all are checked.
std::vector<std::string> our_names(const Setup& setup, const CheckFindings* findings) {
  std::vector<std::string> names;
  const bool all = findings != nullptr && findings->model != nullptr;
  for (Index layer = 0; layer < setup.sizes.layers; ++layer) {
    const Setup own = seen_at(setup, layer);
    if (!all && layer != setup.layer) continue;
    for (const TensorId id : existing_tensors(own))
      if (std::string each = all ? name_in_model(id, own) : std::string(name(id));
          std::ranges::find(names, each) == names.end())
        names.push_back(std::move(each));
  }
  return names;
}

void draw_name(Column& column, const GivenArray& array, const CheckFindings* findings,
               const std::vector<std::string>& all) {
  Session& session = column.context.session;
  const Canvas canvas = column.context.ui.canvas();
  const Theme& theme = canvas.theme();
  const CheckedWork& work = session.state().checking.work();
  const std::string* const by_hand = named_by_hand(work, array.name);
  std::string ours = by_hand ? *by_hand : "";
  if (const TensorVerdict* const verdict = !by_hand && findings ? verdict_on(array, *findings).first : nullptr)
    ours = name_in_model(verdict->tensor, seen_at(session.setup(), verdict_on(array, *findings).second));
  const Rect row = column.row(column.context.ui.reach(26));
  column.space(5);
  const float button = column.context.ui.reach(24);
  const Rect box{row.right() - 126, row.y, 126, row.h};
  const Rect label{row.x, row.y, row.w - 126 - (by_hand ? 22 + button : 26.0f), row.h};
  canvas.text_in(label, array.name, TextStyle::mono, theme.text);
  const float y = box.center().y;
  canvas.line({label.right() + 4, y}, {box.x - 9, y}, theme.outline, 1.5f);
  canvas.triangle({box.x - 5, y}, Pointing::right, theme.outline, 3.5f);
  if (by_hand) {
    const Rect reset{label.right() - 18, row.center().y - button / 2, button, button};
    if (icon_button(
            column.context.ui, "by name", reset, Icon::reset,
            {.kind = ButtonKind::quiet, .tooltip = "Chosen by hand. Press to identify it by name, numbers and shape"}))
      return Checking(session).set_work(without_name(work, array.name));
  }
  std::vector<std::string> items{"none"};
  int index = 0;
  for (const std::string& each : all) {
    if (each == ours) index = static_cast<int>(items.size());
    items.push_back(each);
  }
  const std::string tip = fmt::format("{} has shape {}", array.name, array.values.shape().to_string());
  if (select(column.context.ui, "ours", box, items, index,
             {.mono = true, .changed = by_hand != nullptr, .tooltip = tip}))
    Checking(session).set_work(
        with_name(work, array.name, index == 0 ? std::string_view() : all[static_cast<std::size_t>(index - 1)]));
}

/// How an array was identified whose name does not tell.
void draw_known_by(Column& column, const GivenArray& array, const CheckFindings* findings) {
  if (!findings) return;
  const TensorVerdict* const verdict = verdict_on(array, *findings).first;
  if (verdict == nullptr || verdict->by == KnownBy::name || verdict->by == KnownBy::hand) return;
  const std::string_view by = verdict->by == KnownBy::value ? "numbers" : "shape";
  const std::string_view doubt = findings->report.doubt_about(array.name) ? ", but several tensors fit" : "";
  const Canvas canvas = column.context.ui.canvas();
  canvas.text_in(column.row(18), fmt::format("identified by its {}{}", by, doubt), TextStyle::caption,
                 canvas.theme().text3);
}

void draw_names(Column& column, const CheckFindings* findings) {
  const auto given = column.context.session.state().checking.work().given;
  section(column, "Your names", "ours");
  const std::vector<std::string> all = our_names(column.context.session.setup(), findings);
  column.context.ui.push_id("names");
  for (const GivenArray& array : given->arrays) {
    column.context.ui.push_id(array.name);
    draw_name(column, array, findings, all);
    draw_known_by(column, array, findings);
    column.context.ui.pop_id();
  }
  column.context.ui.pop_id();
}

void draw_tolerance(Column& column, std::string_view label, double Tolerance::* field) {
  Session& session = column.context.session;
  const Canvas canvas = column.context.ui.canvas();
  Rect row = column.row(column.context.ui.reach(30));
  canvas.text_in(row.cut_left(72), label, TextStyle::control, canvas.theme().text2);
  double value = session.state().checking.work().tolerance.*field;
  canvas.text_in(row.cut_right(64), value == 0 ? "0" : magnitude_text(value), TextStyle::mono, canvas.theme().text,
                 Align::right);
  row.cut_right(8);
  if (!slider(column.context.ui, label, row.inset(0, 1), value, 1e-9, 0.1,
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
  Column column{context, content.x + padding, content.w - 2 * padding, content.y};
  const Canvas canvas = context.ui.canvas();
  canvas.text_in(column.row(46), "Check my work", TextStyle::heading, canvas.theme().text);
  draw_file(column);
  draw_setup(column);
  if (context.session.state().checking.work().given) {
    draw_names(column, findings);
    section(column, "Tolerance");
    draw_tolerance(column, "absolute", &Tolerance::absolute);
    draw_tolerance(column, "relative", &Tolerance::relative);
    column.space(4);
    draw_paragraph(column, "Rounding by printing or by float32 never counts as an error.", TextStyle::caption,
                   canvas.theme().text3, 17);
  }
  const float height = column.y - content.y + 16;
  if (std::abs(height - memory.panel_height) > 0.5f) context.ui.request_frame();
  memory.panel_height = height;
}

}  // namespace headlight
