#include "app/views/inspector/inspector_parts.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/heatmap/numbers.hpp"
#include "app/session/edits/own_numbers.hpp"
#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
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

void draw_weight(ViewContext& context, const Rect& r, const TensorPicture& picture, const Cell& weight, bool own,
                 bool words) {
  const Canvas canvas = context.ui.canvas();
  const GridCell cell{weight.index.back(1), weight.index.back(0)};
  const double value = context.session.model_trace().value(weight);
  context.ui.push_id(static_cast<int>(cell.column));
  const Item item = context.ui.item("weight", r);
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
  if (item.focused) {
    canvas.focus_ring(r, 4);
    context.ui.say(fmt::format("{}, link, {}", text_of(weight, context.session.setup()), share_text(value)));
  }
  if (item.clicked) Selecting(context.session).pin(weight);
  offer_cell_menu(context, r, weight);
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

/// The cells `keys` of a row of probabilities, with their labels below.
void draw_shares(ViewContext& context, const Rect& r, const Cell& own_weight, const IndexRange& keys) {
  const Session& session = context.session;
  const Canvas canvas = context.ui.canvas();
  const Theme& theme = canvas.theme();
  const TensorId tensor = own_weight.tensor;
  const Selection at = at_cell(session.selection(), own_weight, session.setup());
  const TensorPicture picture = picture_of(context, tensor, at.batch, at.head);
  const float each = r.w / static_cast<float>(keys.size());
  for (Index key = keys.begin; key < keys.end; ++key) {
    const bool own = key == own_weight.index.back(0);
    const Rect cell{r.x + each * static_cast<float>(key - keys.begin), r.y, each - 3, 30};
    Cell weight = own_weight;
    weight.index[own_weight.index.rank() - 1] = key;
    draw_weight(context, cell, picture, weight, own, each >= 52);
    canvas.text_in({cell.x, cell.bottom(), cell.w, 22}, axis_label(tensor, true, key, session).main(),
                   own ? TextStyle::caption_strong : TextStyle::caption, own ? theme.text : theme.text2, Align::center);
  }
}

/// The cell's row in `tensor`, one of probabilities.
Box softmax_row(ViewContext& context, const Cell& cell, TensorId tensor) {
  const Session& session = context.session;
  const Theme& theme = context.ui.theme();
  const Cell own_weight{tensor, cell.index, cell.layer};
  const Index count = session.trace()[tensor].shape().back(0);
  const IndexRange keys = shown_keys(count, cell.index.back(0));
  Boxes rows{
      drawn({}, 52, [&context, own_weight, keys](Ui&, const Rect& r) { draw_shares(context, r, own_weight, keys); })};
  if (keys.size() < count)
    rows.push_back(words(fmt::format("{} {} to {} of {}", words_of_row(tensor), keys.begin, keys.end - 1, count),
                         TextStyle::caption, theme.text3)
                       .high(18));
  if (is_drawn(tensor, session.setup()) || session.lesson().hides(own_weight, session.setup()))
    return column(std::move(rows));
  const auto explained = context.memory.get<InspectorExplanations>().weight.of(session.trace(), own_weight);
  rows.push_back(words(softmax_numbers(*explained), TextStyle::code, theme.text2));
  return column(std::move(rows));
}

/// "L0.grad_resid_post[0,7,:]" for what is in the first layer of several.
std::string label_of(const GoesInto& into, const Setup& setup) {
  const bool names_first = text_of(into.first, setup).starts_with("L0.");
  return (names_first ? "L0." : "") + into.label;
}

Box effect_row(ViewContext& context, const NumberEffect& effect) {
  const Theme& theme = context.ui.theme();
  const double largest = std::max(std::abs(effect.before), std::abs(effect.after));
  const NumberFormat format = format_that_fits(largest, effect.before < 0 || effect.after < 0, 7, 4);
  return row({cell_link(context, fmt::format("effect {}", name(effect.cell.tensor)), effect.cell),
              row({words(format(effect.before) + " →", TextStyle::code, theme.text3),
                   words(format(effect.after), TextStyle::code, theme.text)},
                  7)
                  .unbroken()
                  .ended()});
}

Box into_row(ViewContext& context, std::string id, const GoesInto& into) {
  const Theme& theme = context.ui.theme();
  Box arrow = drawn({12, 12}, 12, [](Ui& ui, const Rect& r) {
    ui.canvas().icon(Icon::chevron_right, {r.x - 2, r.y}, ui.theme().text3, 1.5f, 12);
  });
  return row({std::move(arrow), cell_link(context, std::move(id), into.first, label_of(into, context.session.setup()),
                                          theme.identity(info(into.first.tensor).role, theme.text2))},
             2)
      .unbroken();
}

}  // namespace

Box destinations_part(ViewContext& context, const Explanation& explanation) {
  const Session& session = context.session;
  const Cell& cell = explanation.cell;
  const auto softmax = row_of(cell.tensor, session.setup());
  if (!softmax && explanation.goes_into.empty()) return nothing();
  // Most questions are about numbers that are computed from those on the screen.
  if (softmax && softmax != cell.tensor && session.lesson().asks()) return nothing();
  Boxes rows;
  if (softmax) rows.push_back(softmax_row(context, cell, *softmax));
  for (const GoesInto& into : explanation.goes_into)
    rows.push_back(into_row(context, fmt::format("into {}", &into - explanation.goes_into.data()), into));
  const std::string right = !softmax ? ""
                            : is_drawn(*softmax, session.setup())
                                ? fmt::format("the weights of q{}", cell.index.back(1))
                                : fmt::format("softmax over the {} of q{}", words_of_row(*softmax), cell.index.back(1));
  return section(context, softmax == cell.tensor ? "Its row" : "Where it goes", right, std::move(rows))
      .as_list("destinations");
}

Box effects_part(ViewContext& context, const Cell& cell) {
  Session& session = context.session;
  if (!is_changed(session.setup(), original_values(session), cell)) return nothing();
  const auto* const effects = context.memory.get<EffectStudy>().of(session, cell);
  if (effects == nullptr) context.ui.request_frame_in(look_again);
  if (effects == nullptr || effects->most.empty()) return nothing();
  Boxes rows;
  for (const NumberEffect& effect : effects->most) rows.push_back(effect_row(context, effect));
  return section(context, "What it changes", "most, in each tensor", std::move(rows)).as_list("effects");
}

}  // namespace headlight
