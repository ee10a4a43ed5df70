#include "app/ui/controls/value_controls.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/shaping/shaping.hpp"
#include "app/ui/drawing/imgui_seam.hpp"
#include "app/ui/field_graphemes.hpp"
#include "core/text/numbers.hpp"

#include <imgui_stdlib.h>

namespace headlight {
namespace {

constexpr float pixels_per_step = 8;                  ///< of a drag
constexpr std::string_view typing_field = "##typed";  ///< the field in which a number is typed

/// Replaces a value by a text field with `text`, or with what was `typed` over it.
void begin_typing(Ui& ui, ItemId id, const std::string& text, const std::string& typed = {}) {
  UiMemory& memory = ui.memory();
  memory.editing = id;
  memory.editing_age = 0;
  memory.typed_over = !typed.empty();
  memory.edited_text = memory.typed_over ? typed : text;
  memory.text_before = text;
  ui.expect_keyboard();
}

/// The steps from the arrow keys of a focused control. While typing, ← and → move the caret.
int arrow_steps(Ui& ui, bool has_keyboard, bool typing) {
  if (!has_keyboard && !typing) return 0;
  if (ui.take_key(Key::up)) return 1;
  if (ui.take_key(Key::down)) return -1;
  if (typing || ui.typing()) return 0;
  if (ui.take_key(Key::right)) return 1;
  if (ui.take_key(Key::left)) return -1;
  return 0;
}

/// The edit of a number field in one frame, while typing in it.
FieldEdit typed_in(Ui& ui, ItemId owner, const Rect& r, const NumberFieldOptions& options) {
  UiMemory& memory = ui.memory();
  FieldEdit edit;
  const int steps = arrow_steps(ui, false, true) + ui.take_turns(r, true);
  const bool stepped = steps != 0 && options.step;
  if (stepped) {
    memory.edited_text = options.step(memory.edited_text, steps);
    edit.text = memory.edited_text;
    edit.going_on = true;
  }
  // A card that closes in the same moment may take the keyboard away again, so the field asks a second time, when the
  // keys have waited as long as they do for one. From the frame in which it has the keyboard, ages begin at `active`.
  constexpr int asks_again = 5, longest_wait = 10, active = 100, settled = active + 3;
  int& age = memory.editing_age;
  const TextEdit typed = text_field(ui, typing_field, r, memory.edited_text,
                                    {.style = options.style,
                                     .invalid = options.invalid,
                                     .focus_now = age == 0 || age == asks_again,
                                     .caret_at_end = memory.typed_over && age < settled,
                                     .select_anew = stepped});
  age = typed.active && age < active ? active : age + 1;
  if (typed.escaped) ui.take_key(Key::escape);
  if (typed.active || (age <= longest_wait && !typed.committed && !typed.escaped)) {
    if (!typed.active) ui.request_frame();
    return edit;
  }
  memory.editing = 0;
  edit.going_on = false;
  edit.ended = true;
  edit.text = typed.escaped ? memory.text_before : memory.edited_text;
  if (memory.focused == ui.id_of(typing_field)) ui.focus(owner, memory.focus_visible);  // Tab continues from here
  ui.request_frame();
  return edit;
}

/// The edit of a number field that is dragged sideways. Escape restores the value, although the button is down.
FieldEdit dragged(Ui& ui, const Item& item, const std::string& text, const NumberFieldOptions& options) {
  UiMemory& memory = ui.memory();
  if (item.pressed_now) {
    memory.text_before = text;
    memory.drag_ended = false;
  }
  if (options.step) ui.claim_edit(item, DragUse::sideways);
  if (!item.dragged || memory.drag_ended || !options.step) return {};
  FieldEdit edit{.text = {}, .going_on = item.held, .ended = item.released_now};
  if (item.held && ui.take_key(Key::escape)) {
    memory.drag_ended = true;
    return {.text = memory.text_before, .going_on = false, .ended = true};
  }
  const auto steps = static_cast<int>((ui.mouse().x - ui.pressed_at().x) / pixels_per_step);
  if (item.held) edit.text = steps == 0 ? memory.text_before : options.step(memory.text_before, steps);
  return edit;
}

/// What the program does to the text in a field, beside the person who types.
struct FieldCall {
  FieldGraphemes& graphemes;
  const std::string& text;
  std::optional<std::pair<std::size_t, std::size_t>> selected;
  bool takes_text = false;  ///< ImGui keeps a copy of the text while a field is edited; this replaces it by `text`
  bool selects_all = false;
};

void replace_all(ImGuiInputTextCallbackData* data, const std::string& text) {
  data->DeleteChars(0, data->BufTextLen);
  data->InsertChars(0, text.data(), text.data() + text.size());
  data->ClearSelection();
}

/// Characters that were typed one after the other may be one grapheme.
void join_graphemes(ImGuiInputTextCallbackData* data, FieldGraphemes& graphemes) {
  const std::string now(data->Buf, static_cast<std::size_t>(data->BufTextLen));
  const std::string text = graphemes.decoded(now);
  const std::string joined = graphemes.encoded(text);
  if (joined == now) return;
  const std::size_t before = graphemes.decoded(now.substr(0, static_cast<std::size_t>(data->CursorPos))).size();
  std::size_t byte = 0;
  while (byte < before) byte += grapheme_length(std::string_view(text).substr(byte));
  replace_all(data, joined);
  data->CursorPos = static_cast<int>(graphemes.encoded(text.substr(0, byte)).size());
}

int on_field_call(ImGuiInputTextCallbackData* data) {
  const FieldCall& call = *static_cast<const FieldCall*>(data->UserData);
  if (!call.takes_text) {
    join_graphemes(data, call.graphemes);
    return 0;
  }
  replace_all(data, call.graphemes.encoded(call.text));
  const auto place = [&](std::size_t byte) {
    return static_cast<int>(call.graphemes.encoded(call.text.substr(0, byte)).size());
  };
  if (call.selected) {
    data->SelectionStart = place(call.selected->first);
    data->SelectionEnd = data->CursorPos = place(call.selected->second);
  }
  if (call.selects_all) data->SelectAll();
  return 0;
}

/// The text in one line: line breaks and tabs between its words become spaces, and those at its ends are left out.
std::string in_one_line(std::string_view text) {
  std::string line;
  bool breaks = false;
  for (const char byte : text) {
    const bool is_break = byte == '\n' || byte == '\r' || byte == '\t';
    if (!is_break && breaks && !line.empty() && line.back() != ' ' && byte != ' ') line += ' ';
    breaks = is_break;
    if (!is_break) line += byte;
  }
  return line;
}

/// The clipboard as a field's ImGui sees it, while this exists.
class FieldClipboard {
 public:
  explicit FieldClipboard(FieldGraphemes& graphemes)
      : graphemes_(graphemes),
        get_(ImGui::GetIO().GetClipboardTextFn),
        set_(ImGui::GetIO().SetClipboardTextFn),
        data_(ImGui::GetIO().ClipboardUserData) {
    ImGuiIO& io = ImGui::GetIO();
    io.ClipboardUserData = this;
    io.GetClipboardTextFn = [](void* self) { return static_cast<FieldClipboard*>(self)->pasted(); };
    io.SetClipboardTextFn = [](void* self, const char* text) { static_cast<FieldClipboard*>(self)->copy(text); };
  }
  ~FieldClipboard() {
    ImGuiIO& io = ImGui::GetIO();
    io.GetClipboardTextFn = get_;
    io.SetClipboardTextFn = set_;
    io.ClipboardUserData = data_;
  }
  FieldClipboard(const FieldClipboard&) = delete;
  FieldClipboard& operator=(const FieldClipboard&) = delete;

