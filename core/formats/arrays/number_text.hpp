// Writes a number as text without losing precision.
#pragma once

#include <string>

#include "core/model/tensor.hpp"

namespace headlight {

/// The shortest text that reads back as the same number in this precision: "0.1", "-inf", "nan".
std::string exact_text(double value, Precision precision);

}  // namespace headlight
