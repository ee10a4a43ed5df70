#include "app/ui/ui.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/ui/drawing/imgui_seam.hpp"
#include "core/text/characters.hpp"

namespace headlight {
namespace {

constexpr double tooltip_delay = 0.45;

/// Whether the chord writes a letter, a digit or a sign.
bool writes(const Chord& chord) {
  if (chord.ctrl || chord.alt) return false;
  return (chord.key >= Key::a && chord.key <= Key::digit_9) ||
         (chord.key >= Key::left_bracket && chord.key <= Key::slash);
}

bool begins_number(const Chord& chord) {
  const Key key = chord.key;
  const bool begins =
      (key >= Key::digit_0 && key <= Key::digit_9) || key == Key::minus || key == Key::period || key == Key::comma;
  return begins && writes(chord);
}

bool types(const Chord& chord) {
  if (chord.alt) return false;
  const Key key = chord.key;
  if (key >= Key::f1 && key <= Key::f12) return false;
  if (key == Key::escape || key == Key::enter || key == Key::tab || key == Key::up || key == Key::down) return false;
  if (!chord.ctrl) return true;
  return key == Key::a || key == Key::c || key == Key::v || key == Key::x || key == Key::y || key == Key::z ||
         key == Key::left || key == Key::right || key == Key::home || key == Key::end || key == Key::backspace ||
         key == Key::delete_forward || key == Key::insert;
}

/// Whether `a` is in the row of `b`, at its left.
bool stands_before(const Rect& a, const Rect& b) {
  const float shared = std::min(a.bottom(), b.bottom()) - std::max(a.y, b.y);
  return a.right() <= b.x + 1 && 2 * shared > std::min(a.h, b.h);
}

std::string letters_of_frame() {
  std::string letters;
  for (const ImWchar letter : ImGui::GetIO().InputQueueCharacters) {
    letters += utf8_of(letter);
  }
  return letters;
}

}  // namespace

float ScrollOffsets::of(ItemId area) const {
  const auto found = std::ranges::find(offsets_, area, &std::pair<ItemId, float>::first);
  return found == offsets_.end() ? 0 : found->second;
}

void ScrollOffsets::set(ItemId area, float offset) {
  constexpr std::size_t most_remembered = 64;
  if (offset == of(area)) return;
  std::erase_if(offsets_, [&](const auto& each) { return each.first == area; });
  if (offset == 0) return;
  if (offsets_.size() == most_remembered) offsets_.erase(offsets_.begin());
  offsets_.emplace_back(area, offset);
}

float& EasedValues::of(ItemId item, float first) {
  const auto before = last_frame_.find(item);
  return this_frame_.try_emplace(item, before == last_frame_.end() ? first : before->second).first->second;
}

void EasedValues::start_frame() { last_frame_ = std::exchange(this_frame_, {}); }

bool UiMemory::wants(const Chord& chord) const {
  const bool writes_something = writes(chord) || chord.key == Key::none;  // a letter of another alphabet
  return (wants_typing && types(chord)) || (wants_letters && writes_something) ||
         (wants_number && begins_number(chord)) || std::ranges::find(wanted, chord) != wanted.end();
}

Ui::Ui(const Fonts& fonts, const Theme& theme, Input input, UiMemory& memory, double time, double time_step)
    : fonts_(&fonts), theme_(&theme), input_(std::move(input)), memory_(&memory), time_(time), time_step_(time_step) {
  memory_->focus_moved = false;
  memory_->focused_at = {};
  if (mouse_clicked() && !input_.second_click) memory_->pressed_first = 0;
  memory_->wanted.clear();
  memory_->wants_typing = memory_->wants_letters = memory_->wants_number = false;
  memory_->frames_to_keyboard = std::max(0, memory_->frames_to_keyboard - 1);
  keep_focus_uncovered();
  release_focus_on_escape_or_click();
  move_focus_by_tab();
  move_focus_by_part();
  withhold_keys();
  begin_tab_order();
  memory_->most_hidden = 0;
  memory_->wheel = {false, false};
  memory_->drags = DragUse::none;
  memory_->said.clear();
  memory_->items.clear();
  memory_->words.clear();
  memory_->eased.start_frame();
  memory_->turned = std::exchange(memory_->turned_next, Rect{});
}

/// An item loses the focus when it is covered, and gets it back when it is uncovered.
void Ui::keep_focus_uncovered() {
  UiMemory& m = *memory_;
  const bool was = std::exchange(m.covers_before, std::exchange(m.covers, 0)) > 0;
  const bool covered = is_covered();
  if (covered == was) return;
  const bool in_reach = std::ranges::find(m.tab_order, m.focused, &TabStop::id) != m.tab_order.end();
  if (covered) {
    m.uncovered_focus = m.focus_visible && !in_reach ? m.focused : 0;
    if (!in_reach) release_focus();
  } else if (m.uncovered_focus != 0 && !(m.focus_visible && in_reach)) {
    focus(m.uncovered_focus);
  } else if (!in_reach) {
    release_focus();  // what had it went away with the cover
  }
}

/// What is covered must not see the keys: it is drawn first, and would take them.
void Ui::withhold_keys() {
  std::vector<KeyPress>& waiting = memory_->waiting;
  input_.keys.insert(input_.keys.begin(), waiting.begin(), waiting.end());
  waiting.clear();
  letters_before_ = std::exchange(memory_->waiting_letters, {});
  given_keys_ = input_.keys.size();
  if (!is_covered()) return;
  memory_->waiting_letters = letters_before_ + letters_of_frame();
  waiting.swap(input_.keys);
  if (!waiting.empty()) request_frame();
}

void Ui::cover() {
  if (++memory_->covers == memory_->covers_before) {
    input_.keys = std::exchange(memory_->waiting, {});
    memory_->waiting_letters.clear();
  }
  begin_tab_order();
}

void Ui::begin_tab_order() {
  memory_->tab_order.clear();
  memory_->parts.clear();
  memory_->tab_start = 0;
}

void Ui::release_focus_on_escape_or_click() {
  memory_->escaped = false;
  if (!memory_->focus_visible) return;
  if (mouse_clicked()) memory_->focus_visible = false;
  const bool list_is_open = ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  if (typing() || list_is_open || !take_key(Key::escape)) return;
  memory_->escaped = true;
  release_focus();
}

void Ui::move_focus_by_tab() {
  if (std::exchange(memory_->tab_completes, false)) return;
  const bool forward = take_key(Key::tab);
  const bool backward = !forward && take_key(Chord{Key::tab, false, true, false});
  const std::vector<TabStop>& order = memory_->tab_order;
  if ((!forward && !backward) || order.empty()) return;
  const auto found = std::ranges::find(order, memory_->focused, &TabStop::id);
  const auto count = static_cast<std::ptrdiff_t>(order.size());
  std::ptrdiff_t next = (static_cast<std::ptrdiff_t>(memory_->tab_start) + (forward ? 0 : count - 1)) % count;
  if (found != order.end()) next = (found - order.begin() + (forward ? 1 : count - 1)) % count;
  imgui::release_item();
  focus(order[static_cast<std::size_t>(next)].id);
}

TabEnds Ui::tab_ends() const {
  const std::vector<TabStop>& order = memory_->tab_order;
  if (order.empty()) return {true, true};
  if (memory_->covers > 0 || !memory_->focus_visible) return {};
  return {memory_->focused == order.front().id, memory_->focused == order.back().id};
}

void Ui::move_focus_by_part() {
  const bool forward = take_key(Key::f6);
  const bool backward = !forward && take_key(Chord{.key = Key::f6, .shift = true});
  const std::vector<TabStop>& order = memory_->tab_order;
  std::vector<std::size_t> parts = memory_->parts;  // those with something to focus
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  if (!parts.empty() && parts.back() >= order.size()) parts.pop_back();
  if ((!forward && !backward) || parts.empty()) return;
  const auto at = static_cast<std::size_t>(std::ranges::find(order, memory_->focused, &TabStop::id) - order.begin());
  const auto here = std::ranges::upper_bound(parts, at) - parts.begin() - 1;  // -1: before the first
  const auto count = static_cast<std::ptrdiff_t>(parts.size());
  std::ptrdiff_t next = forward ? 0 : count - 1;
  if (at < order.size()) next = (here + (forward ? 1 : count - 1)) % count;
  imgui::release_item();
  focus(order[parts[static_cast<std::size_t>(std::max<std::ptrdiff_t>(next, 0))]].id);
}

void Ui::record(DisplayList& content, DisplayList& overlay) {
  content_record_ = &content;
  overlay_record_ = &overlay;
}

Canvas Ui::canvas() const { return {*ImGui::GetWindowDrawList(), *fonts_, *theme_, content_record_, least_type_}; }

Canvas Ui::overlay() const { return {*ImGui::GetForegroundDrawList(), *fonts_, *theme_, overlay_record_, least_type_}; }

Rect Ui::surface() const {
  const ImVec2 size = ImGui::GetIO().DisplaySize;
  return {0, 0, size.x / scale(), size.y / scale()};
}

Item Ui::item(std::string_view id, const Rect& r, ItemOptions options) {
  const Canvas on = canvas();
  const Rect device = on.snapped(r);
  const std::string name(id);
  ImGui::SetCursorScreenPos(as_vec2(device.min() * scale()));
  const bool released =
      ImGui::InvisibleButton(name.c_str(), {std::max(1.0f, device.w * scale()), std::max(1.0f, device.h * scale())});
  Item item;
  item.id = id_of(id);
  item.r = r.intersected(on.clip());
  item.hovered = ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) &&
                 (!ImGui::IsAnyItemActive() || ImGui::IsItemActive());
  list_item(id, r, options.focusable || !options.enabled, memory_->focus_visible && memory_->focused == item.id);
  if (!options.enabled || is_for_another(item.id)) return item;
  item.held = ImGui::IsItemActive();
  item.pressed_now = ImGui::IsItemActivated();
  item.released_now = ImGui::IsItemDeactivated();
  item.dragged = (item.held || item.released_now) && imgui::was_dragged();
  item.clicked = released;
  item.double_clicked = item.hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  if (!options.focusable) return item;
  add_to_tab_order(item.id, r);
  if (item.pressed_now) focus(item.id, false);
  item.focused = memory_->focus_visible && memory_->focused == item.id;
  if (list_) take_arrows(item, r);
  if (item.focused && !typing() && (take_key(Key::enter) || take_key(Key::space))) item.clicked = true;
  return item;
}

