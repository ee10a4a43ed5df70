#include "app/ui/controls/text_area.hpp"

#include <algorithm>
#include <cmath>

#include "app/ui/drawing/imgui_types.hpp"

#include <imgui_internal.h>
#include <imgui_stdlib.h>

namespace headlight {
namespace {

constexpr TextStyle style = TextStyle::code;
constexpr float gutter = 34;
constexpr float padding = 6;

float pitch_of(const Ui& ui) { return ui.fonts().font(style).FontSize / ui.scale(); }

/// Notes the line of the caret, counted from 0.
int note_caret(ImGuiInputTextCallbackData* data) {
  *static_cast<int*>(data->UserData) = static_cast<int>(std::count(data->Buf, data->Buf + data->CursorPos, '\n'));
  return 0;
}

/// Numbers beside the lines, and their text for recordings: ImGui draws it, so the canvas would miss it.
void draw_lines(Ui& ui, const Rect& content, std::string_view text, const TextAreaOptions& options) {
  const Canvas canvas = ui.canvas();
  const Theme& theme = ui.theme();
  const float pitch = pitch_of(ui);
  const Rect seen = canvas.clip();
  int number = options.first_line;
  for (float y = content.y + padding;; y += pitch, ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    const Rect row{content.x, y, gutter - 8, pitch};
    if (row.bottom() >= seen.y && row.y <= seen.bottom()) {
      const bool wrong = std::ranges::find(options.wrong, number) != options.wrong.end();
      if (wrong) canvas.fill({content.x, y, content.w, pitch}, faded(theme.error, 0.16f));
      if (wrong) canvas.icon(Icon::cross, {content.x + 2, row.center().y - 5}, theme.error, 2, 10);
      canvas.text_in(row, std::to_string(number), wrong ? TextStyle::code_strong : style,
                     wrong ? theme.error : theme.text3, Align::right);
      if (canvas.recording() && end > 0) {
        TextShape shape;
        shape.baseline = {content.x + gutter, canvas.centered_baseline(row, style)};
        shape.text = text.substr(0, end);
        shape.width = canvas.width(shape.text, style);
        shape.style = style;
        shape.color = theme.text;
        canvas.record(std::move(shape));
      }
    }
    if (end == text.size()) return;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

bool text_area(Ui& ui, std::string_view id, const Rect& r, std::string& text, const TextAreaOptions& options) {
  const Theme& theme = ui.theme();
  const float scale = ui.scale();
  ui.canvas().fill(r, theme.field, 6);
  ui.fonts().prepare(style, text);
  for (const ImWchar typed : ImGui::GetIO().InputQueueCharacters) ui.fonts().glyph(style, Script::normal, typed);
  const auto lines = static_cast<float>(std::count(text.begin(), text.end(), '\n') + 1);
  const float height = std::max(r.h, lines * pitch_of(ui) + 2 * padding + 14);
  const std::string before = text;
  bool changed = false;
  {
    ScrollArea scroll(ui, id, r, height, theme.field);
    const Rect content{scroll.content().x, scroll.content().y, scroll.content().w, height};
    draw_lines(ui, content, text, options);
    ImGui::PushFont(&ui.fonts().font(style));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, padding * scale});
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
    for (ImGuiCol slot : {ImGuiCol_FrameBg, ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive, ImGuiCol_NavHighlight,
                          ImGuiCol_ScrollbarBg})
      ImGui::PushStyleColor(slot, 0u);
    ImGui::PushStyleColor(ImGuiCol_Text, packed(theme.text));
    ImGui::PushStyleColor(ImGuiCol_TextSelectedBg, packed(faded(theme.query, 0.35f)));
    ImGui::SetCursorScreenPos({(content.x + gutter) * scale, content.y * scale});
    const std::string name = "##" + std::string(id);
    int caret = -1;
    if (options.focus_now) ImGui::SetKeyboardFocusHere();
    changed = ImGui::InputTextMultiline(name.c_str(), &text, {(content.w - gutter - 6) * scale, height * scale},
                                        ImGuiInputTextFlags_CallbackAlways, note_caret, &caret);
    const bool active = ImGui::IsItemActive();
    if (ImGui::IsItemActivated()) ui.request_frame();
    ImGui::PopStyleColor(7);
    ImGui::PopStyleVar(2);
    ImGui::PopFont();
    if (active) {
      if (changed && caret >= 0)
        scroll.reveal({content.x, content.y + padding + static_cast<float>(caret) * pitch_of(ui), 1, 2 * pitch_of(ui)});
      ui.take_typing_keys();
      ui.request_frame_in(0.4);  // the caret blinks
    } else if (changed) {        // Escape ends the typing; what was typed stays
      text = before;
      changed = false;
    }
    ui.canvas().stroke(r, active ? theme.outline : theme.control, 1, 6);
  }
  return changed;
}

}  // namespace headlight
