// An animation as an animated PNG (APNG), which keeps every pixel as it is. Programs that cannot show animations show
// the first picture.
#pragma once

#include <filesystem>

#include "app/platform/animation/animation.hpp"
#include "app/platform/pictures/png.hpp"

namespace headlight {

/// Stores, replaces and throws as write_gif does, with text as in write_png. Pictures may be transparent.
void write_apng(const std::filesystem::path& path, const Animation& animation, const PngText& text = {});

}  // namespace headlight
