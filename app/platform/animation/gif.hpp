// An animation as a GIF. All pictures share one palette of 255 colours, chosen for all of them together, so that what
// does not move keeps its colour.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>

#include "app/platform/pictures/image.hpp"

namespace headlight {

struct Animation {
  std::size_t frames = 0;                            ///< at least 1
  std::function<Image(std::size_t number)> picture;  ///< the frame `number`, from 0; opaque, and all of one size
  double seconds = 1;                                ///< how long each frame shows; rounded to hundredths
};

/// Stores only what differs from the picture before. The GIF repeats forever. Keeps two pictures in memory. The file is
/// replaced in one step or not at all. Throws InputError if it cannot be written.
void write_gif(const std::filesystem::path& path, const Animation& animation);

struct PixelBlock {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

/// The smallest block that contains all pixels in which two pictures of the same size differ; one pixel if there are
/// none.
PixelBlock changed_block(const Image& before, const Image& now);

}  // namespace headlight
