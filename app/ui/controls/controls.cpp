#include "app/ui/controls/controls.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/ui/drawing/imgui_seam.hpp"

namespace headlight {
namespace {

constexpr float control_radius = 6;
constexpr float segment_radius = 4;

struct Look {
  Color fill;
  Color border;
  Color ink;
};

Look button_look(const Theme& t, const Item& item, const ButtonOptions& options) {
  if (!options.enabled && options.kind == ButtonKind::quiet)
    return {faded(t.hover, 0), faded(t.line, 0), t.line_strong};
  if (!options.enabled) return {t.canvas, t.line, t.text3};
  const bool pressed = item.held && item.hovered;
  if (options.kind == ButtonKind::primary) {
    const Color lamp = pressed ? mix(t.lamp, t.canvas, 0.18) : item.hovered ? mix(t.lamp, t.canvas, 0.08) : t.lamp;
    return {lamp, lamp, t.lamp_ink};
  }
  if (pressed) return {t.field, t.outline, t.text};
  if (item.hovered || options.selected) return {t.hover, t.outline, t.text};
  if (options.kind == ButtonKind::quiet) return {faded(t.hover, 0), faded(t.control, 0), t.text2};
  return {t.raised, t.control, t.text};
}

Item draw_button(Ui& ui, std::string_view id, const Rect& r, const ButtonOptions& options, Look& look) {
  const Item item = ui.item(id, r, {.enabled = options.enabled});
  const Canvas canvas = ui.canvas();
  look = button_look(ui.theme(), item, options);
  canvas.fill(r, look.fill, control_radius);
  canvas.stroke(r, look.border, 1, control_radius);
  if (item.focused) canvas.focus_ring(r);
  return item;
}

/// The background and border of all controls with a value.
void draw_field(const Canvas& canvas, const Rect& r, bool hovered) {
  const Theme& t = canvas.theme();
  canvas.fill(r, t.field, control_radius);
  canvas.stroke(r, hovered ? t.outline : t.control, 1, control_radius);
}

/// The direction from the arrow keys of a focused control, or from the wheel over it: −1, 0 or +1. Upwards means the
/// previous choice, but a larger number.
int direction_of(Ui& ui, const Item& item, const Rect& r, bool numbers = false) {
  const int upwards = numbers ? 1 : -1;
  if (const int turns = ui.take_turns(r, item.focused)) return turns > 0 ? upwards : -upwards;
  if (!item.focused || ui.typing()) return 0;
  if (ui.take_key(Key::up)) return upwards;
  if (ui.take_key(Key::down)) return -upwards;
  if (ui.take_key(Key::left)) return -1;
  if (ui.take_key(Key::right)) return 1;
  return 0;
}

bool begins_with(std::string_view label, std::string_view typed) {
  const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
  return label.size() >= typed.size() && std::equal(typed.begin(), typed.end(), label.begin(), same);
}

/// The first label that begins with what is typed over the choice with the focus. Letters that follow each other within
/// a second belong together; where nothing begins with all of them, the last one begins anew, after the present label.
template <class Labels>
std::optional<int> typed_choice(Ui& ui, const Item& item, const Labels& labels, int index) {
  constexpr double together = 1;
  const std::string letters = ui.take_typed(item);
  if (letters.empty()) return std::nullopt;
  UiMemory& memory = ui.memory();
  const bool goes_on = memory.chooses_by_letters == item.id && ui.time() - memory.typed_at < together;
  memory.chooses_by_letters = item.id;
  memory.typed_at = ui.time();
  memory.typed_ahead = goes_on ? memory.typed_ahead + letters : letters;
  const int count = static_cast<int>(labels.size());
  for (int i = 0; i < count; ++i)
    if (labels[static_cast<std::size_t>(i)] == std::string_view(memory.typed_ahead)) return i;
  const auto first_from = [&](int start) -> std::optional<int> {
    for (int i = 0; i < count; ++i)
      if (const int at = (start + i) % count; begins_with(labels[static_cast<std::size_t>(at)], memory.typed_ahead))
        return at;
    return std::nullopt;
  };
  if (const auto found = first_from(0); found && memory.typed_ahead.size() > 1) return found;
  memory.typed_ahead = letters;
  return first_from(std::max(index, -1) + 1);
}

/// The chosen one of the labels; empty if none is.
template <class Labels>
std::string_view chosen_word(const Labels& labels, int index) {
  const bool valid = index >= 0 && index < static_cast<int>(labels.size());
  return valid ? std::string_view(labels[static_cast<std::size_t>(index)]) : std::string_view();
}

bool move_index(int& index, int direction, std::size_t count) {
  const int moved = std::clamp(index + direction, 0, static_cast<int>(count) - 1);
  return std::exchange(index, moved) != moved;
}

constexpr float usual_row = 28;

/// The rows of a drop-down list inside its popup. Returns the picked index.
std::optional<int> draw_rows(Ui& ui, const Rect& r, std::span<const std::string> items,
                             std::span<const std::string> notes, int index) {
  const Theme& t = ui.theme();
  const Canvas canvas = ui.canvas();
  const float row_height = ui.reach(usual_row);
  std::optional<int> picked;
  int cursor = index;
  if (ui.take_key(Key::up)) move_index(cursor, -1, items.size());
  if (ui.take_key(Key::down)) move_index(cursor, 1, items.size());
  Item list;
  list.id = ui.id_of("rows");
  list.focused = true;
  if (const auto typed = typed_choice(ui, list, items, cursor)) cursor = *typed;
  if (cursor != index) picked = cursor;
  if (ui.take_key(Key::escape) || ui.take_key(Key::enter)) ImGui::CloseCurrentPopup();
  ScrollArea area(ui, "rows", r, row_height * static_cast<float>(items.size()), ui.theme().raised);
  const auto row_of = [&](int i) {
    return Rect{area.content().x, area.content().y + row_height * static_cast<float>(i), area.content().w, row_height};
  };
  if (ImGui::IsWindowAppearing() || picked) area.reveal(row_of(cursor));
  for (int i = 0; i < static_cast<int>(items.size()); ++i) {
    const Rect row = row_of(i);
    ui.push_id(i);
    const Item item = ui.item("row", row, {.focusable = false});
    ui.pop_id();
    const bool chosen = i == cursor;
    if (item.hovered || chosen) canvas.fill(row, t.hover, segment_radius);
    if (chosen) canvas.icon(Icon::check, {row.x + 6, row.center().y - 8}, t.text2);
    canvas.text_in({row.x + 28, row.y, row.w - 36, row.h}, items[static_cast<std::size_t>(i)], TextStyle::control,
                   t.text);
    if (static_cast<std::size_t>(i) < notes.size())
      canvas.text_in({row.x, row.y, row.w - 10, row.h}, notes[static_cast<std::size_t>(i)], TextStyle::caption, t.text3,
                     Align::right);
    if (!item.clicked) continue;
    picked = i;
    ImGui::CloseCurrentPopup();
  }
  return picked;
}

/// Below the control, or above it if there is no room, but never outside of the surface.
Rect list_rect(const Rect& control, float width, float content, const Rect& screen) {
  Rect list{control.x, control.bottom() + 4, std::min(width, screen.w - 16), std::min(content, screen.h - 24)};
  list.x = std::max(8.0f, std::min(list.x, screen.right() - 8 - list.w));
  if (list.bottom() > screen.bottom() - 8) list.y = std::max(8.0f, control.y - list.h - 4);
  if (list.bottom() > screen.bottom() - 8) list.y = screen.bottom() - 8 - list.h;
  return list;
}

/// The drop-down list of a select while it is open. Returns the picked index.
std::optional<int> draw_list(Ui& ui, const std::string& popup, const Rect& r, std::span<const std::string> items,
                             std::span<const std::string> notes, int index) {
  constexpr float padding = 4;
  const float scale = ui.scale();
  // Wider than the control if a name needs it, so that the list shows names that the control cuts off.
  float width = r.w;
  float beside = 0;
  for (const std::string& note : notes) beside = std::max(beside, ui.canvas().width(note, TextStyle::caption) + 16);
  for (const std::string& item : items)
    width = std::max(width, ui.canvas().width(item, TextStyle::control) + 52 + beside);
  const Rect list =
      list_rect(r, width, ui.reach(usual_row) * static_cast<float>(items.size()) + 2 * padding, ui.surface());
  ImGui::SetNextWindowPos({list.x * scale, list.y * scale});
  ImGui::SetNextWindowSize({list.w * scale, list.h * scale});
  ImGui::PushStyleColor(ImGuiCol_PopupBg, 0u);
  std::optional<int> picked;
  if (ImGui::BeginPopup(popup.c_str(), ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoScrollbar |
                                           ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoNav)) {
    ui.canvas().fill(list, ui.theme().raised, 8);
    ui.canvas().stroke(list, ui.theme().outline, 1, 8);
    picked = draw_rows(ui, list.inset(padding), items, notes, index);
    ImGui::EndPopup();
  }
  ImGui::PopStyleColor();
  return picked;
}

}  // namespace

bool button(Ui& ui, std::string_view id, const Rect& r, std::string_view label, const ButtonOptions& options) {
  Look look;
  const Item item = draw_button(ui, id, r, options, look);
  const bool strong = options.kind == ButtonKind::primary || options.selected;
  ui.canvas().text_in(r.inset(6, 0), label, strong ? TextStyle::control_strong : TextStyle::control, look.ink,
                      Align::center);
  ui.say_control(item, label, "button", options.selected ? "on" : "");
  if (!options.tooltip.empty()) ui.tooltip(item, options.tooltip, options.keys);
  return item.clicked && !(options.once && ui.input().second_click);
}

bool icon_button(Ui& ui, std::string_view id, const Rect& r, Icon icon, const ButtonOptions& options) {
  Look look;
  const Item item = draw_button(ui, id, r, options, look);
  ui.canvas().icon_centered(icon, r, look.ink);
  ui.say_control(item, options.tooltip, "button", options.selected ? "on" : "");
  if (!options.tooltip.empty()) ui.tooltip(item, options.tooltip, options.keys);
  return item.clicked;
}

bool segmented(Ui& ui, std::string_view id, const Rect& r, std::span<const std::string_view> labels, int& index,
               const ChoiceOptions& options) {
  const Theme& t = ui.theme();
  const Canvas canvas = ui.canvas();
  const int before = index;
  const Item item = ui.item(id, r);
  const float each = (r.w - 4) / static_cast<float>(labels.size());
  const auto segment = [&](int i) { return Rect{r.x + 2 + each * static_cast<float>(i), r.y + 2, each, r.h - 4}; };
  const bool by_mouse = item.clicked && !item.focused;
  // A mouse that is nowhere is further away than a whole number can say.
  const int under_mouse =
      static_cast<int>(std::clamp((ui.mouse().x - r.x - 2) / each, 0.0f, static_cast<float>(labels.size()) - 1));
  if (by_mouse) index = under_mouse;
  const int direction = direction_of(ui, item, r, options.mono);
  if (direction != 0) move_index(index, direction, labels.size());
  if (const auto typed = typed_choice(ui, item, labels, index)) index = *typed;
  draw_field(canvas, r, false);
  for (int i = 0; i < static_cast<int>(labels.size()); ++i) {
    const bool chosen = i == index;
    if (chosen || (item.hovered && i == under_mouse))
      canvas.fill(segment(i), chosen ? t.hover : faded(t.hover, 0.6f), segment_radius);
    if (chosen) canvas.stroke(segment(i), t.outline, 1, segment_radius);
    const TextStyle style = options.mono ? (chosen ? TextStyle::mono_strong : TextStyle::mono)
                                         : (chosen ? TextStyle::control_strong : TextStyle::control);
    canvas.text_in(segment(i).inset(2, 0), labels[static_cast<std::size_t>(i)], style, chosen ? t.text : t.text2,
                   Align::center);
  }
  if (item.focused) canvas.focus_ring(r);
  ui.say_control(item, ui.row_or(options.tooltip), fmt::format("one of {}", labels.size()), chosen_word(labels, index));
  if (!options.tooltip.empty()) ui.tooltip(item, options.tooltip);
  return index != before;
}

bool select(Ui& ui, std::string_view id, const Rect& r, std::span<const std::string> items, int& index,
            const ChoiceOptions& options) {
  const Theme& t = ui.theme();
  const Canvas canvas = ui.canvas();
  const Item item = ui.item(id, r);
  const std::string popup = std::string(id) + "##list";
  const bool open = ImGui::IsPopupOpen(popup.c_str());
  draw_field(canvas, r, item.hovered || open);
  const bool valid = index >= 0 && index < static_cast<int>(items.size());
  const Rect words{r.x + 10, r.y, r.w - 38 - (options.changed ? 12.0f : 0.0f), r.h};
  ui.say_control(item, ui.row_or(options.tooltip), "list", chosen_word(items, index));
  if (valid)
    canvas.text_in(words, items[static_cast<std::size_t>(index)], options.mono ? TextStyle::mono : TextStyle::control,
                   t.text);
  if (options.changed) changed_dot(canvas, {r.right() - 32, r.center().y});
  canvas.icon(Icon::chevron_down, {r.right() - 24, r.center().y - 8}, t.text3);
  if (item.focused && !open) canvas.focus_ring(r);
  if (!options.tooltip.empty() && !open) ui.tooltip(item, options.tooltip);
  if (item.clicked) ImGui::OpenPopup(popup.c_str());
  const int before = index;
  if (!open)
    if (const int direction = direction_of(ui, item, r)) move_index(index, direction, items.size());
  if (const auto typed = typed_choice(ui, item, items, index)) index = *typed;
  if (const std::optional<int> picked = draw_list(ui, popup, r, items, options.notes, index)) index = *picked;
  return index != before;
}

bool tabs(Ui& ui, std::string_view id, const Rect& r, std::span<const std::string_view> labels, int& index, float gap) {
  const Theme& t = ui.theme();
  const Canvas canvas = ui.canvas();
  const int before = index;
  ui.push_id(id);
  float x = r.x;
  for (int i = 0; i < static_cast<int>(labels.size()); ++i) {
    const std::string_view label = labels[static_cast<std::size_t>(i)];
    const float strong_width = canvas.width(label, TextStyle::body_strong);
    const float reach = std::min(12.0f, gap / 2);
    const Rect tab{x - reach, r.y, strong_width + 2 * reach, r.h};
    ui.push_id(i);
    const Item item = ui.item("tab", tab);
    ui.pop_id();
    ui.say_control(item, label, "tab", i == index ? "selected" : "");
    if (item.clicked) index = i;
    if (const auto typed = typed_choice(ui, item, labels, index)) index = *typed;
    if (i == index)
      if (const int direction = direction_of(ui, item, tab)) move_index(index, direction, labels.size());
    const bool chosen = i == index;
    canvas.text_in(tab, label, chosen ? TextStyle::body_strong : TextStyle::body,
                   chosen || item.hovered ? t.text : t.text2, Align::center);
    if (chosen) canvas.fill({tab.x, r.bottom() - 3, tab.w, 3}, t.lamp);
    if (item.focused) canvas.focus_ring(tab.inset(4, 8));
    x += strong_width + gap;
  }
  ui.pop_id();
  return index != before;
}

bool toggle(Ui& ui, std::string_view id, Point top_left, bool& on, bool enabled) {
  const Theme& t = ui.theme();
  const Canvas canvas = ui.canvas();
  const Rect r{top_left.x, top_left.y, toggle_width, toggle_height};
  const bool was = on;
  const Rect tapped = r.inset((r.w - ui.reach(r.w)) / 2, (r.h - ui.reach(r.h)) / 2);
  const Item item = ui.item(id, tapped, {.enabled = enabled});
  if (item.clicked) on = !on;
  ui.say_control(item, "", "switch", on ? "on" : "off");
  const std::string typed = ui.take_typed(item);
  if (typed == "1" || typed == "0") on = typed == "1";
  const bool lit = on && enabled;
  canvas.fill(r, lit ? t.lamp : !enabled ? t.canvas : item.hovered ? t.hover : t.field, 9);
  if (!lit) canvas.stroke(r, enabled ? t.outline : t.line, 1, 9);
  canvas.disc({r.x + (on ? 23 : 9), r.y + 9}, 6, lit ? t.lamp_ink : enabled ? t.outline : t.line_strong);
  if (item.focused) canvas.focus_ring(r, 9);
  return on != was;
}

float chip_width(const Canvas& canvas, std::string_view label) { return canvas.width(label, TextStyle::control) + 20; }

Item chip(Ui& ui, std::string_view id, const Rect& r, std::string_view label, bool selected) {
  const Theme& t = ui.theme();
  const Canvas canvas = ui.canvas();
  const Item item = ui.item(id, r);
  ui.take_typed(item);
  ui.say_control(item, label, "button", selected ? "on" : "");
  canvas.fill(r, selected || item.hovered ? t.hover : t.field, control_radius);
  canvas.stroke(r, selected || item.hovered ? t.outline : t.control, 1, control_radius);
  canvas.text_in(r.inset(8, 0), label, selected ? TextStyle::control_strong : TextStyle::control, t.text,
                 Align::center);
  if (item.focused) canvas.focus_ring(r);
  return item;
}

void section_header(const Canvas& canvas, const Rect& row, std::string_view title, std::string_view right) {
  const Theme& t = canvas.theme();
  canvas.fill({row.x, row.y, row.w, 1}, t.line);
  const float baseline = row.center().y + 6;
  canvas.text({row.x + 16, baseline}, title, TextStyle::control_strong, t.text);
  canvas.text({row.right() - 16, baseline}, right, TextStyle::caption, t.text3, Align::right);
}

float changed_note_width(const Ui& ui, std::string_view words) {
  return words.empty() ? ui.reach(24) : 30 + ui.canvas().width(words, TextStyle::caption);
}

Item changed_note(Ui& ui, std::string_view id, Point baseline, std::string_view words) {
  const Theme& t = ui.theme();
  const Canvas canvas = ui.canvas();
  const float height = ui.reach(24);
  const Rect r{baseline.x - 4, baseline.y - 5 - height / 2, changed_note_width(ui, words), height};
  const Item item = ui.item(id, r);
  ui.say_control(item, fmt::format("Back to {}", words), "button");
  const Color ink = item.hovered ? t.text : t.text3;
  if (item.hovered) canvas.fill(r, t.hover, segment_radius);
  canvas.icon(Icon::reset, {baseline.x, baseline.y - 13}, ink);
  canvas.text({baseline.x + 22, baseline.y}, words, TextStyle::caption, ink);
  if (item.focused) canvas.focus_ring(r.inset(2), segment_radius);
  return item;
}

void changed_dot(const Canvas& canvas, Point center) { canvas.disc(center, 3.5f, canvas.theme().changed); }

float key_cap_width(const Canvas& canvas, std::string_view key) {
  return std::max(18.0f, canvas.width(key, TextStyle::code) + 10);
}

float key_cap(const Canvas& canvas, Point baseline, std::string_view key) {
  const Theme& t = canvas.theme();
  const Rect r{baseline.x, baseline.y - 12.5f, key_cap_width(canvas, key), 17};
  canvas.fill(r, t.raised, segment_radius);
  canvas.stroke(r, t.line_strong, 1, segment_radius);
  canvas.text_in(r, key, TextStyle::code, t.text2, Align::center);
  return r.w;
}

}  // namespace headlight
