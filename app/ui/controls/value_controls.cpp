#include "app/ui/controls/value_controls.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/ui/drawing/imgui_types.hpp"

#include <imgui_internal.h>
#include <imgui_stdlib.h>

namespace headlight {
namespace {

/// Opens a text field in place of a value, filled with `text`.
void begin_typing(Ui& ui, const Item& item, std::string text) {
  UiMemory& memory = ui.memory();
  memory.editing = item.id;
  memory.editing_age = 0;
  memory.edited_text = std::move(text);
  ui.request_frame();
}

/// What a person typed in place of a value.
struct Typed {
  std::string text;
  std::optional<double> number;  ///< nothing where the text is no finite number

  bool within(double lo, double hi) const { return number && *number >= lo && *number <= hi; }
};

/// The text field of a value that is being typed; gives what was typed when it is committed.
std::optional<Typed> typed_value(Ui& ui, ItemId owner, const Rect& r, TextStyle style) {
  UiMemory& memory = ui.memory();
  if (memory.editing != owner) return {};
  const int age = memory.editing_age++;
  const TextEdit edit = text_field(ui, "##typed", r, memory.edited_text, {.style = style, .focus_now = age == 0});
  constexpr int frames_to_get_the_keyboard = 3;
  if (edit.active || (age < frames_to_get_the_keyboard && !edit.committed)) {
    ui.request_frame();
    return {};
  }
  memory.editing = 0;
  if (!edit.committed) return {};
  Typed typed{memory.edited_text, {}};
  double value = 0;
  const char* const end = typed.text.data() + typed.text.size();
  const auto [stop, error] = std::from_chars(typed.text.data(), end, value);
  if (error == std::errc{} && stop == end && std::isfinite(value)) typed.number = value;
  return typed;
}

/// ImGui keeps a text of its own while a field is edited; this puts `text` in its place.
int take_text(ImGuiInputTextCallbackData* data) {
  const auto& text = *static_cast<const std::string*>(data->UserData);
  data->DeleteChars(0, data->BufTextLen);
  data->InsertChars(0, text.data(), text.data() + text.size());
  data->ClearSelection();
  return 0;
}

}  // namespace

namespace {

/// The end of the path: as many of its last parts as fit into `room` (design pixels).
std::string end_of_path(const Canvas& canvas, const std::string& path, TextStyle style, float room) {
  if (canvas.width(path, style) <= room) return path;
  for (auto slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    std::string end = "…" + path.substr(slash);
    if (canvas.width(end, style) <= room) return end;
  }
  return path.substr(path.rfind('/') + 1);
}

/// Records the text of a field: ImGui draws it, so the canvas would miss it.
void record_field_text(const Canvas& canvas, const Rect& field, const std::string& text, bool enabled,
                       const TextFieldOptions& options) {
  const std::string& shown = text.empty() ? std::string(options.hint) : text;
  if (!canvas.recording() || shown.empty()) return;
  const Theme& theme = canvas.theme();
  canvas.push_clip(field.inset(1));
  canvas.record(TextShape{.baseline = {field.x + 10, canvas.centered_baseline(field, options.style)},
                          .width = canvas.width(shown, options.style),
                          .text = shown,
                          .style = options.style,
                          .color = enabled && !text.empty() ? theme.text : theme.text3});
  canvas.pop_clip();
}

/// Rasterises the characters that ImGui may draw in the field in this frame. Pasted ones appear in the next frame.
void prepare_glyphs(const Fonts& fonts, TextStyle style, std::string_view text, std::string_view hint) {
  fonts.prepare(style, text);
  fonts.prepare(style, hint);
  for (const ImWchar typed : ImGui::GetIO().InputQueueCharacters) fonts.glyph(style, Script::normal, typed);
}

}  // namespace

TextEdit text_field(Ui& ui, std::string_view id, const Rect& r, std::string& text, const TextFieldOptions& options) {
  const Theme& t = ui.theme();
  const Canvas canvas = ui.canvas();
  const Rect device = canvas.snapped(r);
  ImFont& font = ui.fonts().font(options.style);
  prepare_glyphs(ui.fonts(), options.style, text, options.hint);
  const ItemId item_id = ui.id_of(id);
  UiMemory& memory = ui.memory();
  const bool has_keyboard = memory.focused == item_id && memory.focus_visible;
  if (options.enabled) memory.tab_order.push_back(item_id);

  canvas.fill(r, options.enabled ? t.field : t.canvas, 6);
  const float scale = ui.scale();
  const float top = std::round(canvas.centered_baseline(r, options.style) * scale) - std::round(font.Ascent);
  const float padding = std::max(0.0f, top - device.y * scale);
  ImGui::PushFont(&font);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {10 * scale, padding});
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
  for (ImGuiCol slot : {ImGuiCol_FrameBg, ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive, ImGuiCol_NavHighlight})
    ImGui::PushStyleColor(slot, 0u);
  const std::string name = "##" + std::string(id);  // ImGui shows the part of a name before ## as a label
  const Rect words{r.x + 10, r.y, r.w - 20, r.h};
  const bool rests = options.path && ImGui::GetActiveID() != ImGui::GetID(name.c_str());
  const std::string shown = rests ? end_of_path(canvas, text, options.style, words.w) : text;
  const bool shortened = shown != text;
  ImGui::PushStyleColor(ImGuiCol_Text, shortened ? 0u : packed(options.enabled ? t.text : t.text3));
  ImGui::PushStyleColor(ImGuiCol_TextDisabled, packed(t.text3));
  ImGui::PushStyleColor(ImGuiCol_TextSelectedBg, packed(faded(t.query, 0.35f)));
  ImGui::SetCursorScreenPos({device.x * scale, device.y * scale});
  ImGui::SetNextItemWidth(device.w * scale);
  if (options.focus_now || (has_keyboard && memory.focus_moved)) ImGui::SetKeyboardFocusHere();
  const std::string hint(options.hint);
  const ImGuiInputTextFlags flags = ImGuiInputTextFlags_AutoSelectAll |
                                    (options.enabled ? 0 : ImGuiInputTextFlags_ReadOnly) |
                                    (options.caret_at_end ? ImGuiInputTextFlags_CallbackAlways : 0);
  std::string taken = text;
  TextEdit edit;
  edit.changed = ImGui::InputTextWithHint(name.c_str(), hint.c_str(), &text, flags,
                                          options.caret_at_end ? take_text : nullptr, &taken);
  edit.active = options.enabled && ImGui::IsItemActive();
  edit.committed = ImGui::IsItemDeactivatedAfterEdit();
  const bool hovered = ImGui::IsItemHovered();
  // ImGui 1.90 hears keys only from the second frame on in which a field has the keyboard. A window that rests draws no
  // such frame by itself, and the first keys would be lost.
  if (ImGui::IsItemActivated()) ui.request_frame();
  if (ImGui::IsItemActivated() && memory.focused != item_id) ui.focus(item_id, false);
  ImGui::PopStyleColor(7);
  ImGui::PopStyleVar(2);
  ImGui::PopFont();

