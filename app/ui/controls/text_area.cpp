#include "app/ui/controls/text_area.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "app/ui/drawing/imgui_types.hpp"
#include "app/ui/imgui_seam.hpp"

#include <imgui_internal.h>
#include <imgui_stdlib.h>

namespace headlight {
namespace {

constexpr TextStyle text_style = TextStyle::code;
constexpr float gutter = 34;
constexpr float padding = 6;
constexpr float beside = 20;  ///< right of the rows: the scroll bar

float pitch_of(const Ui& ui) { return ui.fonts().font(text_style).FontSize / ui.scale(); }

/// The text with a line break in place of the last space that fits into each row: as long as the text, so that a place
/// in one is the same place in the other.
std::string wrapped(const Canvas& canvas, std::string_view text, float width) {
  const float space = canvas.width(" ", text_style);
  std::string rows(text);
  float used = 0;
  bool has_word = false;  // in this row: a word that is too long for a row is not brought into another
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find_first_of(" \n", begin), text.size());
    const float word = canvas.width(text.substr(begin, end - begin), text_style);
    if (has_word && word > 0 && used + word > width) {
      rows[begin - 1] = '\n';
      used = 0;
    }
    used += word + space;
    has_word = has_word || word > 0;
    if (end < text.size() && text[end] == '\n') {
      used = 0;
      has_word = false;
    }
    begin = end + 1;
  }
  return rows;
}

/// What is being edited. ImGui holds its rows, and breaks lines at line breaks alone.
struct EditedText {
  const Canvas& canvas;
  float width = 0;
  std::string& text;
  std::string rows;  ///< of the text, as ImGui had them before this frame's keys
  ImGuiID id = 0;
  int caret_row = -1;
};

bool are_rows_of(const std::string& rows, const std::string& text) {
  return std::ranges::equal(rows, text, [](char a, char b) { return a == b || (a == '\n' && b == ' '); });
}

bool starts_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

/// What was taken out is stored for undo as it stood in the rows: it belongs there as it stood in the text.
void mend_stored(ImStb::StbUndoState& undo, int place, const std::string& rows, const std::string& text) {
  if (place < 0 || place >= static_cast<int>(std::size(undo.undo_rec))) return;
  const auto& record = undo.undo_rec[place];
  if (record.char_storage < 0) return;
  int character = -1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (starts_character(text[i])) ++character;
    const int stored = character - record.where;
    if (stored >= 0 && stored < record.insert_length && rows[i] != text[i])
      undo.undo_char[record.char_storage + stored] = static_cast<unsigned char>(text[i]);
  }
}

/// Takes over what was typed, and breaks the rows anew. Characters are replaced in place, behind the back of ImGui's
/// undo, which would else take back the breaks one by one.
int take_over(ImGuiInputTextCallbackData* data) {
  EditedText& edited = *static_cast<EditedText*>(data->UserData);
  ImGuiInputTextState& state = *ImGui::GetInputTextState(edited.id);
  const std::string_view now(data->Buf, static_cast<std::size_t>(data->BufTextLen));
  if (!are_rows_of(edited.rows, edited.text)) {  // something else has changed the text
    data->DeleteChars(0, data->BufTextLen);
    data->InsertChars(0, wrapped(edited.canvas, edited.text, edited.width).c_str());
    return 0;
  }
  if (now != edited.rows) {
    // An edit ends at the caret, and what follows is as it was.
    const auto shorter = std::min(now.size(), edited.rows.size());
    const auto behind = std::min(now.size() - static_cast<std::size_t>(data->CursorPos), shorter);
    std::size_t before = 0;
    while (before < shorter - behind && now[before] == edited.rows[before]) ++before;
    mend_stored(state.Stb.undostate, state.Stb.undostate.undo_point - 1, edited.rows, edited.text);
    mend_stored(state.Stb.undostate, state.Stb.undostate.redo_point, edited.rows, edited.text);
    edited.text = edited.text.substr(0, before).append(now.substr(before, now.size() - behind - before)) +
                  edited.text.substr(edited.text.size() - behind);
  }
  edited.rows = wrapped(edited.canvas, edited.text, edited.width);
  int character = -1;
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (starts_character(now[i])) ++character;
    if (now[i] == edited.rows[i]) continue;
    data->Buf[i] = edited.rows[i];
    state.TextW[character] = static_cast<unsigned char>(edited.rows[i]);
  }
  edited.caret_row = static_cast<int>(std::count(data->Buf, data->Buf + data->CursorPos, '\n'));
  return 0;
}

/// While it lives, what is copied is a part of the text and not of its rows.
class CopiesText {
 public:
  explicit CopiesText(const EditedText& edited)
      : edited_(edited), get_(io_.GetClipboardTextFn), set_(io_.SetClipboardTextFn), data_(io_.ClipboardUserData) {
    io_.ClipboardUserData = this;
    io_.GetClipboardTextFn = [](void* self) {
      const CopiesText& own = *static_cast<CopiesText*>(self);
      return own.get_(own.data_);
    };
    io_.SetClipboardTextFn = [](void* self, const char* rows) {
      const CopiesText& own = *static_cast<CopiesText*>(self);
      own.set_(own.data_, own.part(rows).c_str());
    };
  }
  ~CopiesText() {
    io_.GetClipboardTextFn = get_;
    io_.SetClipboardTextFn = set_;
    io_.ClipboardUserData = data_;
  }
  CopiesText(const CopiesText&) = delete;
  CopiesText& operator=(const CopiesText&) = delete;

