// What a lecturer draws over a slide. It goes away with the slide's picture.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/setup/control.hpp"

namespace headlight {

/// No pen has the hue of a tensor. `ink` is the colour of the slide's text.
enum class PenColour : std::uint8_t { red, ink, blue };
inline constexpr std::array pen_words{Word{"red", "Red"}, Word{"ink", "Ink"}, Word{"blue", "Blue"}};

/// A place on the slide, in its design pixels.
struct InkPoint {
  float x = 0;
  float y = 0;

  friend bool operator==(const InkPoint&, const InkPoint&) = default;
};

struct Stroke {
  PenColour colour = PenColour::red;
  std::vector<InkPoint> points;

  friend bool operator==(const Stroke&, const Stroke&) = default;
};

using Ink = std::vector<Stroke>;

}  // namespace headlight
