// Numbers as comma-separated values, for spreadsheets, pandas and R. Every number has the digits that read back as the
// same number of its precision; infinities are "inf" and "-inf", no number is "nan".
//
// Two axes make a table: the columns' labels in the first line, after the name of the rows' axis, and each row's label
// in the first column. One axis makes such a table of one row, which is labelled with the name of the numbers.
//
//   query,The,cat        ,The,cat
//   The,1,0              "weights[0,1,0]",1,0
//   cat,0.25,0.75
//
// More axes (and none) make the long form, one number to a line with its position on each axis, and its tokens where
// the setup has some: batch,head,query,query_token,key,key_token,value.
#pragma once

#include <filesystem>
#include <string>

#include "core/formats/arrays/tensor_slice.hpp"
#include "core/formats/files.hpp"

namespace headlight {

/// For the clipboard.
std::string csv_text(const LabelledNumbers& numbers);

/// Streams, so that it costs no memory to speak of. The file is replaced in one step or not at all; throws InputError
/// where it cannot be written.
void write_csv(const std::filesystem::path& path, const LabelledNumbers& numbers, const WriteReport& report = {});

}  // namespace headlight