void Ui::begin_list(std::string_view id) {
  list_ = List{};
  list_->id = id_of(id);
}

void Ui::end_list() {
  if (!list_->focused && memory_->focused_list == list_->id) memory_->focused_list = 0;
  list_.reset();
}

void Ui::add_to_tab_order(ItemId item, const Rect& r) {
  if (memory_->focused == item) memory_->focused_at = r;
  const bool stops = !list_ || memory_->focused == item || (list_->last == 0 && memory_->focused_list != list_->id);
  if (!stops) return;
  std::vector<TabStop>& order = memory_->tab_order;
  const std::size_t first = std::max(memory_->tab_start, memory_->parts.empty() ? 0 : memory_->parts.back());
  std::size_t at = order.size();
  while (at > first && stands_before(r, order[at - 1].at)) --at;
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(at), {item, r});
}

void Ui::take_arrows(const Item& item, const Rect& r) {
  if (std::exchange(list_->to_next, false)) {
    focus(item.id);
    memory_->focused_at = r;
  } else if (item.focused && !typing()) {
    list_->to_next = take_key(Key::down) || take_key(Key::right);
    if (list_->last != 0 && (take_key(Key::up) || take_key(Key::left))) {
      focus(list_->last);
      memory_->focused_at = list_->last_at;
    }
  }
  if (memory_->focused == item.id) {
    list_->focused = true;
    memory_->focused_list = list_->id;
  }
  list_->last = item.id;
  list_->last_at = r;
}

