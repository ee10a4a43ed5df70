// How large a picture is meant to stand on a page or a screen.
#pragma once

#include <cstdint>
#include <string>

namespace headlight {

enum class LengthUnit : std::uint8_t { pixels, centimetres };

/// Pixels are those of CSS: 96 to the inch.
struct PageSize {
  double width = 0;
  double height = 0;
  LengthUnit unit = LengthUnit::pixels;
};

/// What a vector picture is besides its drawing.
struct VectorOptions {
  PageSize size;
  std::string title;  ///< for readers and catalogues; not drawn
};

}  // namespace headlight
