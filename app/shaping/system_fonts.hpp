// The fonts of the system, for characters that the fonts of the program do not have: Chinese, Devanagari, emoji.
#pragma once

#include <functional>

#include "app/shaping/font_face.hpp"

namespace headlight {

/// The system's face for a character, as fontconfig prefers them, but outlines before pictures in colour; null if no
/// face has it. Fontconfig starts when this is first called, and every file is read once and stays for good. Any thread
/// may call it. In a page it is one face for all characters, which the browser draws; a program without a browser has
/// none there.
const FontFace* system_face_with(char32_t character);

/// The first of the system's faces for a character, in the same order, that `fits`; null if none does. Asks anew in
/// every call. `fits` must not call these functions.
const FontFace* system_face_with(char32_t character, const std::function<bool(const FontFace&)>& fits);

}  // namespace headlight
