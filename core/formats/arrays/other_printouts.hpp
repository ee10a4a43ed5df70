// Arrays as other programs print them, rewritten as NumPy does.
#pragma once

#include <string>
#include <string_view>

namespace headlight {

/// A text of R, MATLAB, Octave, Julia, pandas, Mathematica or an old PyTorch, a table in Markdown or LaTeX, quoted
/// lines ("> 0.5 1.2") or numbers in percent, with each array in brackets behind its name: "output = 1e+03 *
/// [[1.5, 2.0]]". The digits stay as they are. Blocks of columns are put side by side, and slices of an array with more
/// than two axes into it. Any other text is returned as it is.
std::string with_brackets(std::string_view text);

}  // namespace headlight
