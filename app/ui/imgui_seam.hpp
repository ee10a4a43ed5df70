// What the versions of Dear ImGui do not agree on, 1.86 of Debian 12 and 1.90 of Debian 13, and what we use of its
// insides. Nowhere else stands a version.
#pragma once

#include <imgui.h>

#include "app/keys.hpp"

namespace headlight::imgui {

/// Once for each context, before its first frame: everything that a person did counts in the next frame, in the order
/// in which it came, and Tab does nothing, since it is ours.
void start_input();

// What a person does, for the next frame. A window's back end does the same by itself, but for the pointer where the
// window system counts in other units. Of the keys, those that text fields understand count; the others are ours.
void move_pointer(ImVec2 to);
void remove_pointer();
void set_button(ImGuiMouseButton button, bool down);
void turn_wheel(float notches);
void set_key(Key key, bool down);
void set_modifiers(bool ctrl, bool shift, bool alt);

/// A font of the atlas without characters: they come one by one.
ImFont& add_font(ImFontAtlas& atlas, float ascent, float height, ImWchar replacement);
/// Puts a character into a font that does not have it; what the font then holds of it.
const ImFontGlyph& add_glyph(ImFont& font, const ImFontGlyph& glyph);
/// Says that the atlas is ready and how large its texture is, which is ours; `white` is a white pixel in it.
void use_own_texture(ImFontAtlas& atlas, int side, ImVec2 white);
/// Keeps a back end that is about to start from rasterising a font into a texture of its own.
void make_no_texture(ImFontAtlas& atlas);

}  // namespace headlight::imgui