 private:
  const char* pasted() {
    const char* const text = get_(data_);
    if (text == nullptr) return nullptr;
    text_ = graphemes_.encoded(in_one_line(text));
    return text_.c_str();
  }
  void copy(const char* text) const { set_(data_, graphemes_.decoded(text).c_str()); }

  FieldGraphemes& graphemes_;
  const char* (*get_)(void*);
  void (*set_)(void*, const char*);
  void* data_;
  std::string text_;
};

/// A text that ImGui cannot draw is drawn over its field, with caret and selection; a click in it sets the caret.
void draw_field_text(Ui& ui, ImGuiID field, const Rect& words, const std::string& text, const TextFieldOptions& options,
                     bool active) {
  const Canvas canvas = ui.canvas();
  const Theme& theme = canvas.theme();
  const ShapedText line = canvas.fonts().shaped(options.style, text);
  const float em = text_size(options.style);
  FieldGraphemes& graphemes = ui.memory().graphemes;
  imgui::FieldCaret caret = imgui::field_caret(field);
  const auto place = [&](int characters) {
    return em * line.caret_offset(graphemes.byte_behind(text, characters), text.size());
  };
  const float scrolled = active ? std::max(0.0f, place(caret.at) - words.w + 1) : 0;
  if (active && ImGui::IsMouseDown(ImGuiMouseButton_Left) && ui.mouse_over(words) &&
      !ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) && ui.mouse_clicked()) {
    const std::size_t byte = line.byte_at((ui.mouse().x - words.x + scrolled) / em, text.size());
    imgui::set_field_caret(field, graphemes.characters_before(text, byte), ui.shift());
    caret = imgui::field_caret(field);
  }
  canvas.push_clip(words.outset(1));
  const float x = words.x - scrolled;
  if (active && caret.selected_from < caret.selected_to) {
    const std::size_t from = graphemes.byte_behind(text, caret.selected_from);
    const std::size_t to = graphemes.byte_behind(text, caret.selected_to);
    float left = x;
    for (const ShapedGlyph& glyph : line.glyphs) {
      const float wide = glyph.advance * em;
      if (glyph.begin >= from && glyph.begin < to)
        canvas.fill({left, words.y + 4, wide, words.h - 8}, faded(theme.query, 0.35f));
      left += wide;
    }
  }
  canvas.text({x, canvas.centered_baseline(words, options.style)}, text, options.style, theme.text);
  if (active && caret.shown) canvas.fill({x + place(caret.at), words.y + 5, 1, words.h - 10}, theme.text);
  canvas.pop_clip();
}

/// The end of the path: as many of its last parts as fit into `room` (design pixels).
std::string end_of_path(const Canvas& canvas, const std::string& path, TextStyle style, float room) {
  if (canvas.width(path, style) <= room) return path;
  for (auto slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    std::string end = "…" + path.substr(slash);
    if (canvas.width(end, style) <= room) return end;
  }
  return path.substr(path.rfind('/') + 1);
}

/// Records the text of a field, because ImGui draws it and not the canvas.
void record_field_text(const Canvas& canvas, const Rect& field, const std::string& text,
                       const TextFieldOptions& options) {
  const std::string& shown = text.empty() ? std::string(options.hint) : text;
  if (!canvas.recording() || shown.empty()) return;
  const Theme& theme = canvas.theme();
  canvas.push_clip(field.inset(1));
  canvas.record(TextShape{.baseline = {field.x + 10, canvas.centered_baseline(field, options.style)},
                          .width = canvas.width(shown, options.style),
                          .text = shown,
                          .style = options.style,
                          .color = text.empty() ? theme.text3 : theme.text});
  canvas.pop_clip();
}

/// Rasterises the characters that ImGui may draw in the field in this frame. Pasted ones appear in the next frame.
void prepare_glyphs(const Fonts& fonts, TextStyle style, std::string_view text, std::string_view hint) {
  fonts.prepare(style, text);
  fonts.prepare(style, hint);
  for (const ImWchar typed : ImGui::GetIO().InputQueueCharacters) fonts.glyph(style, Script::normal, typed);
}

}  // namespace

