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
#include "app/views/base/panel_boxes.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/compare/check_study.hpp"
#include "app/views/compare/check_words.hpp"
#include "core/model/cell.hpp"
#include "core/model/shapes.hpp"

namespace headlight {
namespace {

constexpr float padding = 16;

Box named_section(ViewContext& context, std::string title, std::string right, Boxes of) {
  return section(context, std::move(title), std::move(right), std::move(of), padding);
}

/// The file, or what was pasted.
Box work_card(ViewContext& context, const HandedIn& given) {
  const Theme& theme = context.ui.theme();
  return row({icon_box(given.file.empty() ? Icon::copy : Icon::file, theme.text2),
              column({words(given.title, TextStyle::body, theme.text).ending(),
                      words(words_of(given), TextStyle::caption, theme.text3)})
                  .growing()},
             10)
      .unbroken()
      .inset(12, 7)
      .on([&theme](Ui& ui, const Rect& r) {
        ui.canvas().fill(r, theme.raised, 8);
        ui.canvas().stroke(r, theme.line, 1, 8);
      });
}

Box action_box(ViewContext& context, const char* id, std::string_view label) {
  const float wide = context.ui.canvas().width(label, TextStyle::control_strong) + 24;
  return drawn({wide, std::max(wide, 72.0f), 1}, context.ui.reach(28),
               [&context, id, label](Ui&, const Rect& r) { draw_action(context, id, r, label); });
}

Box follows_row(ViewContext& context) {
  Box flag = drawn({toggle_width, toggle_width}, context.ui.reach(26), [&context](Ui& ui, const Rect& r) {
    CheckedWork work = context.session.state().checking.work();
    if (!toggle(ui, "follows", {r.x, r.center().y - toggle_height / 2}, work.follows)) return;
    const bool follows = work.follows;
    const std::filesystem::path file = work.given->file;
    Checking(context.session).set_work(std::move(work));
    if (follows) context.session.request(OpenWork{file});
  });
  return row({words("Re-check when the file changes", TextStyle::control, context.ui.theme().text2).growing(),
              std::move(flag).ended()});
}

Box file_part(ViewContext& context) {
  const CheckedWork& work = context.session.state().checking.work();
  Boxes all;
  if (work.given) {
    all.push_back(work_card(context, *work.given));
    all.push_back(space(8));
  }
  all.push_back(row({action_box(context, "check.open", "Open…"), action_box(context, "check.paste", "Paste"),
                     action_box(context, "check.template", "Template")}));
  if (work.given && !work.given->file.empty()) {
    all.push_back(space(8));
    all.push_back(follows_row(context));
  }
  return column(std::move(all));
}

Box setup_part(ViewContext& context) {
  const Session& session = context.session;
  const Theme& theme = context.ui.theme();
  const std::string title = session.lesson().lecture()      ? session.lesson().lecture()->title
                            : session.setup().title.empty() ? std::string("Your own setup")
                                                            : session.setup().title;
  return named_section(context, "Compared with", {},
                       {words(title, TextStyle::control, theme.text).high(21),
                        words(words_of_sizes(session.setup()), TextStyle::control, theme.text2)});
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

/// The list of our tensors, with the one that an array is.
Box ours_box(ViewContext& context, const GivenArray& array, std::string_view ours, bool by_hand,
             const std::vector<std::string>& all) {
  constexpr float wide = 126;
  std::vector<std::string> items{"none"};
  items.insert(items.end(), all.begin(), all.end());
  const auto at = std::ranges::find(items, ours);
  const int shown = at == items.end() ? 0 : static_cast<int>(at - items.begin());
  std::string tip = fmt::format("{} has shape {}", array.name, array.values.shape().to_string());
  return drawn({wide, wide}, context.ui.reach(26),
               [&context, name = array.name, items = std::move(items), shown, by_hand, tip = std::move(tip)](
                   Ui& ui, const Rect& r) {
                 int index = shown;
                 if (!select(ui, "ours", r, items, index, {.mono = true, .changed = by_hand, .tooltip = tip})) return;
                 const std::string& chosen = items[static_cast<std::size_t>(index)];
                 Checking(context.session)
                     .set_work(with_name(context.session.state().checking.work(), name,
                                         index == 0 ? std::string_view() : chosen));
               });
}

Box arrow(const Theme& theme) {
  return drawn({12, 12}, 12, [&theme](Ui& ui, const Rect& r) {
    const float y = r.center().y;
    ui.canvas().line({r.x, y}, {r.right() - 3, y}, theme.outline, 1.5f);
    ui.canvas().triangle({r.right(), y}, Pointing::right, theme.outline, 3.5f);
  });
}

Box name_row(ViewContext& context, const GivenArray& array, const CheckFindings* findings,
             const std::vector<std::string>& all) {
  const Session& session = context.session;
  const Theme& theme = context.ui.theme();
  const std::string* const by_hand = named_by_hand(session.state().checking.work(), array.name);
  std::string ours = by_hand ? *by_hand : "";
  if (const TensorVerdict* const verdict = !by_hand && findings ? verdict_on(array, *findings).first : nullptr)
    ours = name_in_model(verdict->tensor, seen_at(session.setup(), verdict_on(array, *findings).second));
  Boxes parts{words(array.name, TextStyle::mono, theme.text).ending().growing()};
  if (by_hand) {
    const float wide = context.ui.reach(24);
    parts.push_back(drawn({wide, wide}, wide, [&context, name = array.name](Ui& ui, const Rect& r) {
      if (icon_button(ui, "by name", r, Icon::reset,
                      {.kind = ButtonKind::quiet,
                       .tooltip = "Chosen by hand. Press to identify it by name, numbers and shape"}))
        Checking(context.session).set_work(without_name(context.session.state().checking.work(), name));
    }));
  }
  parts.push_back(arrow(theme));
  parts.push_back(ours_box(context, array, ours, by_hand != nullptr, all));
  return row(std::move(parts), 6).unbroken().named(array.name);
}

/// How an array was identified whose name does not tell.
Box known_by(ViewContext& context, const GivenArray& array, const CheckFindings* findings) {
  const TensorVerdict* const verdict = findings ? verdict_on(array, *findings).first : nullptr;
  if (verdict == nullptr || verdict->by == KnownBy::name || verdict->by == KnownBy::hand) return nothing();
  const std::string_view by = verdict->by == KnownBy::value ? "numbers" : "shape";
  const std::string_view doubt = findings->report.doubt_about(array.name) ? ", but several tensors fit" : "";
  return words(fmt::format("identified by its {}{}", by, doubt), TextStyle::caption, context.ui.theme().text3);
}

Box names_part(ViewContext& context, const CheckFindings* findings) {
  const std::vector<std::string> all = our_names(context.session.setup(), findings);
  Boxes rows;
  for (const GivenArray& array : context.session.state().checking.work().given->arrays) {
    rows.push_back(name_row(context, array, findings, all));
    rows.push_back(space(5));
    rows.push_back(known_by(context, array, findings));
  }
  return named_section(context, "Your names", "ours", {column(std::move(rows)).named("names")});
}

void set_tolerance(Session& session, double Tolerance::* field, double value) {
  CheckedWork work = session.state().checking.work();
  // Tolerances have steps of 1, 2 and 5.
  const double decade = std::pow(10.0, std::floor(std::log10(value)));
  const double lead = value / decade;
  work.tolerance.*field = decade * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
  Checking(session).set_work(std::move(work));
}

Box tolerance_part(ViewContext& context) {
  const Theme& theme = context.ui.theme();
  Boxes cells;
  const auto add = [&](const char* label, double Tolerance::* field) {
    const double value = context.session.state().checking.work().tolerance.*field;
    cells.push_back(words(label, TextStyle::control, theme.text2));
    cells.push_back(drawn({60, 100, 1}, context.ui.reach(30), [&context, label, field, value](Ui& ui, const Rect& r) {
      double next = value;
      if (slider(ui, label, r.inset(0, 1), next, 1e-9, 0.1,
                 {.logarithmic = true, .step = 0, .mark = Tolerance{}.*field, .tooltip = "Ctrl+click to type it"}))
        set_tolerance(context.session, field, next);
    }));
    cells.push_back(drawn({52, 52}, 20, [value](Ui& ui, const Rect& r) {
      ui.canvas().text_in(r, value == 0 ? "0" : magnitude_text(value), TextStyle::mono, ui.theme().text, Align::right);
    }));
  };
  add("absolute", &Tolerance::absolute);
  add("relative", &Tolerance::relative);
  return named_section(
      context, "Tolerance", {},
      {grid(3, std::move(cells)), space(4),
       words("Rounding by printing or by float32 never counts as an error.", TextStyle::caption, theme.text3)
           .high(17)});
}

}  // namespace

void draw_check_panel(ViewContext& context, Rect area) {
  CheckMemory& memory = context.memory.get<CheckMemory>();
  const bool has_work = context.session.state().checking.work().given != nullptr;
  const CheckFindings* const findings = has_work ? memory.study.findings(context.session) : nullptr;
  const Theme& theme = context.ui.theme();
  Boxes all{words("Check my work", TextStyle::heading, theme.text).high(46), file_part(context), setup_part(context)};
  if (has_work) {
    all.push_back(names_part(context, findings));
    all.push_back(tolerance_part(context));
  }
  all.push_back(space(16));
  area.w -= 1;
  draw_scrolled(context.ui, "check scroll", area, column(std::move(all)).inset(padding, 0), theme.panel);
}

}  // namespace headlight
