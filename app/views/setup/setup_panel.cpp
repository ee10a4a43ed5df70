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

/// Gives everything back to the lecture; nothing without one.
Box reset_all(ViewContext& context, float width) {
  const Theme& t = context.ui.theme();
  if (context.session.lesson().lecture() == nullptr) return nothing();
  const std::size_t count = context.session.changes().size();
  if (count == 0) {
    Box check =
        drawn({16, 16}, 16, [](Ui& ui, const Rect& r) { ui.canvas().icon_centered(Icon::check, r, ui.theme().text3); });
    return row({std::move(check), words("same as lecture", TextStyle::caption, t.text3)}, 6).unbroken().ended();
  }
  Box dot = drawn({7, 7}, 7, [](Ui& ui, const Rect& r) { changed_dot(ui.canvas(), r.center()); });
  const std::string differing = fmt::format("{} changed", count);
  const std::string_view label = width >= 320 ? "Reset to lecture" : "Reset";
  const float wide = context.ui.canvas().width(label, TextStyle::control) + 42;
  Box reset = drawn({wide, wide}, context.ui.reach(28), [&context, label, differing](Ui& ui, const Rect& r) {
    const Canvas canvas = ui.canvas();
    const Item item = ui.item("reset all", r);
    ui.say_control(item, "Reset to lecture", "button", differing);
    if (item.hovered) canvas.fill(r, ui.theme().hover, 6);
    canvas.icon(Icon::reset, {r.x + 8, r.center().y - 8}, ui.theme().text);
    canvas.text_in({r.x + 30, r.y, r.w - 30, r.h}, label, TextStyle::control, ui.theme().text);
    if (item.focused) canvas.focus_ring(r.inset(2));
    ui.tooltip(item, "Everything back to the lecture's setup");
    if (item.clicked) Lesson(context.session).reset();
  });
  return row({std::move(dot), words(differing, TextStyle::caption, t.text2), std::move(reset)}, 6).ended();
}

Box panel_head(ViewContext& context, float width) {
  return row({words("Setup", TextStyle::heading, context.ui.theme().text), reset_all(context, width)}).inset(16, 9);
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
  SetupRows rows(context, area.w);
  draw_open_model(rows);
  for (const SetupGroup group : groups) {
    const bool is_shown = has_rows(group, rows.setup());
    if (is_shown) draw_heading(rows, group);
    for (const SetupKey& entry : setup_entries())
      if (entry.group == group) draw_entry(rows, entry);
    if (is_shown) rows.end_section();
  }
  rows.draw_in(area);
}

void draw_setup_panel(ViewContext& context, Rect area) {
  static constexpr auto all = [] {
    std::array<SetupGroup, setup_group_labels.size()> groups{};
    for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = static_cast<SetupGroup>(i);
    return groups;
  }();
  Rect head = area;
  if (has_sheets(context)) head.w -= fingertip;  // its cross
  Box box = panel_head(context, head.w);
  if (context.ui.memory().longer_words) box = lengthened(std::move(box));
  head.h = std::max(46.0f, height_of(box, context.ui, head.w));
  area.cut_top(head.h);
  draw(context.ui, box, head);
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
