// Writes numbers as a table for people to read, in a paper, a homework or a chat: rounded, columns aligned, masked
// cells marked.
#pragma once

#include <cstdint>
#include <string>

#include "core/formats/arrays/tensor_slice.hpp"

namespace headlight {

enum class TableLanguage : std::uint8_t { markdown, latex };

/// The numbers as a table; they must have one or two axes. The largest magnitude is written with `digits` significant
/// digits (1 to 17, which write any float64 exactly), and all numbers with the same number of decimals. If the largest
/// magnitude is far from 1, all numbers are written as powers of ten. A masked cell is a dash, with a note under
/// (Markdown) or above (LaTeX) the table. Labels are escaped, so that they appear unchanged.
///
/// Markdown gives a pipe table, as GitHub and Pandoc read it. LaTeX gives a tabular that needs no package. Throws
/// InputError if the numbers have another number of axes.
std::string number_table(const LabelledNumbers& numbers, TableLanguage language, int digits = 4);

}  // namespace headlight