/// The second press of a double click is for the item that got the first one. What that opened, or moved under the
/// pointer, ignores it.
bool Ui::is_for_another(ItemId item) {
  UiMemory& m = *memory_;
  if (ImGui::IsItemActivated() && mouse_clicked()) {
    constexpr float same_place = 6;
    const Point at = pressed_at();
    const bool goes_on = input_.second_click && m.pressed_first != 0 &&
                         std::hypot(at.x - m.pressed_first_at.x, at.y - m.pressed_first_at.y) < same_place;
    m.ignores_press = goes_on && m.pressed_first != item ? item : 0;
    if (!goes_on) m.pressed_first = item;
    m.pressed_first_at = at;
  }
  return m.ignores_press == item && (ImGui::IsItemActive() || ImGui::IsItemDeactivated());
}

void Ui::list_item(std::string_view id, const Rect& r, bool tab_stops, bool focused) {
  if (!memory_->lists_items || !ImGui::IsItemVisible()) return;
  std::string path;
  for (const std::string& scope : path_) path += scope + '/';
  memory_->items.push_back({path += id, r, tab_stops, focused});
}

void Ui::list_words(std::string_view text, const Rect& r, bool cut) {
  if (const Rect seen = r.intersected(canvas().clip()); !seen.empty())
    memory_->words.push_back({std::string(text), seen, cut});
}

