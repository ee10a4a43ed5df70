// Reads a table of numbers as spreadsheets, NumPy, pandas and Headlight itself write them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/model/tensor.hpp"

namespace headlight {

/// A matrix (float64) with a row for each line. Fields stand between commas, semicolons, tabs or blanks: the first of
/// semicolon, tab and comma that the first line has, else blanks. Beside semicolons a decimal comma is read too, as
/// spreadsheets write it where that is the custom. Fields may be in quotes; empty lines and lines that begin with '#'
/// are passed over.
///
/// The first line is a header where it begins with a word and holds another, where its first field is empty, or where
/// it begins with a word and goes on 0, 1, 2, as Headlight writes it. The first column holds labels where the header is
/// one of the last two, or where the first row of the table begins with a word. Throws InputError naming `source`, the
/// line and the column where a field is no number or a row is shorter or longer than the first.
Tensor parse_csv(std::string_view text, const std::string& source);
Tensor read_csv(const std::filesystem::path& path);

}  // namespace headlight