 private:
  /// The part of the text that stands in these rows, which are the selected ones.
  std::string part(std::string_view rows) const {
    const auto& selected = ImGui::GetInputTextState(edited_.id)->Stb;
    int characters = std::min(selected.select_start, selected.select_end);
    std::size_t begin = 0;
    while (begin < edited_.text.size() && (!starts_character(edited_.text[begin]) || characters-- > 0)) ++begin;
    return edited_.text.substr(begin, rows.size());
  }

  const EditedText& edited_;
  ImGuiIO& io_ = ImGui::GetIO();
  decltype(ImGuiIO::GetClipboardTextFn) get_;
  decltype(ImGuiIO::SetClipboardTextFn) set_;
  void* data_;
};

/// Numbers beside the lines, and their rows for recordings: ImGui draws them, so the canvas would miss them.
void draw_lines(Ui& ui, const Rect& content, const std::string& text, std::string_view rows,
                const TextAreaOptions& options) {
  const Canvas canvas = ui.canvas();
  const Theme& theme = ui.theme();
  const float pitch = pitch_of(ui);
  const Rect seen = canvas.clip();
  int number = options.first_line;
  bool starts_line = true;
  std::size_t begin = 0;
  for (float y = content.y + padding;; y += pitch) {
    const auto end = std::min(rows.find('\n', begin), rows.size());
    const Rect row{content.x, y, gutter - 8, pitch};
    if (row.bottom() >= seen.y && row.y <= seen.bottom()) {
      const bool wrong = std::ranges::find(options.wrong, number) != options.wrong.end();
      if (wrong) canvas.fill({content.x, y, content.w, pitch}, faded(theme.error, 0.16f));
      if (wrong && starts_line) canvas.icon(Icon::cross, {content.x + 2, row.center().y - 5}, theme.error, 2, 10);
      if (starts_line)
        canvas.text_in(row, std::to_string(number), wrong ? TextStyle::code_strong : text_style,
                       wrong ? theme.error : theme.text3, Align::right);
      if (canvas.recording() && end > begin) {
        TextShape shape;
        shape.baseline = {content.x + gutter, canvas.centered_baseline(row, text_style)};
        shape.text = rows.substr(begin, end - begin);
        shape.width = canvas.width(shape.text, text_style);
        shape.style = text_style;
        shape.color = theme.text;
        canvas.record(std::move(shape));
      }
    }
    if (end == rows.size()) return;
    starts_line = text[end] == '\n';
    if (starts_line) ++number;
    begin = end + 1;
  }
}

}  // namespace

bool text_area(Ui& ui, std::string_view id, const Rect& r, std::string& text, const TextAreaOptions& options) {
  const Theme& theme = ui.theme();
  const float scale = ui.scale();
  ui.canvas().fill(r, theme.field, 6);
  ui.fonts().prepare(text_style, text);
  for (const ImWchar typed : ImGui::GetIO().InputQueueCharacters) ui.fonts().glyph(text_style, Script::normal, typed);
  const float room = r.w - gutter - beside;
  std::string rows = wrapped(ui.canvas(), text, room);
  const auto lines = static_cast<float>(std::count(rows.begin(), rows.end(), '\n') + 1);
  const float height = std::max(r.h, lines * pitch_of(ui) + 2 * padding + 14);
  const std::string before = text;
  bool changed = false;
  {
    ScrollArea scroll(ui, id, r, height, theme.field);
    const Rect content{scroll.content().x, scroll.content().y, scroll.content().w, height};
    draw_lines(ui, content, text, rows, options);
    ImGui::PushFont(&ui.fonts().font(text_style));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {0, padding * scale});
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
    for (ImGuiCol slot : {ImGuiCol_FrameBg, ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive, ImGuiCol_NavHighlight,
                          ImGuiCol_ScrollbarBg})
      ImGui::PushStyleColor(slot, 0u);
    ImGui::PushStyleColor(ImGuiCol_Text, packed(theme.text));
    ImGui::PushStyleColor(ImGuiCol_TextSelectedBg, packed(faded(theme.query, 0.35f)));
    ImGui::SetCursorScreenPos({(content.x + gutter) * scale, content.y * scale});
    const std::string name = "##" + std::string(id);
    const ImGuiID input = ImGui::GetID(name.c_str());
    const bool edits = ImGui::GetActiveID() == input && ImGui::GetInputTextState(input) != nullptr;
    EditedText edited{ui.canvas(), room, text, edits ? ImGui::GetInputTextState(input)->TextA.Data : rows, input};
    if (options.focus_now) imgui::focus_text(input);
    {
      const CopiesText copies(edited);
      ImGui::InputTextMultiline(name.c_str(), &rows, {(content.w - gutter - 6) * scale, height * scale},
                                ImGuiInputTextFlags_CallbackAlways, take_over, &edited);
    }
    changed = text != before;
    const bool active = ImGui::IsItemActive();
    if (ImGui::IsItemActivated()) ui.request_frame();
    ImGui::PopStyleColor(7);
    ImGui::PopStyleVar(2);
    ImGui::PopFont();
    if (active) {
      if (changed && edited.caret_row >= 0)
        scroll.reveal({content.x, content.y + padding + static_cast<float>(edited.caret_row) * pitch_of(ui), 1,
                       2 * pitch_of(ui)});
      ui.take_typing_keys();
      ui.request_frame_in(0.4);  // the caret blinks
    }
    ui.canvas().stroke(r, active ? theme.outline : theme.control, 1, 6);
  }
  return changed;
}

}  // namespace headlight
