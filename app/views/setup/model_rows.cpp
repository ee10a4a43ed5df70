#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/actions/actions.hpp"
#include "app/session/model/open_layer.hpp"
#include "app/views/base/perform.hpp"
#include "app/views/setup/by_hand.hpp"

namespace headlight {
namespace {

constexpr float below_row = 6;
constexpr float layer_button = 30;

std::vector<std::string> numbered_names(const OpenModel& model) {
  std::vector<std::string> names;
  for (const ModelLayer& layer : model.layers) names.push_back(fmt::format("{} · {}", names.size(), layer.name));
  return names;
}

bool act(SetupRows& rows, std::string_view id, const Rect& r, Icon icon) {
  const Action& action = *action_named(id);
  const bool clicked = icon_button(rows.ui(), id, r, icon,
                                   {.kind = ButtonKind::quiet,
                                    .enabled = action.enabled(rows.session()),
                                    .tooltip = action.title,
                                    .keys = action.keys()});
  if (clicked) perform(rows.context(), action);
  return clicked;
}

void draw_layer_choice(SetupRows& rows, Rect row, const OpenModel& model) {
  const auto shown = shown_layer(rows.session());
  const float model_button = rows.ui().reach(layer_button);
  const Rect previous = row.cut_left(model_button), next = row.cut_right(model_button);
  act(rows, "model.previous", previous, Icon::previous);
  act(rows, "model.next", next, Icon::next);
  int layer = shown ? static_cast<int>(*shown) : -1;
  if (!select(rows.ui(), "model layer", row.inset(4, 0), numbered_names(model), layer,
              {.tooltip = "The layer to show"}))
    return;
  const auto problems = open_layer(rows.session(), static_cast<std::size_t>(layer));
  if (!problems.empty()) rows.session().notify(problems.front().message());
}

/// What is doubtful about the shown layer, for as long as it is shown.
void draw_remarks(SetupRows& rows, const OpenModel& model) {
  const auto shown = shown_layer(rows.session());
  if (!shown) return;
  for (const std::string& remark : model.layers[*shown].layer.remarks()) rows.note(remark + ".");
}

}  // namespace

void draw_open_model(SetupRows& rows) {
  const auto model = rows.session().state().model;  // a click may close it
  if (!model) return;
  const float model_row = rows.control_height() + below_row, model_button = rows.ui().reach(layer_button);
  rows.area(model_row, [&rows, model, model_button](Rect row) {
    act(rows, "model.close", row.cut_right(model_button), Icon::cross);
    act(rows, "model.compare", row.cut_right(model_button), Icon::swap);
    const Item item = rows.ui().item("model", row, {.focusable = false});
    rows.ui().tooltip(item, model->path.string());
    const std::string name = model->path.filename().string();
    rows.canvas().text_in(row, rows.canvas().ellipsized(name, TextStyle::control_strong, row.w),
                          TextStyle::control_strong, rows.theme().text);
  });
  rows.area(model_row, [&rows, model](const Rect& row) {
    draw_layer_choice(rows, {row.x, row.y, row.w, row.h - below_row}, *model);
  });
  draw_remarks(rows, *model);
  const Action& whole = *action_named("model.whole");
  if (!whole.enabled(rows.session())) return;
  rows.area(model_row, [&rows, &whole](const Rect& row) {
    if (button(rows.ui(), whole.id, {row.x, row.y, row.w, row.h - below_row}, whole.title, {}))
      perform(rows.context(), whole);
  });
}

}  // namespace headlight
