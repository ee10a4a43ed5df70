// An animation as a GIF: 256 colours for all pictures together, the ones that come closest over all of them, so that
// what stands still keeps its colour.
#pragma once

#include <filesystem>

#include "app/platform/animation/animation.hpp"

namespace headlight {

/// Only what differs from the picture before is stored. It repeats forever. Pictures are opaque. Holds one picture and
/// the next; the file is replaced in one step or not at all. Throws InputError where it cannot be written.
void write_gif(const std::filesystem::path& path, const Animation& animation);

}  // namespace headlight