TextEdit text_field(Ui& ui, std::string_view id, const Rect& r, std::string& text, const TextFieldOptions& wanted) {
  const Theme& t = ui.theme();
  const Canvas canvas = ui.canvas();
  TextFieldOptions options = wanted;
  options.style = canvas.shown_as(wanted.style);
  const Rect device = canvas.snapped(r);
  ImFont& font = ui.fonts().font(options.style);
  prepare_glyphs(ui.fonts(), options.style, text, options.hint);
  const ItemId item_id = ui.id_of(id);
  UiMemory& memory = ui.memory();
  const bool has_keyboard = memory.focused == item_id && memory.focus_visible;
  ui.add_to_tab_order(item_id, r);

  canvas.fill(r, t.field, 6);
  const float scale = ui.scale();
  const float top = std::round(canvas.centered_baseline(r, options.style) * scale) - std::round(font.Ascent);
  const float padding_above = std::max(0.0f, top - device.y * scale);
  ImGui::PushFont(&font);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {10 * scale, padding_above});
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
  for (ImGuiCol slot : {ImGuiCol_FrameBg, ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive, ImGuiCol_NavHighlight})
    ImGui::PushStyleColor(slot, 0u);
  // ImGui draws neither letters that join nor words from right to left.
  const bool draws_itself = needs_shaping(text) || std::ranges::any_of(ImGui::GetIO().InputQueueCharacters,
                                                                       [](ImWchar c) { return c >= 0x300; });
  const std::string name = "##" + std::string(id);  // ImGui shows the part of a name before ## as a label
  const Rect words{r.x + 10, r.y, r.w - 20, r.h};
  const bool rests = options.path && !imgui::is_in_use(ImGui::GetID(name.c_str()));
  const std::string shown = rests ? end_of_path(canvas, text, options.style, words.w) : text;
  const bool shortened = shown != text;
  ImGui::PushStyleColor(ImGuiCol_Text, shortened || draws_itself ? 0u : packed(t.text));
  ImGui::PushStyleColor(ImGuiCol_TextDisabled, packed(t.text3));
  ImGui::PushStyleColor(ImGuiCol_TextSelectedBg, draws_itself ? 0u : packed(faded(t.query, 0.35f)));
  ImGui::SetCursorScreenPos({device.x * scale, device.y * scale});
  ImGui::SetNextItemWidth(device.w * scale);
  // ImGui takes a frame or two; asked again meanwhile, it would begin anew and swallow a key.
  const bool asked = memory.frames_to_keyboard > 0 && memory.keyboard_for == item_id;
  const bool has_it = imgui::is_in_use(ImGui::GetID(name.c_str()));
  const bool asks = !asked && ((options.focus_now && !has_it) || (has_keyboard && memory.focus_moved));
  const std::string hint(options.hint);
  // What is typed in this frame is not in `text` yet, and must not be overwritten by it.
  const bool caret_at_end = options.caret_at_end && ImGui::GetIO().InputQueueCharacters.empty();
  FieldCall call{memory.graphemes, text, options.selected, caret_at_end || options.select_anew, options.select_anew};
  std::string encoded = memory.graphemes.encoded(text);
  const ImGuiInputTextFlags flags =
      ImGuiInputTextFlags_AutoSelectAll | (call.takes_text || draws_itself ? ImGuiInputTextFlags_CallbackAlways : 0);
  TextEdit edit;
  const bool was_active = imgui::is_in_use(ImGui::GetID(name.c_str()));
  {
    const FieldClipboard clipboard(memory.graphemes);
    edit.changed =
        ImGui::InputTextWithHint(name.c_str(), hint.c_str(), &encoded, flags,
                                 (flags & ImGuiInputTextFlags_CallbackAlways) != 0 ? on_field_call : nullptr, &call);
  }
  if (asks) {
    ImGui::SetKeyboardFocusHere(-1);  // ImGui 1.90 doesn't answer a request in front of the field in this window
    ui.expect_keyboard(item_id);
  }
  ui.list_item(id, r, true, ImGui::IsItemActive());
  if (edit.changed) text = memory.graphemes.decoded(encoded);
  edit.active = ImGui::IsItemActive();
  edit.committed = ImGui::IsItemDeactivatedAfterEdit();
  const auto is_escape = [](const KeyPress& press) { return press.chord == Chord{Key::escape}; };
  edit.escaped = was_active && !edit.active && std::any_of(ui.keys().begin(), ui.keys().end(), is_escape);
  const bool hovered = ImGui::IsItemHovered();
  // ImGui 1.90 gives keys to a focused field only from its second frame on. An idle window would not draw that frame by
  // itself, and the first keys would be lost.
  if (ImGui::IsItemActivated()) ui.request_frame();
  if (ImGui::IsItemActivated() && memory.focused != item_id) ui.focus(item_id, false);
  ImGui::PopStyleColor(7);
  ImGui::PopStyleVar(2);
  ImGui::PopFont();

  if (shortened) canvas.text_in(words, shown, options.style, t.text);
  else if (draws_itself && !text.empty())
    draw_field_text(ui, ImGui::GetID(name.c_str()), words, text, options, edit.active);
  else record_field_text(canvas, device, text, options);
  if (edit.active) {
    // In the frame in which it gets the keyboard it hears no key. A field that is about to close ends no other's wait.
    if (was_active && memory.keyboard_for == item_id) memory.frames_to_keyboard = 0;
    memory.tab_completes = options.completes;
    ui.take_typing_keys();
    ui.request_frame_in(0.4);  // the caret blinks
  }
  if (ImGui::IsItemDeactivated()) ui.take_key(Key::enter);  // it has ended the typing and must do nothing else
  const Color border = options.invalid ? t.error : edit.active || hovered ? t.outline : t.control;
  canvas.stroke(r, border, options.invalid ? 1.5f : 1.0f, 6);
  if (edit.active && memory.focus_visible) canvas.focus_ring(r);
  Item said;
  said.focused = edit.active;
  ui.say_control(said, "", "text field", text.empty() ? options.hint : std::string_view(text));
  return edit;
}

