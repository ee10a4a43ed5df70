#include "app/views/compare/check_view.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/views/base/column.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/compare/check_study.hpp"
#include "app/words.hpp"
#include "core/formats/diagnose/report_text.hpp"
#include "core/model/cell.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

constexpr float diagnosis_padding = 20;
constexpr std::size_t most_fix_lines = 14;

std::string sentence(std::string words) {
  if (!words.empty() && words[0] >= 'a' && words[0] <= 'z') words[0] = static_cast<char>(words[0] - 'a' + 'A');
  if (!words.ends_with('.')) words += '.';
  return words;
}

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

void draw_ratio(Column& column, const Ratio& ratio) {
  const Canvas canvas = column.context.ui.canvas();
  const Theme& theme = canvas.theme();
  column.space(10);
  const Rect words = column.row(22);
  canvas.text_in(words, "yours ÷ ours", TextStyle::control_strong, theme.text);
  const std::string span =
      ratio.constant() ? fmt::format("{} cells, ±{}", ratio.cells, magnitude_text((ratio.most - ratio.least) / 2))
                       : fmt::format("{} cells, {:.3g} to {:.3g}", ratio.cells, ratio.least, ratio.most);
  canvas.text_in(words, span, TextStyle::code, theme.text2, Align::right);
  const Rect plot = column.row(52);
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
  const Rect axis = column.row(18);
  const int step = ratio.end > 8 ? 4 : ratio.end > 4 ? 2 : 1;
  for (int tick = 0; tick <= static_cast<int>(ratio.end); tick += step) {
    const Align align = tick == 0                                   ? Align::left
                        : tick + step > static_cast<int>(ratio.end) ? Align::right
                                                                    : Align::center;
    canvas.text({x_of(tick), axis.y + 13}, fmt::format("{}", tick), TextStyle::code, theme.text3, align);
  }
}

/// What is left to mend once the fix is applied, as a sentence.
std::string after_the_fix(const CheckFindings& with) {
  if (!with.problems.empty()) return "With it, nothing can be compared";
  if (const auto first = with.first_difference())
    return fmt::format("With it, the first difference is in {}: there is another mistake",
                       name_in_model(first->tensor, seen_at(with.ours->setup, first->layer)));
  double largest = 0;
  const std::vector<const TensorVerdict*> verdicts = with.verdicts();
  for (const TensorVerdict* const verdict : verdicts) largest = std::max(largest, verdict->max_abs);
  const std::string_view one = name(verdicts.front()->tensor);
  const std::string matching = verdicts.size() == 1
                                   ? fmt::format("your {} {}", one, is_plural(one) ? "match" : "matches")
                                   : fmt::format("all {} tensors match", verdicts.size());
  return fmt::format("With it, {}: max |Δ| {}", matching, magnitude_text(largest));
}

void draw_fix(Column& column, const CheckFindings& findings, const ModelDiagnosis& chosen) {
  const Diagnosis& diagnosis = chosen.what;
  ViewContext& context = column.context;
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  CheckMemory& memory = context.memory.get<CheckMemory>();
  const Setup setup = seen_at(context.session.setup(), chosen.layer);
  const std::string fix = fix_of(diagnosis, setup, framework_of(setup));
  std::vector<std::string_view> lines = split_at(fix, '\n');
  draw_section(column, lines.size() == 1 ? "The one-line fix" : "The fix");
  const bool cut = lines.size() > most_fix_lines;
  if (cut) lines.resize(most_fix_lines);
  const Rect box = column.row(20 * static_cast<float>(lines.size()) + (cut ? 30.0f : 12.0f));
  canvas.fill(box, theme.field, 6);
  float y = box.y + 6;
  for (const std::string_view line : lines) {
    const Rect row{box.x + 1, y, box.w - 2, 20};
    canvas.fill(row, faded(theme.ok, 0.14f));
    canvas.text_in({row.x + 8, row.y, 12, row.h}, "+", TextStyle::code_strong, theme.ok);
    canvas.text_in({row.x + 24, row.y, row.w - 30, row.h}, line, TextStyle::code, theme.text);
    y += 20;
  }
  if (cut) canvas.text_in({box.x + 25, y, box.w - 32, 20}, "…", TextStyle::code, theme.text3);
  canvas.stroke(box, theme.control, 1, 6);
  const Item whole = context.ui.item("code", box, {.focusable = false});
  context.ui.tooltip(whole, fix);
  column.space(12);
  Rect buttons = column.row(30);
  const Rect left = buttons.cut_left((buttons.w - 10) / 2);
  buttons.cut_left(10);
  if (button(context.ui, "try", left, memory.tries ? "Without the fix" : "Try the fix",
             {.kind = ButtonKind::primary,
              .enabled = diagnosis.explains,
              .tooltip = diagnosis.explains ? "Shows what your tensors would be with this line"
                                            : "It does not explain the difference"})) {
    memory.tries = !memory.tries;
    context.ui.request_frame();
  }
  if (button(context.ui, "copy fix", buttons, lines.size() == 1 ? "Copy line" : "Copy lines")) {
    context.session.request(CopyText{fix});
    context.session.notify("Copied the fix");
  }
  if (!diagnosis.explains) return;
  const CheckFindings* const with = memory.study.mended(context.session, findings, memory.chosen);
  if (!with) {
    context.ui.request_frame_in(look_again);
    return;
  }
  column.space(10);
  const bool all = with->agrees() && with->problems.empty();
  const std::string words = after_the_fix(*with);
  const auto wrapped = canvas.wrapped(words, TextStyle::control, column.width - 24);
  const Rect said = column.row(19 * static_cast<float>(wrapped.size()));
  canvas.icon(all ? Icon::check : Icon::cross, {said.x, said.y + 1}, all ? theme.ok : theme.error, 2);
  canvas.paragraph({said.x + 24, said.y + 14}, words, TextStyle::control, theme.text, column.width - 24, 19);
}

