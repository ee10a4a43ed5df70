// An animation as an animated PNG (APNG), which keeps every pixel as it is; programs that do not know animations show
// its first picture.
#pragma once

#include <filesystem>

#include "app/platform/animation/animation.hpp"
#include "app/platform/pictures/png.hpp"

namespace headlight {

/// Stored and written as write_gif does, with text as in write_png; pictures may be transparent.
void write_apng(const std::filesystem::path& path, const Animation& animation, const PngText& text = {});

}  // namespace headlight
