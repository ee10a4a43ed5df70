#include "app/ui/drawing/imgui_seam.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <iterator>

#include <imgui_internal.h>

namespace headlight::imgui {
namespace {

struct KeyName {
  Key key;
  ImGuiKey imgui;
};

/// The keys of text fields, and Tab, which is not passed on to ImGui.
constexpr KeyName key_names[] = {{Key::left, ImGuiKey_LeftArrow},
                                 {Key::right, ImGuiKey_RightArrow},
                                 {Key::up, ImGuiKey_UpArrow},
                                 {Key::down, ImGuiKey_DownArrow},
                                 {Key::home, ImGuiKey_Home},
                                 {Key::end, ImGuiKey_End},
                                 {Key::delete_forward, ImGuiKey_Delete},
                                 {Key::backspace, ImGuiKey_Backspace},
                                 {Key::enter, ImGuiKey_Enter},
                                 {Key::escape, ImGuiKey_Escape},
                                 {Key::tab, ImGuiKey_Tab},
                                 {Key::a, ImGuiKey_A},
                                 {Key::c, ImGuiKey_C},
                                 {Key::v, ImGuiKey_V},
                                 {Key::x, ImGuiKey_X},
                                 {Key::y, ImGuiKey_Y},
                                 {Key::z, ImGuiKey_Z}};

}  // namespace

#if IMGUI_VERSION_NUM >= 18700  // since 1.87 input is a queue of events

/// Tab needs no setting here, because ImGui's navigation is turned off in Headlight's windows.
void start_input() { ImGui::GetIO().ConfigInputTrickleEventQueue = false; }

void move_pointer(ImVec2 to) { ImGui::GetIO().AddMousePosEvent(to.x, to.y); }
void set_button(ImGuiMouseButton button, bool down) { ImGui::GetIO().AddMouseButtonEvent(button, down); }
void turn_wheel(float notches) { ImGui::GetIO().AddMouseWheelEvent(0, notches); }

void set_modifiers(bool ctrl, bool shift, bool alt) {
  ImGuiIO& io = ImGui::GetIO();
  io.AddKeyEvent(ImGuiMod_Ctrl, ctrl);
  io.AddKeyEvent(ImGuiMod_Shift, shift);
  io.AddKeyEvent(ImGuiMod_Alt, alt);
}

namespace {

void set_key(ImGuiKey key, Key, bool down) { ImGui::GetIO().AddKeyEvent(key, down); }

}  // namespace

#else  // before 1.87 input is a state, and a frame compares it with that of the last frame

/// Without an index in the key map Tab is never down.
void start_input() { ImGui::GetIO().KeyMap[ImGuiKey_Tab] = -1; }

void move_pointer(ImVec2 to) { ImGui::GetIO().MousePos = to; }
void set_button(ImGuiMouseButton button, bool down) { ImGui::GetIO().MouseDown[button] = down; }
void turn_wheel(float notches) { ImGui::GetIO().MouseWheel += notches; }

void set_modifiers(bool ctrl, bool shift, bool alt) {
  ImGuiIO& io = ImGui::GetIO();
  io.KeyCtrl = ctrl;
  io.KeyShift = shift;
  io.KeyAlt = alt;
}

namespace {

/// Before 1.87 a program chooses the index of each key in KeysDown. Here it is the Key's value.
void set_key(ImGuiKey key, Key index, bool down) {
  if (key == ImGuiKey_Tab) return;
  ImGuiIO& io = ImGui::GetIO();
  io.KeyMap[key] = static_cast<int>(index);
  io.KeysDown[static_cast<int>(index)] = down;
}

}  // namespace

#endif

void type(char32_t character) {
  ImGuiIO& io = ImGui::GetIO();
  if (character <= 0xFFFF) return io.AddInputCharacter(character);
  io.AddInputCharacter(0xD800 + ((character - 0x10000) >> 10));
  io.AddInputCharacter(0xDC00 + ((character - 0x10000) & 0x3FF));
}

bool is_in_use(ImGuiID item) { return ImGui::GetActiveID() == item; }
void release_item() { ImGui::ClearActiveID(); }
bool was_dragged() { return ImGui::IsMouseDragPastThreshold(ImGuiMouseButton_Left); }

int read_character(unsigned* character, const char* begin, const char* end) {
  if (begin != end && static_cast<signed char>(*begin) > 0) {  // most of all text
    *character = static_cast<unsigned char>(*begin);
    return 1;
  }
  return ImTextCharFromUtf8(character, begin, end);
}

FieldCaret field_caret(ImGuiID field) {
  const ImGuiInputTextState* const state = ImGui::GetInputTextState(field);
  if (state == nullptr) return {};
  constexpr float period = 1.2f, visible = 0.8f;
  const bool shown = state->CursorAnim <= 0 || std::fmod(state->CursorAnim, period) <= visible;
  return {state->Stb.cursor, std::min(state->Stb.select_start, state->Stb.select_end),
          std::max(state->Stb.select_start, state->Stb.select_end), shown};
}

void set_field_caret(ImGuiID field, int at, bool select) {
  ImGuiInputTextState* const state = ImGui::GetInputTextState(field);
  if (state == nullptr) return;
  state->Stb.cursor = state->Stb.select_end = at;
  if (!select) state->Stb.select_start = at;
}

void remove_pointer() { move_pointer({-FLT_MAX, -FLT_MAX}); }

void set_key(Key key, bool down) {
  for (const KeyName& name : key_names)
    if (name.key == key) set_key(name.imgui, key, down);
}

ImFont& add_font(ImFontAtlas& atlas, float ascent, float height, ImWchar replacement) {
  auto* const font = IM_NEW(ImFont);
  font->ContainerAtlas = &atlas;
  font->FontSize = height;
  font->Ascent = ascent;
  font->Descent = ascent - height;
  font->FallbackChar = replacement;
  atlas.Fonts.push_back(font);
  return *font;
}

const ImFontGlyph& add_glyph(ImFont& font, ImWchar character, ImVec4 corners, ImVec4 in_texture, float advance) {
  font.AddGlyph(nullptr, character, corners.x, corners.y, corners.z, corners.w, in_texture.x, in_texture.y,
                in_texture.z, in_texture.w, advance);
  font.GrowIndex(character + 1);
  font.IndexLookup[character] = static_cast<ImWchar>(font.Glyphs.Size - 1);
  font.IndexAdvanceX[character] = advance;
  font.DirtyLookupTables = false;
  return font.Glyphs.back();
}

void use_own_texture(ImFontAtlas& atlas, int side, ImVec2 white) {
  const float pixel = 1 / static_cast<float>(side);
  atlas.TexWidth = atlas.TexHeight = side;
  atlas.TexUvScale = {pixel, pixel};
  atlas.TexUvWhitePixel = {white.x * pixel, white.y * pixel};
  atlas.TexReady = true;
}

void make_no_texture(ImFontAtlas& atlas) {
  atlas.TexWidth = atlas.TexHeight = 1;
  atlas.TexPixelsAlpha8 = static_cast<unsigned char*>(ImGui::MemAlloc(1));
  *atlas.TexPixelsAlpha8 = 255;
}

}  // namespace headlight::imgui
