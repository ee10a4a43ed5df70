// Reads arrays as NumPy and PyTorch print them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/shape.hpp"

namespace headlight {

struct PrintedNumbers {
  Shape shape;                 ///< from the nesting of the brackets; without brackets each line is a row
  std::vector<double> values;  ///< row-major
};

/// Reads an array as NumPy or PyTorch prints it: "[[1. 2.]
///  [3. 4.]]", "tensor([[1., 2.]], grad_fn=<...>)". The array must be rectangular, with brackets at most four deep and
///  whitespace or commas between the numbers. Throws std::invalid_argument if the text is not such an array; its
///  what() is what was found: "\"0.1O\"", "rows of 3 and 4 entries".
PrintedNumbers parse_printed(std::string_view text);

/// Text with tabs or semicolons, and without brackets, is from a spreadsheet, which may write decimal commas: it is
/// returned with points and blanks. Other text is returned as it is.
std::string plain_table(std::string_view text);

}  // namespace headlight
