#include "app/views/overlays/layers_card.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/session/files/known_problems.hpp"
#include "app/session/model/open_layer.hpp"
#include "app/session/model/open_whole.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/overlays/problems_card.hpp"
#include "app/views/overlays/sheet.hpp"
#include "core/formats/layers/read_whole.hpp"
#include "core/model/problem.hpp"
#include "core/setup/edits.hpp"

namespace headlight {
namespace {

constexpr float layer_height = 46;

bool opens(const AttentionLayer& layer) { return layer.problems.empty(); }

/// Whether the number of heads is unknown, so that the list above the layers asks for it.
bool asks_for_heads(const AttentionLayer& layer) { return !opens(layer) && layer.d_model > 0 && layer.heads == 0; }

/// "Llama, Mistral, Qwen2 · 64 features · 8 heads, 2 for keys and values · causal"; or why the layer cannot be opened.
std::string words_of(const AttentionLayer& layer) {
  if (asks_for_heads(layer)) return fmt::format("{} · {} features · how many heads?", layer.name(), layer.d_model);
  if (!opens(layer)) return fmt::format("{}: {}", layer.name(), layer.problems.front().found);
  if (layer.weights) return fmt::format("{} · {} heads", layer.name(), layer.heads);
  std::string words = fmt::format("{} · {} features · {} heads", layer.name(), layer.d_model, layer.heads);
  if (layer.head_columns != layer.d_model) words += fmt::format(" of {}", layer.d_head());
  if (layer.kv_heads != layer.heads) words += fmt::format(", {} for keys and values", layer.kv_heads);
  if (layer.is_cross) words += " · cross-attention";
  if (layer.is_causal) words += " · causal";
  if (layer.sliding_window) words += fmt::format(" · the last {} keys", *layer.sliding_window);
  for (const std::string& remark : layer.remarks()) words += fmt::format(" · {}", remark);
  return words;
}

/// The choices of numbers of heads, if a layer's is unknown: the divisors of its width. Empty if all are known.
std::vector<std::string> numbers_of_heads(const OpenModel& model, bool chosen) {
  const auto asks = [&](const AttentionLayer& layer) { return layer.d_model > 0 && (chosen || layer.heads == 0); };
  const auto layer = std::ranges::find_if(model.layers, asks, &ModelLayer::layer);
  if (layer == model.layers.end()) return {};
  std::vector<std::string> numbers{"How many heads?"};
  for (const Index heads : divisors(layer->layer.d_model)) numbers.push_back(fmt::format("{}", heads));
  return numbers;
}

bool draw_layer(Ui& ui, const Rect& row, const ModelLayer& whole, bool chosen) {
  const AttentionLayer& layer = whole.layer;
  const Canvas canvas = ui.canvas();
  const Theme& theme = ui.theme();
  const Item item = list_row(ui, "layer", row, chosen);
  Rect words = row.inset(14, 4);
  canvas.text_in(words.cut_top(20), whole.name, TextStyle::code, opens(layer) ? theme.text : theme.text3);
  canvas.text_in(words, words_of(layer), TextStyle::caption, opens(layer) ? theme.text2 : theme.text3);
  return item.clicked;
}

/// Returns the index of the layer that was clicked.
std::optional<std::size_t> draw_layers(Ui& ui, const Rect& area, const LayersCard& card, bool moved) {
  const std::vector<ModelLayer>& layers = card.model.layers;
  ListRows rows{layers.size(), layer_height, {}};
  if (moved) rows.revealed = card.row;
  return draw_list(ui, "layers", area, rows,
                   [&](const Rect& row, std::size_t i) { return draw_layer(ui, row, layers[i], i == card.row); });
}

void show_problems(ViewContext& context, std::string title, std::vector<Problem> problems) {
  context.memory.get<ProblemsCard>() = {std::move(title), as_known(std::move(problems)), {}};
}

/// Makes the layer the setup. If that fails, shows the problems and returns false.
bool open_chosen(ViewContext& context, const LayersCard& card, std::size_t index) {
  Session& session = context.session;
  const ModelLayer& layer = card.model.layers[index];
  const auto before = session.state().model;
  session.set_model(std::make_shared<const OpenModel>(card.model));
  std::vector<Problem> problems = open_layer(session, index);
  if (problems.empty()) {
    if (layer.layer.remarks().empty()) session.notify(fmt::format("Opened {}", layer.name));
    return true;
  }
  session.set_model(before);
  if (asks_for_heads(layer.layer)) problems.front().allowed = "a number of heads, chosen above the list of layers";
  show_problems(context, fmt::format("{} couldn't be opened", layer.name), std::move(problems));
  return false;
}

/// Reads the layers again, with the chosen number of heads.
void choose_heads(ViewContext& context, LayersCard& card, const std::string& heads) {
  try {
    card.model = open_model(card.model.path, card.heads == 0 ? std::nullopt : std::optional<Index>(std::stoll(heads)));
    card.row = std::min(card.row, card.model.layers.size() - 1);
    card.whole = nullptr;
  } catch (const InputError& error) {
    show_problems(context, fmt::format("{} couldn't be read", card.model.path.filename().string()), error.problems());
  }
}

constexpr float whole_button = 190;
constexpr float words_line = 17;

/// What the whole model is, where it is cut, and what is assumed; or why there is none.
std::string words_of(const WholeModel& whole) {
  if (!whole.problems.empty())
    return fmt::format("No whole model: {}. Allowed: {}.", whole.problems.front().found,
                       whole.problems.front().allowed);
  std::string words = whole.in_words();
  words.front() = 'L';
  for (const std::string& remark : whole.remarks()) words += fmt::format(". {}", remark);
  for (const std::string& what : whole.assumed) words += fmt::format(". {}", what);
  return words + ".";
}

/// The button that opens the whole model, and what that is. Returns whether it was opened.
bool draw_whole(ViewContext& context, Rect area, const std::vector<std::string_view>& lines, const WholeModel& whole) {
  Ui& ui = context.ui;
  const Rect at = area.cut_left(whole_button);
  const bool clicked =
      button(ui, "whole", {at.x, at.y + 8, at.w, 28}, "Open the whole model", {.enabled = whole.problems.empty()});
  area.cut_left(14);
  float y = area.y + (lines.size() == 1 ? 26 : 20);
  for (const std::string_view line : lines) {
    ui.canvas().text({area.x, y}, line, TextStyle::caption, ui.theme().text2);
    y += words_line;
  }
  if (!clicked) return false;
  std::vector<Problem> problems = open_whole(context.session, whole);
  if (problems.empty()) return true;
  show_problems(context, "The whole model couldn't be opened", std::move(problems));
  return false;
}

}  // namespace

void draw_layers_card(ViewContext& context) {
  Ui& ui = context.ui;
  LayersCard& card = *context.memory.opened<LayersCard>();
  const std::vector<ModelLayer>& layers = card.model.layers;
  const std::vector<std::string> numbers = numbers_of_heads(card.model, card.heads != 0);
  const float asked = numbers.empty() ? 0 : 40;
  if (!card.whole && has_blocks(card.model))
    card.whole = std::make_shared<const WholeModel>(whole_in_window(card.model));
  const std::shared_ptr<const WholeModel> whole = card.whole;  // other heads make it another
  const std::string said = whole ? words_of(*whole) : std::string();
  const float width = std::min(640.0f, ui.surface().w - 32) - 50;
  const std::vector<std::string_view> lines = ui.canvas().wrapped(said, TextStyle::caption, width - whole_button - 14);
  const float of_whole = whole ? std::max(44.0f, 20 + words_line * static_cast<float>(lines.size())) : 0;
  const float listed = std::min(layer_height * static_cast<float>(layers.size()), 360.0f);
  Sheet sheet(ui, "layers", 640, Sheet::height_around(ui, listed + asked + of_whole + 28));
  bool closed = sheet.heading(fmt::format("The attention layers of {}", card.model.path.filename().string()));
  Rect area = sheet.area();
  ui.canvas().text_in(area.cut_bottom(24), "↑ ↓ choose, Enter opens one as the setup; its file is not changed.",
                      TextStyle::caption, ui.theme().text3);
  if (whole && draw_whole(context, area.cut_bottom(of_whole), lines, *whole)) closed = true;
  if (!numbers.empty()) {
    Rect line = area.cut_top(asked);
    if (select(ui, "heads", {line.x, line.y, 180, 28}, numbers, card.heads))
      choose_heads(context, card, numbers[static_cast<std::size_t>(card.heads)]);
  }
  const bool up = ui.take_key(Key::up), down = ui.take_key(Key::down), enter = ui.take_key(Key::enter);
  if (up && card.row > 0) --card.row;
  if (down && card.row + 1 < layers.size()) ++card.row;
  std::optional<std::size_t> picked = draw_layers(ui, area, card, up || down);
  if (picked) card.row = *picked;
  if (enter) picked = card.row;
  if (picked) closed = open_chosen(context, card, *picked) || closed;
  if (up || down || picked) ui.request_frame();
  if (sheet.dismissed() || closed) context.memory.opened<LayersCard>().reset();
}

}  // namespace headlight
