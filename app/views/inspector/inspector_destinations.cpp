#include "app/views/inspector/inspector_column.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "app/heatmap/numbers.hpp"
#include "app/session/edits/own_numbers.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/inspector/known_explanation.hpp"
#include "app/views/tensors/axis_labels.hpp"
#include "app/views/tensors/effect_study.hpp"
#include "app/views/tensors/tensor_picture.hpp"
#include "core/model/shapes.hpp"
#include "core/setup/edits.hpp"
#include "core/stages/explain.hpp"
#include "core/stages/graph.hpp"

namespace headlight {
namespace {

constexpr Index most_cells = 8;

/// The shown cells of the softmax row: all, or those around the cell itself if there are too many.
IndexRange shown_keys(Index keys, Index own) {
  const Index count = std::min(keys, most_cells);
  const Index first = std::clamp<Index>(own - count / 2, 0, keys - count);
  return {first, first + count};
}

/// What a row of shares runs over: weights have a column for each key, probabilities one for each symbol.
std::string_view words_of_row(TensorId row) { return info(row).is_attention() ? "keys" : "symbols"; }

std::string share_text(double weight) { return fmt::format("{:.1f} %", 100 * weight); }

void draw_weight(Column& column, const Rect& r, const TensorPicture& picture, const Cell& weight, bool own,
                 bool words) {
  ViewContext& context = column.context;
  const Canvas canvas = context.ui.canvas();
  const GridCell cell{weight.index.back(1), weight.index.back(0)};
  const double value = context.session.model_trace().value(weight);
  context.ui.push_id(static_cast<int>(cell.column));
  const Item item = context.ui.item("weight", r, {.focusable = false});
  context.ui.pop_id();
  if (picture.slice.kind(cell.row, cell.column) == CellKind::masked) {
    canvas.hatch(r, 6, 3);
  } else {
    const Color fill = picture.scale.color(canvas.theme(), picture.shaded().value(cell.row, cell.column));
    canvas.fill(r, fill, 3);
    canvas.stroke(r, canvas.theme().line_strong, 1, 3);
    if (words) canvas.text_in(r, share_text(value), TextStyle::code, number_on(fill), Align::center);
  }
  if (own) canvas.stroke(r.outset(1), canvas.theme().lamp, 2, 4);
  if (item.clicked) Selecting(context.session).pin(weight);
  offer_cell_menu(column, r, weight);
}

/// exp(s − max) / Σ, with the row's numbers filled in.
std::string softmax_numbers(const Explanation& explained) {
  const std::vector<SoftmaxEntry>& row = explained.softmax_row;
  double sum = explained.sink;
  for (const SoftmaxEntry& entry : row) sum += entry.exponential;
  if (sum == 0) return "no key is visible: a row of zeros";
  const SoftmaxEntry& entry =
      *std::ranges::find(row, explained.cell.index, [](const SoftmaxEntry& each) { return each.score.index; });
  const auto text = [](double value) {
    return value > 0 && value < 0.0005 ? fmt::format("{:.1e}", value) : fmt::format("{:.3f}", value);
  };
  return fmt::format("exp(s − max) / Σ = {} / {} = {}", text(entry.exponential), text(sum), text(entry.weight));
}

/// Draws the cell's row in `row`, a tensor of probabilities.
void draw_softmax_row(Column& column, const Cell& cell, TensorId row) {
  ViewContext& context = column.context;
  const Session& session = context.session;
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  const Cell own_weight{row, cell.index, cell.layer};
  const Index own = cell.index.back(0), count = session.trace()[row].shape().back(0);
  const IndexRange keys = shown_keys(count, own);
  const Selection at = at_cell(session.selection(), own_weight, session.setup());
  const TensorPicture picture = picture_of(context, row, at.batch, at.head);
  const float each = column.width / static_cast<float>(keys.size());
  const Rect cells = column.row(30);
  const Rect labels = column.row(22);
  for (Index key = keys.begin; key < keys.end; ++key) {
    const float x = cells.x + each * static_cast<float>(key - keys.begin);
    Cell weight = own_weight;
    weight.index[cell.index.rank() - 1] = key;
    draw_weight(column, {x, cells.y, each - 3, cells.h}, picture, weight, key == own, each >= 52);
    const AxisLabel label = axis_label(row, true, key, session);
    canvas.text_in({x, labels.y, each - 3, labels.h}, label.main(),
                   key == own ? TextStyle::caption_strong : TextStyle::caption, key == own ? theme.text : theme.text2,
                   Align::center);
  }
  if (keys.size() < count)
    canvas.text_in(column.row(18), fmt::format("{} {} to {} of {}", words_of_row(row), keys.begin, keys.end - 1, count),
                   TextStyle::caption, theme.text3);
  if (is_drawn(row, session.setup()) || session.lesson().hides(own_weight, session.setup())) return;
  const auto explained = context.memory.get<InspectorExplanations>().weight.of(session.trace(), own_weight);
  canvas.text_in(column.row(column.line()), softmax_numbers(*explained), TextStyle::code, theme.text2);
}

/// "L0.grad_resid_post[0,7,:]" for what is in the first layer of several.
std::string label_of(const GoesInto& into, const Setup& setup) {
  const bool names_first = text_of(into.first, setup).starts_with("L0.");
  return (names_first ? "L0." : "") + into.label;
}

void draw_effect(Column& column, const NumberEffect& effect) {
  const Canvas canvas = column.context.ui.canvas();
  const Theme& theme = canvas.theme();
  Rect row = column.row(column.line());
  const double largest = std::max(std::abs(effect.before), std::abs(effect.after));
  const NumberFormat format = format_that_fits(largest, effect.before < 0 || effect.after < 0, 7, 4);
  const std::string after = format(effect.after), before = format(effect.before) + " → ";
  const float numbers = canvas.width(after, TextStyle::code) + canvas.width(before, TextStyle::code);
  canvas.text_in(row, after, TextStyle::code, theme.text, Align::right);
  canvas.text_in({row.x, row.y, row.w - canvas.width(after, TextStyle::code), row.h}, before, TextStyle::code,
                 theme.text3, Align::right);
  const std::string cell =
      canvas.ellipsized(text_of(effect.cell, column.context.session.setup()), TextStyle::code, row.w - numbers - 8);
  cell_link(column, fmt::format("effect {}", name(effect.cell.tensor)), {row.x, row.y, row.w - numbers - 8, row.h},
            cell, TextStyle::code, theme.identity(info(effect.cell.tensor).role, theme.text2), effect.cell);
}

}  // namespace

void draw_destinations(Column& column, const Explanation& explanation) {
  const Canvas canvas = column.context.ui.canvas();
  const Cell& cell = explanation.cell;
  const auto softmax = row_of(cell.tensor, column.context.session.setup());
  if (!softmax && explanation.goes_into.empty()) return;
  // Most questions are about numbers that are computed from those on the screen.
  if (softmax && softmax != cell.tensor && column.context.session.lesson().asks()) return;
  draw_section(column, softmax == cell.tensor ? "Its row" : "Where it goes",
               !softmax ? ""
               : is_drawn(*softmax, column.context.session.setup())
                   ? fmt::format("the weights of q{}", cell.index.back(1))
                   : fmt::format("softmax over the {} of q{}", words_of_row(*softmax), cell.index.back(1)));
  if (softmax) draw_softmax_row(column, cell, *softmax);
  int id = 0;
  for (const GoesInto& into : explanation.goes_into) {
    const Rect row = column.row(column.line());
    canvas.icon(Icon::chevron_right, {row.x - 2, row.center().y - 6}, canvas.theme().text3, 1.5f, 12);
    cell_link(column, fmt::format("into {}", id++), {row.x + 14, row.y, row.w - 14, row.h},
              label_of(into, column.context.session.setup()), TextStyle::code,
              canvas.theme().identity(info(into.first.tensor).role, canvas.theme().text2), into.first);
  }
}

void draw_effects(Column& column, const Cell& cell) {
  Session& session = column.context.session;
  if (!is_changed(session.setup(), original_values(session), cell)) return;
  const auto* const effects = column.context.memory.get<EffectStudy>().of(session, cell);
  if (effects == nullptr) return column.context.ui.request_frame_in(look_again);
  if (effects->most.empty()) return;
  draw_section(column, "What it changes", "most, in each tensor");
  for (const NumberEffect& effect : effects->most) draw_effect(column, effect);
}

}  // namespace headlight
