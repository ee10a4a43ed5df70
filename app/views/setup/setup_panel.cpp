#include "app/views/setup/setup_panel.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "app/session/lesson.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/views/frame/panels.hpp"
#include "app/views/frame/view_memory.hpp"
#include "app/views/setup/attention_section.hpp"
#include "app/views/setup/mask_section.hpp"
#include "app/views/setup/position_section.hpp"
#include "app/views/setup/random_section.hpp"
#include "app/views/setup/setup_panel_memory.hpp"
#include "app/views/setup/sizes_section.hpp"
#include "app/views/setup/task_section.hpp"
#include "app/views/setup/tokens_section.hpp"
#include "app/views/setup/values_section.hpp"

namespace headlight {
namespace {

SetupTopic topic_of(const Change& change) {
  const std::string_view key(change.key);
  return setup_key(key.substr(0, key.find('[')))->topic;  // one draw of the list counts as the list
}

constexpr float header_height = 46;

void draw_header(ViewContext& context, const Rect& r) {
  const Canvas canvas = context.ui.canvas();
  const Theme& t = context.ui.theme();
  const float baseline = r.y + 29;
  canvas.text({r.x + 16, baseline}, "Setup", TextStyle::heading, t.text);
  const float right = r.right() - 16;
  if (context.session.lesson().lecture() == nullptr) return;
  const std::size_t count = context.session.changes().size();
  if (count == 0) {
    const float wide = canvas.text({right, baseline}, "same as lecture", TextStyle::caption, t.text3, Align::right);
    canvas.icon(Icon::check, {right - wide - 22, baseline - 12}, t.text3);
    return;
  }
  const bool wordy = r.w >= 320;
  const std::string_view label = wordy ? "Reset to lecture" : "Reset";
  const Rect button{right - canvas.width(label, TextStyle::control) - 34, r.y + 9,
                    canvas.width(label, TextStyle::control) + 42, 28};
  const std::string words = fmt::format("{} changed", count);
  canvas.text({button.x - 6, baseline}, words, TextStyle::caption, t.text2, Align::right);
  changed_dot(canvas, {button.x - 6 - canvas.width(words, TextStyle::caption) - 9, baseline - 4});
  const Item item = context.ui.item("reset all", button);
  if (item.hovered) canvas.fill(button, t.hover, 6);
  canvas.icon(Icon::reset, {button.x + 8, button.y + 6}, t.text);
  canvas.text({button.x + 30, baseline}, label, TextStyle::control, t.text);
  if (item.focused) canvas.focus_ring(button.inset(2));
  context.ui.tooltip(item, "Everything back to the lecture's setup");
  if (item.clicked) Lesson(context.session).reset();
}

/// A section of the folded panel's rail and the icon that stands for it.
struct RailEntry {
  SetupTopic section;
  Icon icon;
  std::string_view name;
};
constexpr std::array<RailEntry, setup_topic_count> rail{{{SetupTopic::tokens, Icon::tokens, "Tokens"},
                                                         {SetupTopic::sizes, Icon::sizes, "Sizes"},
                                                         {SetupTopic::random, Icon::dice, "Random"},
                                                         {SetupTopic::position, Icon::position, "Position"},
                                                         {SetupTopic::mask, Icon::mask, "Mask"},
                                                         {SetupTopic::attention, Icon::scale, "Attention"},
                                                         {SetupTopic::task, Icon::learn, "Task"},
                                                         {SetupTopic::conventions, Icon::swap, "Conventions"}}};

}  // namespace

void draw_setup_panel(ViewContext& context, Rect area) {
  draw_header(context, area.cut_top(header_height));
  area.w -= 1;  // the rule at the edge
  SetupPanelMemory& memory = context.memory.get<SetupPanelMemory>();
  ScrollArea scroll(context.ui, "setup scroll", area, memory.content_height, context.ui.theme().panel);
  SetupRows rows(context, scroll, scroll.content());
  draw_tokens_section(rows);
  draw_sizes_section(rows);
  draw_random_section(rows);
  draw_values_section(rows);
  draw_position_section(rows);
  draw_mask_section(rows);
  draw_attention_section(rows);
  draw_task_section(rows);
  draw_conventions_section(rows);
  rows.find_asked_row();
  // While the mouse is over the panel, what has become shorter still fills it, so that nothing moves under the mouse.
  const float scrolled = area.y - scroll.content().y;
  const float height = context.ui.mouse_over(area) ? std::max(rows.used(), scrolled + area.h) : rows.used();
  if (std::abs(height - memory.content_height) < 0.5f) return;
  memory.content_height = height;
  context.ui.request_frame();
}

std::span<const ControlPlace> control_places() {
  static constexpr std::array<ControlPlace, 34> places{{
      {"Tokens of the sentence", "tokens"},
      {"Self- or cross-attention", "attention.source"},
      {"Batch", "sizes.batch"},
      {"Query length", "sizes.query_length"},
      {"Key length", "sizes.key_length"},
      {"d_model", "sizes.d_model"},
      {"Number of heads", "sizes.heads"},
      {"KV heads", "sizes.kv_heads"},
      {"Random generator", "random.generator"},
      {"Seed", "random.draws", "seed"},
      {"Distributions of input and weights", "random.draws", "W"},
      {"Biases", "random.draws", "biases"},
      {"Draws, in order", "random.draws"},
      {"Encoding of positions", "position.encoding"},
      {"Base of positions", "position.base"},
      {"Pairs of rotary positions", "position.layout"},
      {"Mask", "mask.kinds"},
      {"Valid lengths", "mask.valid_lengths"},
      {"Width of the window mask", "mask.window"},
      {"Divide by √d_head: scale", "attention.scale", "divide"},
      {"Temperature", "attention.temperature"},
      {"Dropout", "attention.dropout"},
      {"Ablated heads", "attention.ablated_heads"},
      {"Task: what to learn", "task.name"},
      {"Symbols of the task", "task.symbols"},
      {"Seed of the sequences", "task.seed"},
      {"Optimiser", "training.optimizer"},
      {"Learning rate", "training.learning_rate"},
      {"Batch of a step of training", "training.batch"},
      {"Steps of training", "training.steps"},
      {"Tokens in rows or columns", "attention.token_axis"},
      {"Layout of the weights", "attention.weight_layout"},
      {"Precision", "attention.precision"},
      {"Title of the setup", "title"},
  }};
  return places;
}

void show_section(ViewContext& context, SetupTopic section) {
  context.memory.get<SetupPanelMemory>().asked_for = section;
  open_panel(context, SidePanel::setup);
}

void show_control(ViewContext& context, const SetupKey& key, std::string_view row) {
  show_section(context, key.topic);
  context.memory.get<SetupPanelMemory>().asked_row = row.empty() ? key.name : row;
}

void draw_setup_rail(ViewContext& context, Rect area) {
  Rect button{area.x + 10, area.y + 10, 28, 28};
  if (icon_button(context.ui, "open", button, Icon::chevron_right,
                  {.kind = ButtonKind::quiet, .tooltip = "Open the setup"}))
    open_panel(context, SidePanel::setup);
  const std::vector<Change>& changes = context.session.changes();
  for (const RailEntry& entry : rail) {
    button.y += 38;
    const auto differing =
        std::count_if(changes.begin(), changes.end(), [&](const Change& c) { return topic_of(c) == entry.section; });
    const std::string tip =
        differing == 0 ? std::string(entry.name) : fmt::format("{}: {} changed", entry.name, differing);
    if (icon_button(context.ui, entry.name, button, entry.icon, {.kind = ButtonKind::quiet, .tooltip = tip}))
      show_section(context, entry.section);
    if (differing > 0) changed_dot(context.ui.canvas(), {button.right() - 2, button.y + 3});
  }
}

}  // namespace headlight