void draw_tried(Column& column, const CheckFindings& findings) {
  ViewContext& context = column.context;
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  CheckMemory& memory = context.memory.get<CheckMemory>();
  const auto& diagnoses = findings.diagnoses;
  draw_section(column, "Explanations tried", "misfit");
  context.ui.push_id("tried");
  for (std::size_t i = 0; i < diagnoses.size(); ++i) {
    const Diagnosis& diagnosis = diagnoses[i].what;
    const Rect row = column.row(28);
    if (!column.visible(row)) continue;
    context.ui.push_id(static_cast<int>(i));
    const Item item = context.ui.item("mistake", row.outset(8).inset(0, 8));
    const bool chosen = memory.chosen == i;
    context.ui.say_control(item, diagnosis.words, "mistake", chosen ? "shown" : "");
    if (chosen || item.hovered) canvas.fill(row.inset(-8, 1), chosen ? theme.hover : theme.raised, 6);
    if (item.focused) canvas.focus_ring(row.inset(-6, 2));
    const std::string misfit = magnitude_text(diagnosis.misfit);
    const float wide = canvas.width(misfit, TextStyle::mono) + 12;
    float x = row.x;
    if (diagnosis.explains) {
      canvas.icon(Icon::check, {x - 2, row.y + 6}, theme.ok, 2);
      x += 20;
    }
    canvas.text_in({x, row.y, row.right() - wide - x, row.h}, sentence(diagnosis.words),
                   chosen ? TextStyle::control_strong : TextStyle::control, chosen ? theme.text : theme.text2);
    canvas.text_in(row, misfit, chosen ? TextStyle::mono_strong : TextStyle::mono, chosen ? theme.text : theme.text2,
                   Align::right);
    context.ui.tooltip(item, fmt::format("{} ({}), {} {}", sentence(diagnosis.words), diagnosis.mistake,
                                         findings.model ? "in" : "to explain your", place_of(diagnoses[i], findings)));
    if (item.clicked) {
      memory.chosen = i;
      memory.tries = false;
      context.ui.request_frame();
    }
    context.ui.pop_id();
  }
  context.ui.pop_id();
  column.space(8);
  draw_paragraph(
      column,
      findings.model
          ? "Each known mistake is replayed on your own tensors, those between layers in the whole model. The "
            "misfit is the largest |Δ| that remains."
          : "Each known mistake is replayed on your own tensors. The misfit is the largest |Δ| that remains.",
      TextStyle::caption, theme.text3, 17);
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

void draw_contents(Column& column, const CheckFindings& findings) {
  ViewContext& context = column.context;
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  const CheckMemory& memory = context.memory.get<CheckMemory>();
  const ModelDiagnosis* const diagnosis =
      memory.chosen < findings.diagnoses.size() ? &findings.diagnoses[memory.chosen] : nullptr;
  canvas.text_in(column.row(26), "Diagnosis", TextStyle::control, theme.text3);
  draw_paragraph(column, title_of(findings, diagnosis), TextStyle::formula_strong, theme.text, 27);
  column.space(2);
  if (findings.agrees()) {
    draw_paragraph(column, "Every tensor you gave matches ours, within the tolerance and what rounding explains.",
                   TextStyle::body, theme.text2, 21);
    return;
  }
  if (diagnosis) {
    const std::string words =
        is_about_first(findings, *diagnosis) && diagnosis->at.size() < 2
            ? sentence(diagnosis->what.words)
            : fmt::format("In your {}: {}", place_of(*diagnosis, findings), sentence(diagnosis->what.words));
    draw_paragraph(column, diagnosis->what.explains ? words : "Tried: " + words, TextStyle::body, theme.text2, 21);
  } else draw_paragraph(column, "No known mistake leaves a smaller difference.", TextStyle::body, theme.text2, 21);
  if (const std::string next = what_next(findings); !next.empty()) {
    column.space(8);
    draw_paragraph(column, next, TextStyle::body, theme.text, 21);
  }
  if (has_ratio(findings)) draw_ratio(column, findings.ratio);
  if (!diagnosis) return;
  draw_fix(column, findings, *diagnosis);
  draw_tried(column, findings);
}

}  // namespace

void draw_diagnosis_panel(ViewContext& context, Rect area) {
  CheckMemory& memory = context.memory.get<CheckMemory>();
  shown_findings(context);  // this forgets a choice that belongs to another check
  const CheckFindings* const findings = memory.study.findings(context.session);
  const ScrollArea scroll(context.ui, "diagnosis", area, memory.diagnosis_height, context.ui.theme().panel);
  Column column{context, area.x + diagnosis_padding, area.w - 2 * diagnosis_padding, scroll.content().y + 12};
  const float top = scroll.content().y;
  const Canvas canvas = context.ui.canvas();
  if (context.session.lesson().asks())  // the diagnosis would reveal the answer of a step with a mistake
    draw_paragraph(column, "The step asks about this work. The diagnosis appears with the answer.", TextStyle::body,
                   canvas.theme().text2, 21);
  else if (findings && findings->problems.empty()) draw_contents(column, *findings);
  else
    canvas.text_in(column.row(26), findings ? "No diagnosis" : "Checking…", TextStyle::control, canvas.theme().text3);
  const float height = column.y + 16 - top;
  if (std::abs(height - memory.diagnosis_height) > 0.5f) context.ui.request_frame();
  memory.diagnosis_height = height;
}

}  // namespace headlight
