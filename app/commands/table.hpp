// A plain-text table for the terminal.
#pragma once

#include <string>
#include <vector>

namespace headlight {

/// The table as text. Columns are as wide as their widest cell, counted in characters and not in bytes, with two spaces
/// between them and a rule under the header. Lines have no spaces at their ends. Control characters in `rows` are
/// escaped.
std::string table(const std::vector<std::string>& header, std::vector<std::vector<std::string>> rows);

}  // namespace headlight