  if (shortened) canvas.text_in(words, shown, options.style, t.text);
  else record_field_text(canvas, device, text, options.enabled, options);
  if (edit.active) {
    memory.tab_completes = options.completes;
    ui.take_typing_keys();
    ui.request_frame_in(0.4);  // the caret blinks
  }
  const Color border = options.invalid          ? t.error
                       : !options.enabled       ? t.line
                       : edit.active || hovered ? t.outline
                                                : t.control;
  canvas.stroke(r, border, options.invalid ? 1.5f : 1.0f, 6);
  if (edit.active && memory.focus_visible) canvas.focus_ring(r);
  return edit;
}

Edited stepper(Ui& ui, std::string_view id, const Rect& r, long long& value, long long lo, long long hi,
               const StepperOptions& options) {
  constexpr float button_width = 30;
  const Theme& t = ui.theme();
  const Canvas canvas = ui.canvas();
  const long long before = value;
  ui.push_id(id);
  const ItemOptions part{options.enabled, false};
  const Item middle = ui.item("value", {r.x + button_width, r.y, r.w - 2 * button_width, r.h}, {options.enabled, true});
  const Item down = ui.item("minus", {r.x, r.y, button_width, r.h}, part);
  const Item up = ui.item("plus", {r.right() - button_width, r.y, button_width, r.h}, part);
  const auto move = [&](int direction) {
    const long long moved = options.step ? options.step(value, direction) : value + direction;
    value = std::clamp(moved, lo, hi);
  };
  const auto stands_down = [](const Item& item) { return item.clicked && item.hovered; };
  if (stands_down(down)) move(-1);
  if (stands_down(up)) move(1);
  if (middle.focused && !ui.typing()) {
    if (ui.take_key(Key::left) || ui.take_key(Key::down)) move(-1);
    if (ui.take_key(Key::right) || ui.take_key(Key::up)) move(1);
  }
  if (middle.double_clicked || (middle.clicked && middle.focused)) begin_typing(ui, middle, fmt::format("{}", value));

  const bool hovered = middle.hovered || down.hovered || up.hovered;
  canvas.fill(r, options.enabled ? t.field : t.canvas, 6);
  const auto half = [&](const Item& item, const Rect& where, Icon icon, bool can) {
    if (options.enabled && item.hovered && can) canvas.fill(where.inset(2), t.hover, 4);
    canvas.icon_centered(icon, where, options.enabled && can ? (item.hovered ? t.text : t.text3) : t.line_strong);
  };
  half(down, {r.x, r.y, button_width, r.h}, Icon::minus, value > lo);
  half(up, {r.right() - button_width, r.y, button_width, r.h}, Icon::plus, value < hi);
  // Long numbers may use the empty margins of the buttons' icons.
  canvas.text_in(r.inset(button_width - 8, 0), fmt::format("{}", value), TextStyle::number_strong,
                 options.enabled ? t.text : t.text3, Align::center);
  canvas.stroke(r, !options.enabled ? t.line : hovered ? t.outline : t.control, 1, 6);
  if (middle.focused) canvas.focus_ring(r);
  std::optional<std::string> rejected;
  if (const auto typed = typed_value(ui, middle.id, r, TextStyle::number)) {
    if (typed->within(static_cast<double>(lo), static_cast<double>(hi))) value = std::llround(*typed->number);
    else rejected = typed->text;
  }
  if (!options.tooltip.empty()) ui.tooltip(middle, options.tooltip);
  ui.pop_id();
  const bool changed = value != before;
  return {changed, changed, changed, std::move(rejected)};
}

