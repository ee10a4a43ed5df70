// Numbers as a program printed them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/shape.hpp"

namespace headlight {

struct PrintedNumbers {
  Shape shape;                 ///< as the brackets nest; without brackets one row per line
  std::vector<double> values;  ///< row-major
};

/// Reads an array as NumPy or PyTorch prints it: "[[1. 2.]\n [3. 4.]]", "tensor([[1., 2.]], grad_fn=<...>)". Brackets
/// nest up to four deep, and the array is rectangular; numbers stand between whitespace or commas. Throws
/// std::invalid_argument with what was found where the text is none ("\"0.1O\"", "rows of 3 and 4 numbers").
PrintedNumbers parse_printed(std::string_view text);

}  // namespace headlight
