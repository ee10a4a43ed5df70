#include "app/views/compare/check_view.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "app/heatmap/heatmap_renderer.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/compare/check_study.hpp"
#include "app/views/compare/check_words.hpp"

namespace headlight {
namespace {

constexpr float head_height = 30;
constexpr float note_height = 22;
constexpr float few_rows = 9;

/// The areas of the table's columns.
struct Columns {
  Rect mark, tensor, shape, bar, largest, cells, step, remark, picture;
};

float table_row_height(const CheckFindings& findings) {
  return static_cast<float>(findings.report.tensors.size()) <= few_rows ? 36.0f : 28.0f;
}

Columns columns_of(Rect row) {
  Columns c;
  const bool wide = row.w >= 690;
  c.mark = row.cut_left(30);
  c.picture = row.cut_right(64);
  row.cut_right(10);
  c.tensor = row.cut_left(116);
  if (row.w >= 430) c.shape = row.cut_left(112);
  c.remark = row.cut_right(wide ? 104 : 0);
  c.step = row.cut_right(52);
  c.cells = row.cut_right(74);
  c.largest = row.cut_right(72);
  row.cut_right(8);
  constexpr float least_bar = 40;  // a shorter one shows nothing that the number beside it doesn't say
  if (row.w >= least_bar) c.bar = row;
  return c;
}

/// The position of a number on the bar, from 0 to 1. Its axis is logarithmic from 1e-9 to 100.
float share_of_bar(double value) {
  if (!(value > 0)) return std::isnan(value) ? 1.0f : 0.0f;
  return std::clamp(static_cast<float>((std::log10(value) + 9) / 11), 0.02f, 1.0f);
}

void draw_head(const Canvas& canvas, const Rect& row) {
  const Columns c = columns_of(row);
  const Color ink = canvas.theme().text3;
  canvas.text_in(c.tensor, "tensor", TextStyle::control, ink);
  if (!c.shape.empty()) canvas.text_in(c.shape, "shape", TextStyle::control, ink);
  if (c.bar.empty()) canvas.text_in(c.largest, "max |Δ|", TextStyle::control, ink, Align::right);
  else
    canvas.text_in({c.bar.x, c.bar.y, c.largest.right() - c.bar.x, c.bar.h}, "max |Δ|, log scale", TextStyle::control,
                   ink);
  canvas.text_in(c.cells, "cells off", TextStyle::control, ink, Align::right);
  const bool wordy = !c.remark.empty();
  canvas.text_in({c.step.x, c.step.y, c.step.w + (wordy ? c.remark.w : 0), c.step.h},
                 wordy ? "   step on its own" : "step", TextStyle::control, ink, wordy ? Align::left : Align::center);
  canvas.text_in(c.picture, "difference", TextStyle::control, ink, Align::right);
  canvas.fill({row.x, row.bottom() - 1, row.w, 1}, canvas.theme().line_strong);
}

std::string remark_on(const CheckReport& report, const TensorVerdict& verdict) {
  if (report.first_difference == verdict.tensor) return "first difference";
  if (verdict.agrees) return verdict.by_rounding ? "rounding" : "";
  return verdict.step_agrees ? "follows from it" : "differs again";
}

void draw_bar(const Canvas& canvas, const Rect& column, const TensorVerdict& verdict, bool first, double tolerance) {
  const Theme& theme = canvas.theme();
  const Rect track{column.x, column.center().y - 3, column.w, 6};
  canvas.fill(track, theme.hover, 3);
  const Color ink = verdict.agrees ? theme.ok : first ? theme.error : theme.outline;
  const float filled = share_of_bar(verdict.max_abs) * track.w;
  if (filled > 0) canvas.fill({track.x, track.y, std::max(filled, 5.0f), track.h}, ink, 3);
  canvas.fill({track.x + share_of_bar(tolerance) * track.w, track.y - 5, 1.5f, 16}, theme.text2);
}

/// Small pictures of the difference: one for each of the first heads, or one of the whole tensor.
void draw_pictures(ViewContext& context, const Rect& column, const CheckFindings& findings,
                   const TensorVerdict& verdict) {
  const Canvas canvas = context.ui.canvas();
  const Tensor& all = findings.differences[index_of(verdict.tensor)];
  if (all.empty()) return;
  const TensorInfo& about = info(verdict.tensor);
  const Index batch = std::min(context.session.selection().batch, about.has_batch() ? all.shape()[0] - 1 : 0);
  const Index heads = about.has_heads() ? std::min<Index>(all.shape()[1], 2) : 1;
  const float height = column.h - 10;
  const float gap = 3;
  const float width = (column.w - gap * static_cast<float>(heads - 1)) / static_cast<float>(heads);
  const bool turned = shown_turned(verdict.tensor, context.session.setup());
  const double largest = std::isfinite(verdict.max_abs) ? verdict.max_abs : 1;
  // Differences within the tolerance have no meaning, so their colours stay near zero's.
  const ColorScale scale = ColorScale::symmetric(verdict.agrees ? std::max(largest * 20, 1e-30) : largest);
  for (Index head = 0; head < heads; ++head) {
    Tensor matrix = all;
    if (about.has_heads()) matrix = matrix.selected(1, head);
    if (about.has_batch()) matrix = matrix.selected(0, batch);
    const Slice slice = slice_of(matrix);
    const Rect r{column.x + static_cast<float>(head) * (width + gap), column.y + 5, width, height};
    const HeatmapLayout layout(r, {slice.rows(), slice.columns(), turned}, canvas.scale(), 0.0f);
    context.heatmaps.draw(canvas, {slice, scale, layout, Reduction::largest_magnitude});
    canvas.stroke(r.outset(1), canvas.theme().line_strong, 1, 2);
  }
}

void draw_row(ViewContext& context, const Rect& row, const Rect& inner, const CheckFindings& findings,
              const TensorVerdict& verdict, bool shown) {
  Ui& ui = context.ui;
  const Canvas canvas = ui.canvas();
  const Theme& theme = canvas.theme();
  const CheckReport& report = findings.report;
  const bool first = report.first_difference == verdict.tensor;
  ui.push_id(name(verdict.tensor));
  const Item item = ui.item("row", row);
  ui.say_control(item, name(verdict.tensor), "row", first ? "the first that differs" : "");
  const Rect card = row.inset(-2, 1);
  if (shown) canvas.fill(card, theme.raised, 6);
  else if (item.hovered) canvas.fill(card, theme.hover, 6);
  canvas.fill({inner.x, row.bottom() - 1, inner.w, 1}, theme.line);
  if (first) canvas.stroke(card, theme.error, 1.5f, 6);
  else if (shown) canvas.stroke(card, theme.outline, 1, 6);
  if (item.focused) canvas.focus_ring(card.inset(2));

  const Columns c = columns_of(inner);
  const Color quiet = verdict.agrees || !first ? theme.text2 : theme.text;
  canvas.icon(verdict.agrees ? Icon::check : Icon::cross, {c.mark.x, row.center().y - 8},
              verdict.agrees ? theme.ok
              : first        ? theme.error
                             : theme.text3,
              2);
  canvas.text_in(c.tensor, name(verdict.tensor), first || shown ? TextStyle::body_strong : TextStyle::body,
                 theme.identity(info(verdict.tensor).role, theme.text));
  if (!c.shape.empty()) canvas.text_in(c.shape, verdict.shape.to_string(), TextStyle::mono, theme.text2);
  const Tolerance& tolerance = context.session.state().checking.work().tolerance;
  if (!c.bar.empty()) draw_bar(canvas, c.bar, verdict, first, tolerance.absolute);
  const TextStyle numbers = first ? TextStyle::mono_strong : TextStyle::mono;
  canvas.text_in(c.largest, magnitude_text(verdict.max_abs), numbers, quiet, Align::right);
  canvas.text_in(c.cells,
                 verdict.cells_off == 0 ? "0" : fmt::format("{}/{}", verdict.cells_off, verdict.shape.elements()),
                 numbers, quiet, Align::right);
  canvas.icon_centered(verdict.step_agrees ? Icon::check : Icon::cross, c.step,
                       verdict.step_agrees ? theme.ok : theme.error, 2);
  if (!c.remark.empty())
    canvas.text_in(c.remark, remark_on(report, verdict), first ? TextStyle::caption_strong : TextStyle::caption,
                   first || !verdict.step_agrees ? theme.error : theme.text3);
  draw_pictures(context, c.picture, findings, verdict);
  ui.tooltip(item, fmt::format("{} is your {}.{}", name(verdict.tensor), verdict.yours,
                               verdict.step_agrees ? " Our step gives the same from your tensors."
                                                   : " Our step gives something else from your tensors."));
  if (item.clicked) select_checked(context, findings, verdict.tensor);
  ui.pop_id();
}

}  // namespace

float check_table_height(const CheckFindings& findings) {
  return head_height + table_row_height(findings) * static_cast<float>(findings.report.tensors.size()) + note_height;
}

void draw_check_table(ViewContext& context, const Rect& area, float margin, const CheckFindings& findings,
                      TensorId shown) {
  const Canvas canvas = context.ui.canvas();
  Rect rest = area;
  draw_head(canvas, rest.cut_top(head_height).inset(margin, 0));
  const Rect note = rest.cut_bottom(note_height).inset(margin, 0);
  const Columns c = columns_of(note);
  if (!c.bar.empty()) {
    const float tick = c.bar.x + share_of_bar(context.session.state().checking.work().tolerance.absolute) * c.bar.w;
    canvas.text({tick, note.y + 16}, "tolerance", TextStyle::caption, canvas.theme().text3, Align::center);
  }
  canvas.text_in(note, "step on its own: our step, run on your tensors", TextStyle::caption, canvas.theme().text3,
                 Align::right);
  const float height = table_row_height(findings);
  const auto& tensors = findings.report.tensors;
  ScrollArea scroll(context.ui, "tensors", rest, height * static_cast<float>(tensors.size()),
                    context.ui.theme().canvas);
  Rect content = scroll.content();
  CheckMemory& memory = context.memory.get<CheckMemory>();
  for (const TensorVerdict& verdict : tensors) {
    const Rect row{content.x + margin - 10, content.y, area.w - 2 * margin + 20, height};
    draw_row(context, row, row.inset(10, 0), findings, verdict, verdict.tensor == shown);
    if (verdict.tensor == shown && memory.revealed != shown) scroll.reveal(row);
    content.cut_top(height);
  }
  memory.revealed = shown;
}

void select_checked(ViewContext& context, const CheckFindings& findings, TensorId tensor) {
  Session& session = context.session;
  const Tensor& off = findings.differences[index_of(tensor)];
  const TensorVerdict& verdict = *findings.on(tensor);
  if (off.empty() || off.shape() != session.trace()[tensor].shape() || verdict.agrees)
    return Selecting(session).select_tensor(tensor);
  const double* const numbers = off.data<double>();
  Index furthest = 0;
  for (Index i = 0; i < off.elements(); ++i)
    if (std::abs(numbers[i]) > std::abs(numbers[furthest])) furthest = i;
  Cell cell{tensor, off.shape(), session.setup().layer};
  for (int axis = off.shape().rank() - 1; axis >= 0; --axis) {
    cell.index[axis] = furthest % off.shape()[axis];
    furthest /= off.shape()[axis];
  }
  Selecting(session).select(at_cell(session.selection(), cell, session.setup()));
}

}  // namespace headlight