void Ui::push_id(std::string_view id) {
  ImGui::PushID(id.data(), id.data() + id.size());
  if (memory_->lists_items) path_.emplace_back(id);
}
void Ui::push_id(int id) {
  ImGui::PushID(id);
  if (memory_->lists_items) path_.push_back(std::to_string(id));
}
void Ui::pop_id() {
  ImGui::PopID();
  if (!path_.empty()) path_.pop_back();
}
ItemId Ui::id_of(std::string_view id) const { return ImGui::GetID(id.data(), id.data() + id.size()); }

Point Ui::mouse() const {
  const ImVec2 p = ImGui::GetIO().MousePos;
  return {p.x / scale(), p.y / scale()};
}

Point Ui::pressed_at() const {
  const ImVec2 p = ImGui::GetIO().MouseClickedPos[ImGuiMouseButton_Left];
  return {p.x / scale(), p.y / scale()};
}

bool Ui::mouse_over(const Rect& r) const {
  return ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) &&
         ImGui::IsMouseHoveringRect(as_vec2(r.min() * scale()), as_vec2(r.max() * scale()));
}

bool Ui::mouse_clicked() const { return ImGui::IsMouseClicked(ImGuiMouseButton_Left); }
bool Ui::right_clicked() const { return ImGui::IsMouseClicked(ImGuiMouseButton_Right); }
bool Ui::mouse_down() const { return ImGui::IsMouseDown(ImGuiMouseButton_Left); }
bool Ui::ctrl() const { return ImGui::GetIO().KeyCtrl; }
bool Ui::shift() const { return ImGui::GetIO().KeyShift; }

Point Ui::drag_of(const Item& item) {
  const bool middle_down = ImGui::IsMouseDown(ImGuiMouseButton_Middle);
  if (item.hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Middle)) memory_->middle_held = item.id;
  if (!middle_down && memory_->middle_held == item.id) memory_->middle_held = 0;
  const bool by_middle = middle_down && memory_->middle_held == item.id;
  if (!by_middle && !(item.held && item.dragged)) return {};
  const ImVec2 moved = ImGui::GetIO().MouseDelta;
  return {moved.x / scale(), moved.y / scale()};
}

