#include <stdexcept>

#include "app/export/vector_picture.hpp"

namespace headlight {

std::string to_pdf(const DisplayList&, const VectorOptions&) {
  throw std::runtime_error("PDF can't be written in a browser: choose SVG or the handout, and print that");
}

}  // namespace headlight
