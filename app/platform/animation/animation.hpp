// Pictures that follow each other, as a GIF or an animated PNG.
//
// A GIF has 256 colours for all pictures together: the ones that come closest over all of them, so that what stands
// still keeps its colour. An animated PNG (APNG) keeps every pixel as it is; programs that do not know animations show
// its first picture.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>

#include "app/platform/pictures/image.hpp"
#include "app/platform/pictures/png.hpp"

namespace headlight {

struct Animation {
  std::size_t frames = 0;                            ///< at least 1
  std::function<Image(std::size_t number)> picture;  ///< from 0; all of one size; asked for more than once
  double seconds = 1;                                ///< that each stands; a GIF counts in hundredths
};

constexpr double shortest_frame = 0.02;  ///< viewers slow down what is faster

/// Only what differs from the picture before is stored. It repeats forever. Pictures are opaque. Holds one picture and
/// the next; the file is replaced in one step or not at all. Throws InputError where it cannot be written.
void write_gif(const std::filesystem::path& path, const Animation& animation);

/// The same, with text as in write_png; pictures may be transparent.
void write_apng(const std::filesystem::path& path, const Animation& animation, const PngText& text = {});

}  // namespace headlight
