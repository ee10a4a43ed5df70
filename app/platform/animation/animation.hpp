// An animation: a sequence of pictures, which gif.hpp and apng.hpp write to files.
#pragma once

#include <cstddef>
#include <functional>

#include "app/platform/pictures/image.hpp"

namespace headlight {

struct Animation {
  std::size_t frames = 0;                            ///< at least 1
  std::function<Image(std::size_t number)> picture;  ///< the frame `number`, from 0; all have one size
  double seconds = 1;                                ///< how long each frame shows; a GIF rounds to hundredths
};

constexpr double shortest_frame = 0.02;  ///< seconds; viewers slow down faster animations

}  // namespace headlight
