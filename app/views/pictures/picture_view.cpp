#include <algorithm>
#include <string>
#include <variant>

#include <fmt/format.h>

#include "app/session/selecting.hpp"
#include "app/session/session.hpp"
#include "app/ui/ui.hpp"
#include "app/views/base/views.hpp"
#include "app/views/menus/context_menu.hpp"
#include "app/views/pictures/step_pictures.hpp"
#include "app/views/story/arrangement.hpp"

namespace headlight {
namespace {

constexpr float beside_picture = 24;
constexpr float most_words = 0.42f;  ///< of the height, in the window

/// Whether a row of the tensor belongs to a query.
bool has_queries(TensorId tensor) {
  const TensorInfo& about = info(tensor);
  return (about.has_heads() && about.axes[static_cast<std::size_t>(about.rank - 2)] == Axis::query) ||
         tensor == TensorId::output;
}

}  // namespace

double picture_seconds(const Session& session) {
  constexpr double seconds_per_word = 0.4, longest = 3.2, softmax = 1.6, turning = 1.4;
  const Step* const step = session.lesson().step();
  if (step == nullptr || !step->picture || session.display().view != View::picture || session.lesson().asks()) return 0;
  const auto has = [](const auto& tensors, TensorId one) { return std::ranges::find(tensors, one) != tensors.end(); };
  if (const auto* const sentence = std::get_if<SentencePicture>(&*step->picture)) {
    if (sentence->blend) return std::min(longest, seconds_per_word * static_cast<double>(session.setup().key_length()));
    return has(sentence->rows, TensorId::scores) && has(sentence->rows, TensorId::weights) ? softmax : 0;
  }
  const auto* const arrows = std::get_if<ArrowsPicture>(&*step->picture);
  const bool turns =
      arrows != nullptr && (has(arrows->tensors, TensorId::K_rotated) || has(arrows->tensors, TensorId::Q_rotated));
  return turns ? turning : 0;
}

QueryRow query_row(const ViewContext& context) {
  const Session& session = context.session;
  const Selection& selected = session.selection();
  const Cell& own = session.lesson().step()->look_at;
  const Index last = session.setup().sizes.query_length - 1;
  const Index query = has_queries(selected.tensor) ? selected.row
                      : own.index.rank() >= 2      ? own.index[own.index.rank() - 2]
                                                   : 0;
  return {selected.batch, selected.head, std::min(query, last)};
}

void point_at_cell(ViewContext& context, const Rect& area, const Cell& cell) {
  Session& session = context.session;
  const Item item = context.ui.item(to_string(cell), area, {.focusable = false});
  if (session.cell() == cell && (item.hovered || session.state().pinned)) context.ui.canvas().ring(area);
  if (!item.hovered) return;
  hover_cell(context, cell);
  const bool hidden = session.lesson().hides(cell, session.setup());
  if (!context.reads)
    context.ui.tooltip(
        item, hidden ? std::string("What do you think?")
                     : fmt::format("{} = {}", to_string(cell),
                                   exact_text(session.model_trace().value(cell), session.setup().attention.precision)));
  if (item.clicked && !item.dragged) Selecting(session).pin(cell);
  offer_menu(context, area, {TargetKind::cell, at_cell(session.selection(), cell, session.setup())});
}

void draw_picture_view(ViewContext& context, Rect area) {
  const Step* const step = context.session.lesson().step();
  if (step == nullptr || !step->picture) return;
  StepPicture picture = *step->picture;
  // In a narrow column what the question does not need waits for the answer, so that the rest can be read.
  auto* const sentence = std::get_if<SentencePicture>(&picture);
  if (sentence != nullptr && context.ui.serves_finger() && context.session.lesson().asks()) sentence->blend = false;
  Rect rest = context.presenting ? area : area.inset(beside_picture, 0);
  const auto fit = [&](const Arrangement& arrangement, const Story&) {
    return std::visit([&](const auto& one) { return fit_of(context, one, arrangement.picture); }, picture);
  };
  cut_lecture_story(context, rest, most_words, {.fit = fit});
  if (!context.presenting) rest = rest.inset(0, 12);
  std::visit([&](const auto& one) { draw_picture(context, one, rest); }, picture);
}

}  // namespace headlight
