// Pictures that follow each other, as gif.hpp and apng.hpp write them.
#pragma once

#include <cstddef>
#include <functional>

#include "app/platform/pictures/image.hpp"

namespace headlight {

struct Animation {
  std::size_t frames = 0;                            ///< at least 1
  std::function<Image(std::size_t number)> picture;  ///< from 0; all of one size; asked for more than once
  double seconds = 1;                                ///< that each stands; a GIF counts in hundredths
};

constexpr double shortest_frame = 0.02;  ///< viewers slow down what is faster

}  // namespace headlight
