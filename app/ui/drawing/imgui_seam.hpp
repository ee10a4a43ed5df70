// The layer between Headlight and Dear ImGui: conversions of values, input, and Headlight's own texture of glyphs. It
// hides the differences between 1.86 of Debian 12 and 1.90 of Debian 13. For .cpp files only.
#pragma once

#include <imgui.h>

#include "app/keys.hpp"
#include "app/ui/drawing/color.hpp"
#include "app/ui/drawing/geometry.hpp"

namespace headlight {

inline ImU32 packed(Color c) { return IM_COL32(c.r, c.g, c.b, c.a); }
inline ImVec4 as_vec4(Color c) { return ImGui::ColorConvertU32ToFloat4(packed(c)); }
inline ImVec2 as_vec2(Point p) { return {p.x, p.y}; }

}  // namespace headlight

namespace headlight::imgui {

/// Call it once for each context, before its first frame. After that a frame processes all input since the last one, in
/// order, and ImGui ignores Tab, which Headlight handles itself.
void start_input();

// These pass input to ImGui for the next frame. In a window ImGui's back end does that; only the pointer must be set if
// the window system does not use device pixels. ImGui gets only the keys of text fields; Headlight handles the others.
void move_pointer(ImVec2 to);
void remove_pointer();
void set_button(ImGuiMouseButton button, bool down);
void turn_wheel(float notches);
void set_key(Key key, bool down);
void set_modifiers(bool ctrl, bool shift, bool alt);
/// A character beyond 16 bits arrives as the two halves of its UTF-16.
void type(char32_t character);

/// The item that the mouse holds, or the text field that is being edited.
bool is_in_use(ImGuiID item);
/// Ends that.
void release_item();
/// Whether the pointer has moved, since the left button went down, further than a hand shakes.
bool was_dragged();

/// How many bytes the first character has; 0 or less for none.
int read_character(unsigned* character, const char* begin, const char* end);

/// The caret of the text field that is being edited, and what is selected, in characters. `shown`: it does not blink
/// away now.
struct FieldCaret {
  int at = 0;
  int selected_from = 0;
  int selected_to = 0;
  bool shown = true;
};
FieldCaret field_caret(ImGuiID field);
void set_field_caret(ImGuiID field, int at, bool select);

/// Adds a font without characters to the atlas; add_glyph adds them one by one.
ImFont& add_font(ImFontAtlas& atlas, float ascent, float height, ImWchar replacement);
/// Adds a character to a font that does not have it: the corners of its picture from the upper left of its line, and
/// those in the texture.
const ImFontGlyph& add_glyph(ImFont& font, ImWchar character, ImVec4 corners, ImVec4 in_texture, float advance);
/// Tells ImGui that the atlas is ready, and that its glyphs are in Headlight's own texture of `side` × `side` pixels.
/// `white` is the position of a white pixel in it.
void use_own_texture(ImFontAtlas& atlas, int side, ImVec2 white);
/// Gives the atlas one white pixel, so that the back end does not rasterise a font into a texture of its own when it
/// starts.
void make_no_texture(ImFontAtlas& atlas);

}  // namespace headlight::imgui