float Ui::take_wheel(const Rect& r, WheelUse use) {
  if (!mouse_over(r)) return 0;
  memory_->wheel.up |= use.up;
  memory_->wheel.down |= use.down;
  return std::exchange(ImGui::GetIO().MouseWheel, 0.0f);
}

int Ui::take_turns(const Rect& r, bool has_keyboard) {
  if ((!has_keyboard && !ctrl()) || !mouse_over(r)) return 0;
  memory_->turned_next = r;
  return static_cast<int>(std::lround(take_wheel(r)));
}

bool Ui::take_key(const Chord& chord) {
  memory_->wanted.push_back(chord);
  std::vector<KeyPress>& keys = input_.keys;
  const auto at = std::ranges::find(keys, chord, &KeyPress::chord);
  if (at == keys.end()) return false;
  const bool first = at == keys.begin();
  const auto later = first ? at + 1 : at;
  if (later != keys.end()) request_frame();
  memory_->waiting.insert(memory_->waiting.end(), later, keys.end());
  keys.erase(at, keys.end());
  return first;
}

void Ui::take_typing_keys() {
  memory_->wants_typing = true;
  std::erase_if(input_.keys, [](const KeyPress& press) { return types(press.chord); });
}

std::string Ui::typed() const { return waits_for_cover() ? std::string() : letters_before_ + letters_of_frame(); }

std::string Ui::take_typed(const Item& item) {
  if (!item.focused || typing() || ctrl()) return {};
  memory_->wants_letters = true;
  std::string letters = typed();
  std::erase(letters, ' ');
  std::erase_if(input_.keys, [](const KeyPress& press) { return writes(press.chord); });
  return letters.empty() || std::exchange(typed_taken_, true) ? std::string() : letters;
}

std::string Ui::take_typed_number() {
  memory_->wants_number = true;
  std::string letters = typed();
  const bool begins = !letters.empty() && (letters[0] == '-' || letters[0] == '.' || letters[0] == ',' ||
                                           (letters[0] >= '0' && letters[0] <= '9'));
  if (!begins || typing() || ctrl() || std::exchange(typed_taken_, true)) return {};
  take_typing_keys();
  return letters;
}

bool Ui::typing() const { return ImGui::GetIO().WantTextInput; }

void Ui::focus(ItemId id, bool visible) {
  memory_->focus_moved = memory_->focused != id || visible;
  memory_->focused = id;
  memory_->focus_visible = visible;
}

void Ui::say_control(const Item& item, std::string_view name, std::string_view role, std::string_view state) {
  if (!item.focused) return;
  std::string words(name.empty() ? row_name_ : name);
  for (const std::string_view part : {role, state})
    if (!part.empty()) words += fmt::format("{}{}", words.empty() ? "" : ", ", part);
  say(std::move(words));
}

void Ui::release_focus() { focus(0, false); }

namespace {

/// Where a tooltip of this size stands: at the pointer, but not over the message or control that it is about, if there
/// is room beside that. What is higher is a picture, of which it is about a part.
Rect place_of_tooltip(const Rect& item, Point size, Point pointer, const Rect& surface) {
  constexpr float edge = 4, gap = 6, highest_message = 160;
  const Rect screen = surface.inset(edge, edge);
  const auto fits = [&](float y) { return y >= screen.y && y + size.y <= screen.bottom(); };
  const float x = std::max(screen.x, std::min(pointer.x + 12, screen.right() - size.x));
  const float at_pointer = fits(pointer.y + 18) ? pointer.y + 18 : pointer.y - size.y - 8;
  const Rect box{x, at_pointer, size.x, size.y};
  if (item.h > highest_message || box.intersected(item).empty()) return box;
  const float below = item.bottom() + gap, above = item.y - size.y - gap;
  if (fits(below) || fits(above)) return {x, fits(below) ? below : above, size.x, size.y};
  const float right = item.right() + gap, left = item.x - size.x - gap;
  const float y = std::clamp(pointer.y, screen.y, std::max(screen.y, screen.bottom() - size.y));
  if (right + size.x <= screen.right()) return {right, y, size.x, size.y};
  return left >= screen.x ? Rect{left, y, size.x, size.y} : box;
}

}  // namespace

