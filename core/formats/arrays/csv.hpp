// Writes numbers as comma-separated values, for spreadsheets, pandas and R, and reads such tables. Every number has the
// fewest digits that read back as the same number of its precision. Infinities are written "inf" and "-inf", a NaN
// "nan".
//
// Numbers with two axes become a table. Its first line has the name of the rows' axis and then the labels of the
// columns; its first column has the labels of the rows. Numbers with one axis become a table of one row, labelled with
// the name of the numbers.
//
//   query,The,cat        ,The,cat
//   The,1,0              "weights[0,1,0]",1,0
//   cat,0.25,0.75
//
// Numbers with more axes, or with none, are written in the long form: one number per line, after its position on each
// axis and the token there if the axis has tokens: batch,head,query,query_token,key,key_token,value.
//
// Control characters of tokens are escaped. A token that begins with =, +, - or @ gets an apostrophe in front, because
// a spreadsheet would take it for a formula.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/formats/arrays/tensor_slice.hpp"
#include "core/formats/files.hpp"
#include "core/model/tensor.hpp"

namespace headlight {

/// A text as a CSV field by RFC 4180: put in quotes if it has a comma, a quote, a line break, or a space at an end; or
/// a semicolon, at which spreadsheets in many countries part the fields. Control characters are escaped, and what could
/// be a formula begins with an apostrophe.
std::string csv_field(std::string_view text);

/// The numbers as CSV in one string, for the clipboard.
std::string csv_text(const LabelledNumbers& numbers);

/// Writes the numbers as CSV, piece by piece, so that it needs little memory. The file is replaced in one step or not
/// at all. Throws InputError if the file cannot be written.
void write_csv(const std::filesystem::path& path, const LabelledNumbers& numbers, const WriteReport& report = {});

/// A matrix (float64) with a row for each line. Fields are separated by commas, semicolons, tabs or blanks: the first
/// of semicolon, tab and comma that the first line has, else blanks. Beside semicolons a decimal comma is read too, as
/// spreadsheets write it where that is the custom. Fields may be in quotes; empty lines and lines that begin with '#'
/// are passed over.
///
/// The first line is a header if it begins with a word and holds another, if its first field is empty, or if it begins
/// with a word and continues with 0, 1, 2, as Headlight writes it. The first column holds labels if the header is one
/// of the last two, or if the first row of the table begins with a word. Throws InputError naming `source`, the line
/// and the column if a field is not a number, or a row is shorter or longer than the first.
Tensor parse_csv(std::string_view text, const std::string& source);
Tensor read_csv(const std::filesystem::path& path);

}  // namespace headlight
