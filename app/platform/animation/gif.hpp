// An animation as a GIF. All pictures share one palette of 256 colours, chosen for all of them together, so that what
// does not move keeps its colour.
#pragma once

#include <filesystem>

#include "app/platform/animation/animation.hpp"

namespace headlight {

/// Stores only what differs from the picture before. The GIF repeats forever; pictures must be opaque. Keeps two
/// pictures in memory. The file is replaced in one step or not at all. Throws InputError if it cannot be written.
void write_gif(const std::filesystem::path& path, const Animation& animation);

}  // namespace headlight
