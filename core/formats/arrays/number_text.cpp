#include "core/formats/arrays/number_text.hpp"

#include <fmt/format.h>

namespace headlight {

std::string exact_text(double value, Precision precision) {
  return precision == Precision::float32 ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
}

}  // namespace headlight