FieldEdit number_field(Ui& ui, std::string_view id, const Rect& r, std::string_view shown, const std::string& text,
                       const NumberFieldOptions& options) {
  const ItemId own = ui.id_of(id);
  if (ui.memory().editing == own) return typed_in(ui, own, options.typed_in.value_or(r), options);
  const Theme& t = ui.theme();
  const Canvas canvas = ui.canvas();
  const Item item = ui.item(id, r);
  ui.say_control(item, ui.row_or(options.tooltip == how_to_edit ? "" : options.tooltip), "number", shown);
  FieldEdit edit = dragged(ui, item, text, options);
  if (item.clicked && !item.dragged) begin_typing(ui, own, text);
  if (const std::string typed = ui.take_typed(item); !typed.empty()) begin_typing(ui, own, text, typed);
  const int steps = arrow_steps(ui, item.focused, false) + ui.take_turns(r, item.focused);
  if (steps != 0 && options.step) edit = {.text = options.step(text, steps), .going_on = false, .ended = true};

  if (options.framed) {
    canvas.fill(r, t.field, 6);
    canvas.stroke(r,
                  options.invalid ? t.error
                  : item.hovered  ? t.outline
                                  : t.control,
                  options.invalid ? 1.5f : 1.0f, 6);
  }
  const Rect words = options.framed ? r.inset(10, 0) : r;
  const Color ink = shown.empty() ? t.text3 : t.text;
  canvas.text_in(words, shown.empty() ? options.hint : shown, options.style, ink, options.align);
  if (item.focused) canvas.focus_ring(r);
  if (!options.tooltip.empty()) ui.tooltip(item, options.tooltip);
  return edit;
}