void Ui::tooltip(const Item& item, std::string_view text, std::string_view keys) {
  if (!item.hovered || item.held || input_.by_finger) {
    if (memory_->hovered == item.id) memory_->hovered = 0;
    return;
  }
  if (text.empty() && keys.empty()) return;
  if (memory_->hovered != item.id) {
    memory_->hovered = item.id;
    memory_->hovered_since = time_;
  }
  const double left = memory_->hovered_since + tooltip_delay - time_;
  if (left > 0) {
    request_frame_in(left);
    return;
  }
  const Canvas on = overlay();
  constexpr float line_height = 18;
  const auto lines = on.wrapped(text, TextStyle::caption, 300);
  const auto rows = static_cast<float>(std::max<std::size_t>(1, lines.size()));  // keys alone have one
  float wide = 0;
  for (std::string_view line : lines) wide = std::max(wide, on.width(line, TextStyle::caption));
  const float keys_width = keys.empty() ? 0 : on.width(keys, TextStyle::code) + 12;
  const Rect box = place_of_tooltip(item.r, {wide + keys_width + 20, line_height * rows + 10}, mouse(), surface());
  on.fill(box, theme_->raised, 6);
  on.stroke(box, theme_->line_strong, 1, 6);
  on.paragraph({box.x + 10, box.y + 18}, text, TextStyle::caption, theme_->text, 300, line_height);
  if (!keys.empty()) on.text({box.right() - 10, box.y + 18}, keys, TextStyle::code, theme_->text3, Align::right);
}

void Ui::push_clip(const Rect& r) {
  const Rect device = canvas().snapped(r);
  ImGui::PushClipRect(as_vec2(device.min() * scale()), as_vec2(device.max() * scale()), true);
}

void Ui::pop_clip() { ImGui::PopClipRect(); }

float Ui::eased(std::string_view id, float target, float seconds) {
  float& value = memory_->eased.of(id_of(id), target);
  if (memory_->reduce_motion || seconds <= 0) value = target;
  if (value == target) return value;
  const float step = static_cast<float>(time_step_) / seconds;
  value = value < target ? std::min(target, value + step) : std::max(target, value - step);
  request_frame();
  return value;
}

void Ui::expect_keyboard(ItemId field) {
  constexpr int longest_wait = 5;
  memory_->keyboard_for = field;
  memory_->frames_to_keyboard = longest_wait;
  request_frame();
}

void Ui::stop_typing() { imgui::release_item(); }

std::string Ui::pasted() const {
  const char* const text = ImGui::GetClipboardText();
  return text == nullptr ? "" : text;
}

void Ui::copy(const std::string& text) { ImGui::SetClipboardText(text.c_str()); }

namespace {

constexpr int fade_strips = 8;
constexpr float fade_strip = 3;
constexpr float fade_height = fade_strips * fade_strip;

/// Fades the end of a viewport into the background. Drawn as strips, which every export format supports.
void draw_fade(const Canvas& canvas, const Rect& viewport, Color ground, bool at_bottom) {
  for (int i = 0; i < fade_strips; ++i) {
    const float away = fade_strip * static_cast<float>(i);
    const float y = at_bottom ? viewport.bottom() - fade_strip - away : viewport.y + away;
    ground.a = static_cast<std::uint8_t>(235 * (fade_strips - i) / fade_strips);
    canvas.fill({viewport.x, y, viewport.w, fade_strip}, ground);
  }
}

}  // namespace

