// Numbers as a table to read, for a paper, a homework or a chat: rounded, columns aligned, masked cells marked.
#pragma once

#include <cstdint>
#include <string>

#include "core/formats/arrays/tensor_slice.hpp"

namespace headlight {

enum class TableLanguage : std::uint8_t { markdown, latex };

constexpr int most_table_digits = 17;  ///< a float64 has no more to tell

/// A table of one or two axes. `digits` is how many the largest magnitude shows (1 to most_table_digits); all numbers
/// have equally many decimals, or are written as powers of ten where the largest is far from 1. A masked cell is a dash
/// and the table says so. Labels are escaped, so that they read as they are.
///
/// Markdown: a pipe table, as GitHub and Pandoc read it. LaTeX: a tabular that needs no package.
/// Throws InputError where the numbers have another number of axes.
std::string number_table(const LabelledNumbers& numbers, TableLanguage language, int digits = 4);

}  // namespace headlight
