// The differences between OpenGL 3.3 and a browser's WebGL 2.
#pragma once

#include <cstdint>
#include <string_view>

namespace headlight {

/// The first line of every shader.
const char* glsl_version();
/// The beginning of every shader of ours: its version, and how exactly it computes.
std::string_view glsl_beginning();

/// Makes the bound texture a square of this side, in pixels, that shaders read as white with a coverage.
void make_coverage(int side);
/// Replaces rows [begin, end) of the bound texture; `pixels` has `side` bytes for each of them.
void replace_coverage(int side, int begin, int end, const std::uint8_t* pixels);

/// Lets the bound texture be drawn smaller a little sharper than smooth, where that can be chosen.
void prefer_sharp();

}  // namespace headlight
