#include "app/shaping/system_fonts.hpp"

namespace headlight {

// A page sees no font of the system as a file.
const FontFace* system_face_with(char32_t) { return nullptr; }
const FontFace* system_face_with(char32_t, const std::function<bool(const FontFace&)>&) { return nullptr; }

}  // namespace headlight
