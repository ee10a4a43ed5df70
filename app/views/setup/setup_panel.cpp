#include "app/views/setup/setup_panel.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "app/session/lesson.hpp"
#include "app/session/session.hpp"
#include "app/ui/controls/controls.hpp"
#include "app/views/base/panels.hpp"
#include "app/views/base/view_memory.hpp"
#include "app/views/setup/by_hand.hpp"
#include "app/views/setup/setup_rows.hpp"

namespace headlight {
namespace {

SetupGroup group_of(const Change& change) {
  const std::string_view key(change.key);
  return setup_key(key.substr(0, key.find('[')))->group;  // one draw of the list counts as the list
}

constexpr float header_height = 46;

void draw_header(ViewContext& context, Rect r) {
  const Canvas canvas = context.ui.canvas();
  const Theme& t = context.ui.theme();
  if (has_sheets(context)) r.cut_right(fingertip);  // its cross
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
  const float height = context.ui.reach(28);
  const Rect button{right - canvas.width(label, TextStyle::control) - 34, r.y + 23 - height / 2,
                    canvas.width(label, TextStyle::control) + 42, height};
  const std::string words = fmt::format("{} changed", count);
  canvas.text({button.x - 6, baseline}, words, TextStyle::caption, t.text2, Align::right);
  changed_dot(canvas, {button.x - 6 - canvas.width(words, TextStyle::caption) - 9, baseline - 4});
  const Item item = context.ui.item("reset all", button);
  context.ui.say_control(item, "Reset to lecture", "button", words);
  if (item.hovered) canvas.fill(button, t.hover, 6);
  canvas.icon(Icon::reset, {button.x + 8, button.center().y - 8}, t.text);
  canvas.text({button.x + 30, baseline}, label, TextStyle::control, t.text);
  if (item.focused) canvas.focus_ring(button.inset(2));
  context.ui.tooltip(item, "Everything back to the lecture's setup");
  if (item.clicked) Lesson(context.session).reset();
}

/// The icons of the groups in the folded panel.
constexpr std::array<Icon, setup_group_labels.size()> icons{Icon::tokens,   Icon::sizes, Icon::dice,
                                                            Icon::position, Icon::mask,  Icon::scale,
                                                            Icon::forward,  Icon::learn, Icon::swap};

/// A function that draws an entry by hand, instead of its row. Null: another row draws the entry too, or its names have
/// no room in a row.
struct ByHand {
  std::string_view entry;
  void (*draw)(SetupRows&);
};
/// The title is the longest text of the panel and matters least, so it is last.
void draw_precision_and_title(SetupRows& rows) {
  for (const char* name : {"attention.precision", "title"}) rows.entry(*setup_entry(name));
}

constexpr ByHand by_hand[] = {{"title", nullptr},
                              {"attention.precision", draw_precision_and_title},
                              {"tokens", draw_tokens},
                              {"key_tokens", nullptr},
                              {"features", nullptr},
                              {"head_names", nullptr},
                              {"model.layer", nullptr},
                              {"model.text", nullptr},
                              {"sizes.query_length", draw_lengths},
                              {"sizes.key_length", nullptr},
                              {"random.draws", draw_draws},
                              {"values", draw_values},
                              {"mask.kinds", draw_mask_tiles},
                              {"mask.blocked", draw_painted_mask}};

void draw_entry(SetupRows& rows, const SetupKey& entry) {
  const auto* const found = std::ranges::find(by_hand, entry.name, &ByHand::entry);
  if (found == std::end(by_hand)) rows.entry(entry);
  else if (is_decided(entry, rows.setup()) && entry.name != "tokens") return;
  else if (found->draw != nullptr) found->draw(rows);
}

/// Whether the entry has a row below the heading of the group. Tokens always have one, and given numbers a heading of
/// their own.
bool has_row(const SetupKey& entry, SetupGroup group, const Setup& setup) {
  if (entry.group != group || entry.name == "values") return false;
  return entry.name == "tokens" || can_change(entry, setup);
}

bool has_rows(SetupGroup group, const Setup& setup) {
  return std::ranges::any_of(setup_entries(), [&](const SetupKey& entry) { return has_row(entry, group, setup); });
}

/// Values that have no row with a label are named in the heading, and reset to the lecture's there.
void draw_heading(SetupRows& rows, SetupGroup group) {
  std::string right;
  std::optional<LectureValue> lecture;
  if (group == SetupGroup::tokens) {
    right = fmt::format("{}", rows.setup().token_count());
    lecture = rows.changed("tokens");
  } else if (group == SetupGroup::mask) {
    right = setup_key("mask.kinds")->text(rows.setup());
    lecture = rows.changed("mask.kinds");
    if (!lecture) lecture = rows.changed("mask.blocked");
  }
  rows.section(group, label_of(group), right, lecture);
}

/// Unfolds the panel and scrolls to the section.
void show_section(ViewContext& context, SetupGroup section) {
  context.memory.get<SetupPanelMemory>().asked_for = section;
  open_panel(context, SidePanel::setup);
}

}  // namespace

void draw_setup_groups(ViewContext& context, const Rect& area, std::span<const SetupGroup> groups) {
  SetupPanelMemory& memory = context.memory.get<SetupPanelMemory>();
  ScrollArea scroll(context.ui, "setup scroll", area, memory.content_height, context.ui.theme().panel);
  SetupRows rows(context, scroll, scroll.content());
  draw_open_model(rows);
  for (const SetupGroup group : groups) {
    const bool is_shown = has_rows(group, rows.setup());
    if (is_shown) draw_heading(rows, group);
    for (const SetupKey& entry : setup_entries())
      if (entry.group == group) draw_entry(rows, entry);
    if (is_shown) rows.end_section();
  }
  rows.find_asked_row();
  // While the mouse is over the panel, its content does not become shorter, so that nothing moves under the mouse.
  const float scrolled = area.y - scroll.content().y;
  const float height = context.ui.mouse_over(area) ? std::max(rows.used(), scrolled + area.h) : rows.used();
  if (std::abs(height - memory.content_height) < 0.5f) return;
  memory.content_height = height;
  context.ui.request_frame();
}

void draw_setup_panel(ViewContext& context, Rect area) {
  static constexpr auto all = [] {
    std::array<SetupGroup, setup_group_labels.size()> groups{};
    for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = static_cast<SetupGroup>(i);
    return groups;
  }();
  draw_header(context, area.cut_top(header_height));
  area.w -= 1;  // the rule at the edge
  draw_setup_groups(context, area, all);
}

void show_control(ViewContext& context, const SetupKey& entry) {
  show_section(context, entry.group);
  context.memory.get<SetupPanelMemory>().asked_row = entry.name;
}

void draw_setup_rail(ViewContext& context, Rect area) {
  Rect button = first_of_rail(context.ui, area);
  if (icon_button(context.ui, "open", button, Icon::chevron_right,
                  {.kind = ButtonKind::quiet, .tooltip = "Open the setup"}))
    open_panel(context, SidePanel::setup);
  const std::vector<Change>& changes = context.session.changes();
  for (std::size_t i = 0; i < icons.size(); ++i) {
    const auto group = static_cast<SetupGroup>(i);
    if (!has_rows(group, context.session.setup())) continue;
    const std::string_view label = label_of(group);
    button.y += button.h + rail_gap;
    const auto differing =
        std::count_if(changes.begin(), changes.end(), [&](const Change& c) { return group_of(c) == group; });
    const std::string tip = differing == 0 ? std::string(label) : fmt::format("{}: {} changed", label, differing);
    if (icon_button(context.ui, label, button, icons[i], {.kind = ButtonKind::quiet, .tooltip = tip}))
      show_section(context, group);
    if (differing > 0) changed_dot(context.ui.canvas(), {button.right() - 2, button.y + 3});
  }
}

}  // namespace headlight