ScrollArea::ScrollArea(Ui& ui, std::string_view id, const Rect& viewport, float content_height, Color ground)
    : ui_(ui),
      id_(ui.id_of(id)),
      viewport_(viewport),
      ground_(ground),
      focused_outside_(std::exchange(ui.memory().focused_at, {})) {
  constexpr float pixels_per_notch = 60;
  // On a tiny surface the viewport may have no height. Then nothing scrolls.
  const float furthest = viewport.h > 0 ? std::max(0.0f, content_height - viewport.h) : 0;
  ui.memory().most_hidden = std::max(ui.memory().most_hidden, furthest);
  float scroll = ui.memory().scroll.of(id_);
  const bool left_to_control = ui.memory().turned.contains(ui.mouse());
  if (furthest > 0 && !ui.ctrl() && !left_to_control)
    scroll -= pixels_per_notch * ui.take_wheel(viewport, {scroll > 0, scroll < furthest});
  scroll = std::clamp(scroll, 0.0f, furthest);
  ui.push_clip(viewport);
  ui.push_id(id);
  if (furthest > 0) {
    const float length = std::max(24.0f, viewport.h * viewport.h / content_height);
    const float travel = std::max(1.0f, viewport.h - length - 4);
    const Rect track{viewport.right() - 8, viewport.y + 2, 6, viewport.h - 4};
    const Item bar = ui.item("##scrollbar", track, {.focusable = false});
    // A finger moves the content itself, wherever it is.
    if (!ui.input().by_finger) ui.claim_drag(bar);
    if (bar.held && !ui.input().by_finger)
      scroll = std::clamp((ui.mouse().y - track.y - length / 2) / travel, 0.0f, 1.0f) * furthest;
    const Rect thumb{track.x + 1, track.y + travel * scroll / furthest, 4, length};
    ui.canvas().fill(thumb, bar.hovered || bar.held ? ui.theme().outline : ui.theme().line_strong, 2);
  }
  ui.memory().scroll.set(id_, scroll);
  content_ = {viewport.x, viewport.y - scroll, viewport.w, std::max(content_height, viewport.h)};
}

ScrollArea::~ScrollArea() {
  constexpr float scroll_bar = 10;
  UiMemory& memory = ui_.memory();
  if (memory.focused_at.empty()) memory.focused_at = focused_outside_;
  else if (memory.focus_moved && memory.focus_visible) reveal(memory.focused_at);
  const Rect fading{viewport_.x, viewport_.y, viewport_.w - scroll_bar, viewport_.h};
  if (content_.y < viewport_.y - 1) draw_fade(ui_.canvas(), fading, ground_, false);
  if (content_.bottom() > viewport_.bottom() + 1) draw_fade(ui_.canvas(), fading, ground_, true);
  ui_.pop_id();
  ui_.pop_clip();
}

void ScrollArea::reveal(const Rect& r) {
  const float scroll = ui_.memory().scroll.of(id_);
  const float clear = std::clamp((viewport_.h - r.h) / 2, 0.0f, fade_height);
  const float top = r.y - content_.y - clear;
  const float bottom = r.bottom() - content_.y + clear;
  const float up_to_top = std::min(scroll, top);
  ui_.memory().scroll.set(id_, std::max(up_to_top, bottom - viewport_.h));
  ui_.request_frame();
}

Layer::Layer(Ui& ui, std::string_view id, const Rect& r) : ui_(ui) {
  const Rect device = ui.canvas().snapped(r);
  ImGui::SetNextWindowPos(as_vec2(device.min() * ui.scale()));
  ImGui::SetNextWindowSize({device.w * ui.scale(), device.h * ui.scale()});
  const std::string name = "##" + std::string(id);
  ImGui::Begin(name.c_str(), nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoNav |
                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoScrollWithMouse |
                   ImGuiWindowFlags_NoBackground);
  ui_.push_id(id);
}

Layer::~Layer() {
  ui_.pop_id();
  ImGui::End();
}

}  // namespace headlight