namespace {

/// The nearest whole number, or `otherwise` without a number.
long long whole(const std::optional<double>& number, long long otherwise) {
  constexpr double largest = 9e18;
  return number && std::abs(*number) < largest ? std::llround(*number) : otherwise;
}

}  // namespace

Edited stepper(Ui& ui, std::string_view id, const Rect& r, long long& value, long long lo, long long hi,
               const StepperOptions& options) {
  const Theme& t = ui.theme();
  const Canvas canvas = ui.canvas();
  const long long before = value;
  const std::string text = fmt::format("{}", before);
  // A number with many digits takes room from the buttons.
  constexpr float narrowest_button = 18;
  const float beside_number = (r.w - canvas.width(text, TextStyle::number_strong) - 4) / 2;
  const float button_width = std::clamp(beside_number, narrowest_button, ui.reach(30));
  const auto moved = [&](long long from, int steps) {
    for (int i = 0; i < std::abs(steps); ++i) {
      const int direction = steps > 0 ? 1 : -1;
      from = std::clamp(options.step ? options.step(from, direction) : from + direction, lo, hi);
    }
    return from;
  };
  ui.push_id(id);
  const bool typing = ui.memory().editing == ui.id_of("value");
  const Rect left{r.x, r.y, button_width, r.h};
  const Rect right{r.right() - button_width, r.y, button_width, r.h};
  if (!typing) {
    canvas.fill(r, t.field, 6);
    const auto half = [&](std::string_view name, const Rect& where, Icon icon, int direction, bool can) {
      const Item item = ui.item(name, where, {.focusable = false});
      if (item.clicked && item.hovered) value = moved(value, direction);
      if (item.hovered && can) canvas.fill(where.inset(2), t.hover, 4);
      canvas.icon_centered(icon, where, can ? (item.hovered ? t.text : t.text3) : t.line_strong);
    };
    half("minus", left, Icon::minus, -1, value > lo);
    half("plus", right, Icon::plus, 1, value < hi);
    canvas.stroke(r, ui.mouse_over(r) ? t.outline : t.control, 1, 6);
  }
  const FieldEdit field = number_field(ui, "value", r.inset(button_width, 0), text, text,
                                       {.framed = false,
                                        .style = TextStyle::number_strong,
                                        .align = Align::center,
                                        .tooltip = options.tooltip,
                                        .typed_in = r,
                                        .step = [&](const std::string& typed, int steps) {
                                          return fmt::format("{}", moved(whole(typed_number(typed), before), steps));
                                        }});
  ui.pop_id();
  std::optional<std::string> rejected;
  if (field.text && *field.text != text) {
    const auto number = typed_number(*field.text);
    if (number && *number >= static_cast<double>(lo) && *number <= static_cast<double>(hi))
      value = std::llround(*number);
    else rejected = *field.text;
  }
  const bool changed = value != before;
  const bool at_once = changed && !field.going_on;
  return {changed, at_once, at_once || field.ended, std::move(rejected)};
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
  const auto nudged = [&](double from, int steps) {
    const double to = options.step > 0 ? std::round(from / options.step + steps) * options.step
                                       : value_at(static_cast<double>(share_of(from)) + steps / 100.0);
    return std::clamp(to, lo, hi);
  };
  ui.push_id(id);
  UiMemory& memory = ui.memory();
  const ItemId number_id = ui.id_of("value");
  const bool typing = memory.editing == number_id;
  const bool covered = typing && !options.number;  // the text field replaces the track
  const Item item = covered ? Item{} : ui.item("track", r);
  ui.claim_edit(item, DragUse::sideways);
  ui.say_control(item, ui.row_or(options.tooltip), "slider", fmt::format("{:.4g}", value));
  const float left = r.x + knob;
  const float length = r.w - 2 * knob;
  const bool wants_typing = (item.pressed_now && ui.ctrl()) || (item.clicked && item.focused);
  if (wants_typing && !typing) begin_typing(ui, number_id, fmt::format("{}", value));
  if (const std::string number = ui.take_typed(item); !number.empty())
    begin_typing(ui, number_id, fmt::format("{}", value), number);
  if (item.pressed_now) {
    memory.held_value = value;
    memory.drag_ended = wants_typing;
  }
  if (item.held && !memory.drag_ended && ui.take_key(Key::escape)) {
    memory.drag_ended = true;
    value = memory.held_value;
  } else if (item.held && !memory.drag_ended) {
    value = value_at(std::clamp((ui.mouse().x - left) / length, 0.0f, 1.0f));
  }
  if (!covered) {
    const int steps = arrow_steps(ui, item.focused, false) + ui.take_turns(r, item.focused);
    if (steps != 0) value = nudged(value, steps);
  }
  if (item.focused && !ui.typing()) {
    if (ui.take_key(Key::home)) value = lo;
    if (ui.take_key(Key::end)) value = hi;
  }

  if (!covered) {
    const float y = r.center().y;
    const float x = left + length * share_of(value);
    canvas.fill({left, y - 1.5f, length, 3}, t.control, 1.5f);
    canvas.fill({left, y - 1.5f, x - left, 3}, t.text2, 1.5f);
    if (options.mark) {
      const float tick = left + length * share_of(*options.mark);
      canvas.line({tick, y - 8}, {tick, y + 8}, t.text2, 1.5f);
    }
    canvas.disc({x, y}, item.hovered || item.held ? knob + 2 : knob + 1, t.panel);
    canvas.disc({x, y}, item.hovered || item.held ? knob : knob - 1, t.text);
    if (item.focused) canvas.focus_ring(r.inset(2, 3));
    if (!options.tooltip.empty()) ui.tooltip(item, options.tooltip);
  }
  FieldEdit field;
  const std::string text = fmt::format("{}", before);
  if (options.number || memory.editing == number_id) {
    const Rect number_area = options.number.value_or(r);
    const float wide = std::max(number_area.w + 8, 84.0f), high = ui.reach(28);
    field = number_field(ui, "value", number_area, options.text, text,
                         {.framed = false,
                          .style = TextStyle::mono,
                          .align = Align::right,
                          .tooltip = how_to_edit,
                          .typed_in = Rect{options.number ? number_area.right() - wide : number_area.x,
                                           number_area.center().y - high / 2, wide, high},
                          .step = [&](const std::string& typed, int steps) {
                            return fmt::format("{:.6g}", nudged(typed_number(typed).value_or(before), steps));
                          }});
  }
  ui.pop_id();
  std::optional<std::string> rejected;
  if (field.text && *field.text != text) {
    const auto number = typed_number(*field.text);
    if (number && (options.typed_beyond || (*number >= lo && *number <= hi))) value = *number;
    else rejected = *field.text;
  }
  const bool changed = value != before;
  const bool at_once = changed && !item.held && !item.released_now && !field.going_on;
  return {changed, item.pressed_now || at_once, item.released_now || at_once || field.ended, std::move(rejected)};
}

}  // namespace headlight
