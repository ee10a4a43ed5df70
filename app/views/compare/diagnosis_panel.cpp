#include "app/views/compare/check_view.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/views/base/panel_boxes.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/compare/check_study.hpp"
#include "app/views/compare/check_words.hpp"
#include "core/formats/diagnose/report_text.hpp"
#include "core/model/cell.hpp"
#include "core/text/characters.hpp"
#include "core/text/wording.hpp"

namespace headlight {
namespace {

constexpr std::size_t most_fix_lines = 14;

/// "0.5", "2", "1.4142"
std::string short_number(double value) { return fmt::format("{:.5g}", value); }

/// Whether the ratio of the shown layer is that of the first difference of all.
bool has_ratio(const CheckFindings& findings) {
  return findings.ratio.cells > 1 && findings.first_difference() &&
         findings.first_difference()->layer == findings.layer;
}

/// Whether a diagnosis is about the first difference.
bool is_about_first(const CheckFindings& findings, const ModelDiagnosis& diagnosis) {
  const LayerTensor first = *findings.first_difference();
  return diagnosis.layer == first.layer && diagnosis.what.given == first.tensor;
}

/// "scores", "L1.scores", "layers 0 and 1".
std::string place_of(const ModelDiagnosis& diagnosis, const CheckFindings& findings) {
  const Setup& setup = findings.ours->setup;
  std::vector<std::string> layers;
  for (const LayerTensor& place : diagnosis.at)
    if (const std::string layer = std::to_string(place.layer); std::ranges::find(layers, layer) == layers.end())
      layers.push_back(layer);
  if (setup.sizes.layers > 1 && layers.size() > 1) return fmt::format("layers {}", listed(layers, " and "));
  const TensorId tensor = findings.model ? diagnosis.what.tensor : diagnosis.what.given;
  return name_in_model(tensor, seen_at(setup, diagnosis.layer));
}

std::string title_of(const CheckFindings& findings, const ModelDiagnosis* chosen) {
  if (findings.agrees()) return "Nothing to fix";
  const Diagnosis* const diagnosis = chosen != nullptr ? &chosen->what : nullptr;
  const bool at_first = !chosen || is_about_first(findings, *chosen);
  if (at_first && has_ratio(findings) && findings.ratio.constant() && std::abs(findings.ratio.most - 1) > 1e-5)
    return fmt::format("Your {} = ours × {}", name_in_model(findings.first_difference()->tensor, findings.ours->setup),
                       short_number(findings.ratio.most));
  if (diagnosis && diagnosis->explains) return "This explains it";
  return "No known mistake explains it";
}

/// The histogram of the ratio, with its axis.
void draw_histogram(const Canvas& canvas, Rect r, const Ratio& ratio) {
  const Theme& theme = canvas.theme();
  const Rect plot = r.cut_top(52);
  const float floor = plot.bottom() - 2;
  canvas.fill({plot.x, floor, plot.w, 1}, theme.outline);
  const auto x_of = [&](double value) { return plot.x + static_cast<float>(value / ratio.end) * plot.w; };
  const Index most = *std::ranges::max_element(ratio.histogram);
  const float bin = plot.w / static_cast<float>(ratio.histogram.size());
  for (std::size_t i = 0; i < ratio.histogram.size(); ++i) {
    if (ratio.histogram[i] == 0) continue;
    const float height = std::max(3.0f, 40 * static_cast<float>(ratio.histogram[i]) / static_cast<float>(most));
    canvas.fill({plot.x + static_cast<float>(i) * bin, floor - height, std::max(bin - 1, 2.0f), height}, theme.lamp, 1);
  }
  canvas.fill({x_of(1), floor - 44, 1.5f, 44}, theme.ok);
  const bool left = x_of(1) - plot.x > 50;  // the words are where there is room
  canvas.text({x_of(1) + (left ? -6 : 8), floor - 34}, "match", TextStyle::caption, theme.ok,
              left ? Align::right : Align::left);
  const int step = ratio.end > 8 ? 4 : ratio.end > 4 ? 2 : 1;
  for (int tick = 0; tick <= static_cast<int>(ratio.end); tick += step) {
    const Align align = tick == 0                                   ? Align::left
                        : tick + step > static_cast<int>(ratio.end) ? Align::right
                                                                    : Align::center;
    canvas.text({x_of(tick), r.y + 13}, fmt::format("{}", tick), TextStyle::code, theme.text3, align);
  }
}

Box ratio_part(ViewContext& context, const Ratio& ratio) {
  const Theme& theme = context.ui.theme();
  std::string span = ratio.constant()
                         ? fmt::format("{} cells, ±{}", ratio.cells, magnitude_text((ratio.most - ratio.least) / 2))
                         : fmt::format("{} cells, {:.3g} to {:.3g}", ratio.cells, ratio.least, ratio.most);
  return column({space(10),
                 row({words("yours ÷ ours", TextStyle::control_strong, theme.text).high(22),
                      words(std::move(span), TextStyle::code, theme.text2).ended()}),
                 drawn({}, 70, [ratio](Ui& ui, const Rect& r) { draw_histogram(ui.canvas(), r, ratio); })});
}

/// The lines of the fix, as lines that are added.
Box code_box(ViewContext& context, const std::string& fix) {
  const Theme& theme = context.ui.theme();
  std::vector<std::string_view> lines = split_at(fix, '\n');
  const bool cut = lines.size() > most_fix_lines;
  if (cut) lines.resize(most_fix_lines);
  Boxes all;
  for (const std::string_view line : lines)
    all.push_back(
        row({words("+", TextStyle::code_strong, theme.ok),
             words(std::string(line), TextStyle::code, theme.text).growing()})
            .unbroken()
            .inset(9, 0)
            .on([&theme](Ui& ui, const Rect& r) { ui.canvas().fill(r.inset(1, 0), faded(theme.ok, 0.14f)); }));
  if (cut) all.push_back(words("…", TextStyle::code, theme.text3).inset(25, 0));
  return column(std::move(all))
      .inset(0, 6)
      .on([&theme](Ui& ui, const Rect& r) { ui.canvas().fill(r, theme.field, 6); })
      .under([&theme, fix](Ui& ui, const Rect& r) {
        ui.canvas().stroke(r, theme.control, 1, 6);
        ui.tooltip(ui.item("code", r, {.focusable = false}), fix);
      });
}

/// What the numbers are with the fix.
Box after_part(ViewContext& context, const CheckFindings& findings) {
  CheckMemory& memory = context.memory.get<CheckMemory>();
  const Theme& theme = context.ui.theme();
  const CheckFindings* const with = memory.study.mended(context.session, findings, memory.chosen);
  if (!with) {
    context.ui.request_frame_in(look_again);
    return nothing();
  }
  const bool all = with->agrees() && with->problems.empty();
  return column({space(10), row({icon_box(all ? Icon::check : Icon::cross, all ? theme.ok : theme.error, 2),
                                 words(after_the_fix(*with), TextStyle::control, theme.text).growing()})
                                .unbroken()});
}

Box fix_part(ViewContext& context, const CheckFindings& findings, const ModelDiagnosis& chosen) {
  const Diagnosis& diagnosis = chosen.what;
  CheckMemory& memory = context.memory.get<CheckMemory>();
  const Setup setup = seen_at(context.session.setup(), chosen.layer);
  const std::string fix = fix_of(diagnosis, setup, framework_of(setup));
  const bool one_line = fix.find('\n') == std::string::npos;
  Box tries = button_box(context, "try", memory.tries ? "Without the fix" : "Try the fix",
                         {.kind = ButtonKind::primary,
                          .enabled = diagnosis.explains,
                          .tooltip = diagnosis.explains ? "Shows what your tensors would be with this line"
                                                        : "It does not explain the difference"},
                         [&context, &memory] {
                           memory.tries = !memory.tries;
                           context.ui.request_frame();
                         });
  Box copies = button_box(context, "copy fix", one_line ? "Copy line" : "Copy lines", {}, [&context, fix] {
    context.session.request(CopyText{fix});
    context.session.notify("Copied the fix");
  });
  return section(context, one_line ? "The one-line fix" : "The fix", {},
                 {code_box(context, fix), space(12), row({std::move(tries).growing(), std::move(copies).growing()}, 10),
                  diagnosis.explains ? after_part(context, findings) : nothing()});
}

Box tried_row(ViewContext& context, const CheckFindings& findings, std::size_t i) {
  const Diagnosis& diagnosis = findings.diagnoses[i].what;
  const Theme& theme = context.ui.theme();
  CheckMemory& memory = context.memory.get<CheckMemory>();
  const bool chosen = memory.chosen == i;
  const Color ink = chosen ? theme.text : theme.text2;
  const std::string said = as_sentence(diagnosis.words);
  Boxes parts;
  if (diagnosis.explains) parts.push_back(icon_box(Icon::check, theme.ok, 2));
  parts.push_back(words(said, chosen ? TextStyle::control_strong : TextStyle::control, ink).growing());
  parts.push_back(
      words(magnitude_text(diagnosis.misfit), chosen ? TextStyle::mono_strong : TextStyle::mono, ink).ended());
  std::string tip = fmt::format("{} ({}), {} {}", said, diagnosis.mistake, findings.model ? "in" : "to explain your",
                                place_of(findings.diagnoses[i], findings));
  return row(std::move(parts), 12)
      .unbroken()
      .inset(0, 4)
      .named(std::to_string(i))
      .on([&context, &memory, &theme, i, chosen, tip = std::move(tip), about = diagnosis.words](Ui& ui, const Rect& r) {
        const Item item = ui.item("mistake", r.inset(-8, 0));
        ui.say_control(item, about, "mistake", chosen ? "shown" : "");
        if (chosen || item.hovered) ui.canvas().fill(r.inset(-8, 1), chosen ? theme.hover : theme.raised, 6);
        if (item.focused) ui.canvas().focus_ring(r.inset(-6, 2));
        ui.tooltip(item, tip);
        if (!item.clicked) return;
        memory.chosen = i;
        memory.tries = false;
        context.ui.request_frame();
      });
}

Box tried_part(ViewContext& context, const CheckFindings& findings) {
  Boxes rows;
  for (std::size_t i = 0; i < findings.diagnoses.size(); ++i) rows.push_back(tried_row(context, findings, i));
  const std::string_view how =
      findings.model
          ? "Each known mistake is replayed on your own tensors, those between layers in the whole model. The "
            "misfit is the largest |Δ| that remains."
          : "Each known mistake is replayed on your own tensors. The misfit is the largest |Δ| that remains.";
  return section(context, "Explanations tried", "misfit",
                 {column(std::move(rows)).as_list("tried"), space(8),
                  words(std::string(how), TextStyle::caption, context.ui.theme().text3).high(17)});
}

/// What would tell more, where no known mistake explains the difference.
std::string what_next(const CheckFindings& findings) {
  const auto explains = [](const ModelDiagnosis& diagnosis) { return diagnosis.what.explains; };
  const auto first = findings.first_difference();
  if (!first || std::ranges::any_of(findings.diagnoses, explains)) return {};
  const LayerReport* const layer = findings.model ? findings.of_layer(first->layer) : nullptr;
  return next_step_text(layer != nullptr ? layer->report : findings.report,
                        seen_at(findings.ours->setup, first->layer));
}

Box contents(ViewContext& context, const CheckFindings& findings) {
  const Theme& theme = context.ui.theme();
  const CheckMemory& memory = context.memory.get<CheckMemory>();
  const ModelDiagnosis* const diagnosis =
      memory.chosen < findings.diagnoses.size() ? &findings.diagnoses[memory.chosen] : nullptr;
  const auto said = [&](std::string what) { return words(std::move(what), TextStyle::body, theme.text2).high(21); };
  Boxes all{words("Diagnosis", TextStyle::control, theme.text3).high(26),
            words(title_of(findings, diagnosis), TextStyle::formula_strong, theme.text).high(27), space(2)};
  if (findings.agrees()) {
    all.push_back(said("Every tensor you gave matches ours, within the tolerance and what rounding explains."));
    return column(std::move(all));
  }
  if (diagnosis) {
    const std::string mistake =
        is_about_first(findings, *diagnosis) && diagnosis->at.size() < 2
            ? as_sentence(diagnosis->what.words)
            : fmt::format("In your {}: {}", place_of(*diagnosis, findings), as_sentence(diagnosis->what.words));
    all.push_back(said(diagnosis->what.explains ? mistake : "Tried: " + mistake));
  } else all.push_back(said("No known mistake leaves a smaller difference."));
  if (std::string next = what_next(findings); !next.empty()) {
    all.push_back(space(8));
    all.push_back(words(std::move(next), TextStyle::body, theme.text).high(21));
  }
  if (has_ratio(findings)) all.push_back(ratio_part(context, findings.ratio));
  if (diagnosis) {
    all.push_back(fix_part(context, findings, *diagnosis));
    all.push_back(tried_part(context, findings));
  }
  return column(std::move(all));
}

Box diagnosis_box(ViewContext& context) {
  const Theme& theme = context.ui.theme();
  const CheckFindings* const findings = context.memory.get<CheckMemory>().study.findings(context.session);
  if (context.session.lesson().asks())  // the diagnosis would reveal the answer of a step with a mistake
    return words("The step asks about this work. The diagnosis appears with the answer.", TextStyle::body, theme.text2)
        .high(21);
  if (findings && findings->problems.empty()) return contents(context, *findings);
  return words(findings ? "No diagnosis" : "Checking…", TextStyle::control, theme.text3).high(26);
}

}  // namespace

void draw_diagnosis_panel(ViewContext& context, Rect area) {
  shown_findings(context);  // this forgets a choice that belongs to another check
  draw_scrolled(context.ui, "diagnosis", area, diagnosis_box(context).inset(panel_padding, 14),
                context.ui.theme().panel);
}

}  // namespace headlight
