// The size of a picture on a page or screen.
#pragma once

#include <cstdint>
#include <string>

namespace headlight {

enum class LengthUnit : std::uint8_t { pixels, centimetres };

/// Width and height. A pixel is CSS's: 1/96 inch.
struct PageSize {
  double width = 0;
  double height = 0;
  LengthUnit unit = LengthUnit::pixels;
};

/// What the writer of a vector picture needs besides the drawing.
struct VectorOptions {
  PageSize size;
  std::string title;  ///< stored in the file for viewers and catalogues; not drawn
};

}  // namespace headlight