Edited slider(Ui& ui, std::string_view id, const Rect& r, double& value, double lo, double hi,
              const SliderOptions& options) {
  constexpr float knob = 7;
  const Theme& t = ui.theme();
  const Canvas canvas = ui.canvas();
  const double before = value;
  const bool logarithmic = options.logarithmic && lo > 0;
  const auto share_of = [&](double v) {
    const double share = logarithmic ? std::log(v / lo) / std::log(hi / lo) : (v - lo) / (hi - lo);
    return static_cast<float>(std::clamp(share, 0.0, 1.0));
  };
  const auto value_at = [&](double share) {
    return logarithmic ? lo * std::pow(hi / lo, share) : lo + (hi - lo) * share;
  };
  ui.push_id(id);
  const Item item = ui.item("track", r, {options.enabled, true});
  const float left = r.x + knob;
  const float length = r.w - 2 * knob;
  UiMemory& memory = ui.memory();
  const bool wants_typing = (item.pressed_now && ui.ctrl()) || item.double_clicked || (item.clicked && item.focused);
  if (wants_typing) begin_typing(ui, item, fmt::format("{:g}", value));
  const bool typing_here = memory.editing == item.id;
  if (item.held && !typing_here) value = value_at(std::clamp((ui.mouse().x - left) / length, 0.0f, 1.0f));
  if (item.focused && !ui.typing()) {
    const auto nudge = [&](double direction) {
      value = options.step > 0 ? std::round(value / options.step + direction) * options.step
                               : value_at(share_of(value) + direction / 100);
    };
    if (ui.take_key(Key::left) || ui.take_key(Key::down)) nudge(-1);
    if (ui.take_key(Key::right) || ui.take_key(Key::up)) nudge(1);
    if (ui.take_key(Key::home)) value = lo;
    if (ui.take_key(Key::end)) value = hi;
  }
  if (value != before) value = std::clamp(value, lo, hi);  // a value beyond the range stays until somebody moves it

  const float y = r.center().y;
  const float x = left + length * share_of(value);
  canvas.fill({left, y - 1.5f, length, 3}, options.enabled ? t.control : t.line, 1.5f);
  if (options.enabled) canvas.fill({left, y - 1.5f, x - left, 3}, t.text2, 1.5f);
  if (options.mark) {
    const float tick = left + length * share_of(*options.mark);
    canvas.line({tick, y - 8}, {tick, y + 8}, t.text2, 1.5f);
  }
  canvas.disc({x, y}, item.hovered || item.held ? knob + 2 : knob + 1, t.panel);
  canvas.disc({x, y}, item.hovered || item.held ? knob : knob - 1, options.enabled ? t.text : t.line_strong);
  if (item.focused) canvas.focus_ring(r.inset(2, 3));
  bool typed_now = false;
  std::optional<std::string> rejected;
  if (const auto typed =
          typed_value(ui, item.id, {r.x, r.center().y - 14, std::max(r.w, 72.0f), 28}, TextStyle::mono)) {
    typed_now = options.typed_beyond ? typed->number.has_value() : typed->within(lo, hi);
    if (typed_now) value = *typed->number;
    else rejected = typed->text;
  }
  if (!options.tooltip.empty()) ui.tooltip(item, options.tooltip);
  ui.pop_id();
  const bool changed = value != before;
  const bool at_once = typed_now || (changed && !item.held && !item.released_now);
  return {changed, item.pressed_now || at_once, item.released_now || at_once, std::move(rejected)};
}

}  // namespace headlight
